"""`sessiond pin`."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.cli.command import command, sessions
from sessiond.cli.marking import set_marks
from sessiond.cli.running import Run


@command("pin")
@sessions()
async def main(run: Run, sessions: Sequence[str]) -> None:
    """Pin sessions: lists have them first."""
    await set_marks(run, sessions, pinned=True)
