"""`sessiond unhide`."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.cli.command import command, sessions
from sessiond.cli.marking import set_marks
from sessiond.cli.running import Run


@command("unhide")
@sessions()
async def main(run: Run, sessions: Sequence[str]) -> None:
    """Show hidden sessions in lists again."""
    await set_marks(run, sessions, hidden=False)
