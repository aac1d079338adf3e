"""`sessiond undo`: take back what the last command changed."""

from __future__ import annotations

import click

from sessiond.cli import undoing
from sessiond.cli.commands.trash import restore_path
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run
from sessiond.errors import SessiondError


async def undo(run: Run) -> int:
    """Restore what `delete` moved to the trash, or give a session its former name."""
    run.here.expect_writable()
    known = undoing.changes(run)
    if not known:
        run.tell("sessiond: nothing is left to undo")
        return FOUND_PROBLEMS
    match known[-1]:
        case {"command": "delete", "paths": list(paths)}:
            failed = False
            for path in paths:
                try:
                    await restore_path(run, path)
                except SessiondError as error:
                    failed = True
                    run.tell(f"sessiond: {error.message}")
        case {"command": "rename", "path": str(path), "name": str(name)}:
            await run.daemon.call("catalog/rename", path=path, name=name)
            failed = False
            run.tell(f"named {name!r} again: {path}" if name else f"without a name again: {path}")
        case _:
            raise click.ClickException("a newer sessiond made the last change")
    undoing.forget_last(run)
    return FAILED if failed else 0
