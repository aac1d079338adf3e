"""`sessiond pick`: choose sessions on the terminal by typing, with a preview."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from sessiond.cli.command import choice, command, flag, here
from sessiond.cli.nothing import why_nothing_in
from sessiond.cli.picker import Picker
from sessiond.cli.picking import Info
from sessiond.cli.running import FOUND_PROBLEMS, INTERRUPTED, Run, listed_in
from sessiond.cli.settings import arguments, environment
from sessiond.runtime import isolation

_FOR_SEVERAL = ("delete",)
"""Commands that take several sessions."""


@command("pick", as_json=False)
@flag("-a", "--all", "everything", text="Sessions of all directories.")
@here()
@choice(
    "--run",
    "text",
    among=["show", "tree", "tail", "stats", "resume", "fork", "open", "check", "delete"],
    text="The command to run on it; `delete` on several.",
)
async def main(run: Run, everything: bool, here: bool, text: str | None) -> int:
    """Choose sessions by typing; prints their ids.

    For example: sessiond show $(sessiond pick --all), or sessiond pick --run resume. The key ?
    shows all keys.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise click.UsageError("pick needs a terminal")
    scope = listed_in(here=here, everything=everything)

    async def listed() -> Sequence[Info]:
        sessions: Sequence[Info] = (await run.list(scope, pinnedFirst=True))["sessions"]
        return sessions

    found = await listed()
    if not found:
        await why_nothing_in(run, scope)
        return FOUND_PROBLEMS
    # The picker has the terminal from here on.
    isolation.advanced.set(None)
    picker = Picker(run, found, listed)
    picked = await picker.run()
    # Nobody waits for an index after having chosen.
    run.here.searched = 0
    if picked is None:
        return INTERRUPTED if picker.interrupted else FOUND_PROBLEMS
    text = picked.command or text
    if text is not None:
        if len(picked.infos) > 1 and text not in _FOR_SEVERAL:
            raise click.UsageError(f"`{text}` takes one session")
        paths = [info["path"] for info in picked.infos]
        program = [sys.executable, "-m", "sessiond", *arguments(run.settings)]
        env = {**os.environ, **environment(run.settings)}
        os.execve(sys.executable, [*program, text, *paths], env)  # noqa: S606 - ourselves
    for info in picked.infos:
        run.screen.raw(info["id"].encode(errors="replace"))
    return 0
