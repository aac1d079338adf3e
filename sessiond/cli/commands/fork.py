"""`sessiond fork`, and the copies that other commands continue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from sessiond.agents.directories import directories
from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import homely, now
from sessiond.cli.command import ENTRY, command, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import Run
from sessiond.cli.telling import heading
from sessiond.runtime.home import absolute, environment

State = Mapping[str, Any]
"""The state of an open session, as decoded JSON."""


@command("fork")
@session()
@click.option(
    "--at",
    type=ENTRY,
    metavar="ENTRY",
    help="The last entry of the copy: an id or its beginning, a label, or N for the end of"
    " turn N (-1: without the last turn). The results of its tool calls are copied, too.",
)
@click.option("--name", metavar="NAME", help="The name of the copy.")
async def main(run: Run, session: str, at: str | None, name: str | None) -> None:
    """Copy a branch into a session of its own; prints its id.

    The copy lies beside the session and can be continued; the session stays as it is.
    """
    state = await run.open(session)
    new = await copied(run, state, at, cwd=state["cwd"])
    if name is None:
        name = f"{await heading(run, state)} (fork at {at or _now()})"
    await run.daemon.call("session/appendSessionInfo", session=new["session"], name=name)
    if run.json:
        content = {key: new[key] for key in ("sessionId", "sessionFile", "cwd", "leafId")}
        run.screen.raw(json.dumps(content).encode())
    else:
        run.screen.raw(new["sessionId"].encode(errors="replace"))
    run.tell(f"copied {new['entryCount']} entries; `sessiond resume {new['sessionId']}` goes on")


def _now() -> str:
    return now().astimezone().strftime("%Y-%m-%d %H:%M")


async def copied(
    run: Run,
    state: State,
    at: str | None,
    *,
    cwd: str,
    agent: str | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Copy a session, or its branch up to the entry `at`; returns the state of the copy.

    The copy belongs to `agent`, by default to that of the session, and to pi if that agent alone
    writes its sessions.
    """
    source = run.agent_of(state["sessionFile"])
    keeper = source if agent is None else AGENTS[agent]
    if keeper.is_read_only:
        keeper = AGENTS[run.profile if not AGENTS[run.profile].is_read_only else "pi"]
    place = None
    if keeper.name != run.profile:
        env = environment()
        place = directories(keeper, env).default_dir(absolute(cwd, env))
    new: dict[str, Any] = await run.daemon.call(
        "session/forkFrom",
        sourcePath=state["sessionFile"],
        targetCwd=cwd,
        sessionDir=place,
        leafId=await entry_id(run, state["session"], at),
        withResults=True,
    )
    if source.name != keeper.name and not quiet:
        run.tell(f"the copy is a session of {keeper.name}: {homely(new['sessionFile'])}")
    return new
