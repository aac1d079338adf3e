"""`sessiond reply`."""

from __future__ import annotations

import sys

import click

from sessiond.cli.command import ENTRY, command, counting, session
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import Run
from sessiond.runtime.clock import now_ms


@command("reply")
@session()
@click.argument("text", required=False)
@click.option(
    "--at",
    type=ENTRY,
    metavar="ENTRY",
    help="The entry that is replied to: an id or its beginning, a label, or N for the end of turn"
    " N. By default the end of the current branch.",
)
@counting()
async def main(
    run: Run,
    *,
    session: str,
    text: str | None,
    at: str | None,
    project: bool,
    everything: bool,
) -> None:
    """Add a message of yours to a session; prints the id of its entry.

    The agent reads it when it goes on with the session. Without TEXT it is read from standard
    input.
    """
    said = _piped() if text is None else text
    if not said.strip():
        raise click.UsageError("the message is empty")
    path = await run.path_to_change(session, everywhere=everything, project=project)
    state = await run.open_to_write(path)
    handle = state["session"]
    target = await entry_id(run, handle, at)
    if target is not None:
        await run.daemon.call("session/branch", session=handle, entryId=target)
    content = [{"type": "text", "text": said.rstrip()}]
    entry = await run.answer(
        "session/appendMessage",
        session=handle,
        message={"role": "user", "content": content, "timestamp": now_ms()},
        # What another program adds meanwhile must not be passed over unread.
        expectedTipId=state["tipId"],
    )
    if not run.json:
        run.screen.raw(entry["id"].encode(errors="replace"))


def _piped() -> str:
    """Return the text on standard input. Raises ClickException if it is none."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise click.ClickException(f"standard input is not UTF-8: {error}") from None
