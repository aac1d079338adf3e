"""`sessiond unpin`."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.cli.command import command, sessions
from sessiond.cli.marking import set_marks
from sessiond.cli.running import Run


@command("unpin")
@sessions()
async def main(run: Run, sessions: Sequence[str]) -> None:
    """Take pins of sessions back."""
    await set_marks(run, sessions, pinned=False)
