"""`sessiond undo`: take back what the last command changed."""

from __future__ import annotations

from sessiond.cli import undoing
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run


async def undo(run: Run) -> int:
    """Restore what `delete` moved to the trash, or give a session its former name."""
    try:
        told = await undoing.take_back(run)
    except undoing.NothingToUndo as error:
        run.tell(f"sessiond: {error}")
        return FOUND_PROBLEMS
    for line in told:
        run.tell(line)
    return FAILED if any(line.startswith("sessiond: ") for line in told) else 0
