"""`sessiond undo`: take back what the last command changed."""

from __future__ import annotations

from sessiond.cli import undoing
from sessiond.cli.command import command
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run


@command("undo", as_json=False)
async def main(run: Run) -> int:
    """Take back the last delete or rename.

    Run it again to take back the one before.
    """
    try:
        lines = await undoing.take_back(run)
    except undoing.NothingToUndo as error:
        run.tell(f"sessiond: {error}")
        return FOUND_PROBLEMS
    for line in lines:
        run.tell(line)
    return FAILED if any(line.startswith("sessiond: ") for line in lines) else 0
