"""Say what the agent of a session does."""

from __future__ import annotations

from sessiond_protocol.session import activity as contract
from sessiond_protocol.wire import given

from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, turn
from sessiond.text.safe import presentable


async def set_activity(client: Client, params: contract.SetActivityParams) -> None:
    async with turn(client, params.session) as view:
        activity = contract.SessionActivity(state=params.state)
        text = given(params.text)
        if text:
            activity.text = presentable(text)
        client.engine.activities.set(view, activity)


METHODS: dict[str, Handler] = {"session/setActivity": set_activity}
