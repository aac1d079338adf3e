"""`sessiond hide`."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.cli.command import command, sessions
from sessiond.cli.marking import set_marks
from sessiond.cli.running import Run


@command("hide")
@sessions()
async def main(run: Run, sessions: Sequence[str]) -> None:
    """Hide sessions: lists leave them out, except with --hidden."""
    await set_marks(run, sessions, hidden=True)
