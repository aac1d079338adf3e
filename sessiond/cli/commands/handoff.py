"""`sessiond handoff`: what another agent is told that takes over."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from sessiond.cli.command import command, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.handoff import handoff
from sessiond.cli.running import Run

_PAGE = 500


@command("handoff", as_json=False)
@session()
async def main(run: Run, session: str) -> None:
    """Print the first message for an agent that takes over."""
    run.screen.file.write(await message(run, await run.open(session)))


async def message(run: Run, state: Mapping[str, Any], at: str | None = None) -> str:
    """Return the message for a conversation, or for its branch up to the entry `at`."""
    items: list[Any] = []
    params: dict[str, Any] = {"session": state["session"], "limit": _PAGE}
    if at is not None:
        params["leafId"] = await entry_id(run, state["session"], at)
    while True:
        page = await run.daemon.call("session/getView", **params)
        items += page["items"]
        if "nextCursor" not in page:
            break
        params["cursor"] = page["nextCursor"]
    agent = run.agent_of(state["sessionFile"])
    reading = ["sessiond", "show", state["sessionId"], "--profile", agent.name]
    if at is not None:
        reading += ["--leaf", params["leafId"]]
    return handoff(agent.name, state, items, shlex.join(reading))
