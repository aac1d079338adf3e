"""Mark sessions: the work of `pin`, `hide`, `tag` and their opposites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from sessiond.cli.astext import marks_text
from sessiond.cli.command import TAG, command, session, sessions
from sessiond.cli.running import Run


def marking(name: str, text: str, **marks: bool) -> click.Command:
    """Make a command that gives sessions these marks; `text` is its help."""

    @sessions()
    async def main(run: Run, sessions: Sequence[str]) -> None:
        await _set_marks(run, sessions, **marks)

    main.__doc__ = text
    return command(name)(main)


def tagging(name: str, text: str, member: str) -> click.Command:
    """Make a command that sends the words for one session as this member of `catalog/setMarks`."""

    @session()
    @click.argument("words", nargs=-1, required=True, type=TAG, metavar="WORD...")
    async def main(run: Run, session: str, words: Sequence[str]) -> None:
        await _set_marks(run, [session], **{member: list(words)})

    main.__doc__ = text
    return command(name)(main)


async def _set_marks(run: Run, sessions: Sequence[str], **marks: Any) -> None:
    """Set marks of sessions, and say which they have now; no session file changes."""
    paths = [await run.path(session) for session in sessions]
    answer = await run.answer("catalog/setMarks", paths=paths, **marks)
    if not run.json:
        for session, now in zip(sessions, answer["marks"], strict=True):
            run.tell(f"{session}: {marks_text(now) or 'no marks'}")
