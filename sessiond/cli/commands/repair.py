"""`sessiond repair`."""

from __future__ import annotations

from sessiond.cli.astext import one_line
from sessiond.cli.command import command, counting, flag, session
from sessiond.cli.running import Run


@command("repair")
@session()
@flag("--apply", text="Repair the file; by default only report what would be done.")
@counting()
async def main(run: Run, session: str, apply: bool, project: bool, everything: bool) -> None:
    """Repair a damaged session file, keeping a backup."""
    path = await run.path_to_change(session, everywhere=everything, project=project)
    done = await run.answer("catalog/repair", path=path, dryRun=not apply)
    if run.json:
        return
    for action in done["actions"]:
        where = f"line {action['line']}: " if "line" in action else ""
        run.screen.line(one_line(f"{where}{action['kind']}: {action['message']}"))
    if not done["actions"]:
        run.tell("nothing to repair")
    elif "backup" in done:
        run.tell(f"repaired; the old file is {done['backup']}")
    else:
        run.tell("nothing was written; `--apply` repairs the file")
