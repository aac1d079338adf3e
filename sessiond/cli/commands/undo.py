"""`sessiond undo`: take back what was changed last."""

from __future__ import annotations

from sessiond.cli.astext import undone
from sessiond.cli.command import command
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run


@command("undo")
async def main(run: Run) -> int:
    """Take back the last delete, rename or label.

    Run it again to take back the one before. Changes of editors count, too.
    """
    answer = await run.answer("catalog/undo")
    lines, problems = undone(answer), answer.get("problems", ())
    if not lines and not problems:
        run.tell("sessiond: nothing is left to undo")
        return FOUND_PROBLEMS
    for line in lines:
        run.tell(line)
    for problem in problems:
        run.tell(f"sessiond: {problem['message']}")
    return FAILED if problems else 0
