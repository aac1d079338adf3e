"""`gateway/subscribe` and `unsubscribe`: changes of a gateway's sessions."""

from __future__ import annotations

from sessiond_protocol.gateway import subscribe as contract
from sessiond_protocol.wire import given

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.files import workers
from sessiond.gateway.methods.request import StoreRequest
from sessiond.gateway.places import StoreScope
from sessiond.gateway.state import state_of
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.large_answers import with_arrays
from sessiond.rpc.codec import encode
from sessiond.text.spans import Json


async def subscribe(client: Client, params: contract.GatewaySubscribeParams) -> Json:
    request = StoreRequest.of(client, params)
    named = given(params.agentId)
    agent = None if named is None else normal_agent_id(named)
    scope = StoreScope(request.layout, agent, client.places.roots.allow)
    if not scope.stores():
        # This raises the reason.
        request.for_agent(agent or request.agent_id).store()
    subscription = await state_of(client).notices.subscribe(scope, given(params.subscription))
    stores = [(one.agent_id, one.path, one.entries()) for one in subscription.stores.values()]

    def answer() -> Json:
        problems = list(subscription.problems)
        sessions = []
        for agent_id, path, entries in stores:
            for key, entry in entries.items():
                stored = contract.StoredSession(
                    agentId=agent_id, storePath=path, sessionKey=key, entry=entry.compact()
                )
                sessions.append(encode(stored))
        result = contract.GatewaySubscribeResult(
            subscription=subscription.name,
            sequence=subscription.sequence,
            sessions=[],
            **request.reported(problems),
        )
        return with_arrays(result, sessions=sessions)

    try:
        answered = await workers.reading(subscription.size, answer)
    except BaseException:
        state_of(client).notices.unsubscribe(subscription.name)
        raise
    state_of(client).notices.start(subscription)
    return answered


async def unsubscribe(client: Client, params: contract.GatewayUnsubscribeParams) -> None:
    state_of(client).notices.unsubscribe(params.subscription)


METHODS: dict[str, Handler] = {
    "gateway/subscribe": subscribe,
    "gateway/unsubscribe": unsubscribe,
}
