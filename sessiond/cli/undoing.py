"""Remember what the last commands changed, so that `sessiond undo` can take it back."""

from __future__ import annotations

import json
from typing import Any

from sessiond.cli.running import Run
from sessiond.errors import SessiondError
from sessiond.files import disk, journal
from sessiond.files.identity import read_file
from sessiond.home import state_directory

Change = dict[str, Any]
"""`{command, ...}`: for `delete` the `paths`, for `rename` the `path` and the `name` before."""

_MOST = 50


def remember(run: Run, change: Change) -> bool:
    """Note a change; returns whether it can be undone.

    Not with `--root`, which allows nothing to be written outside.
    """
    if disk.is_confined() or run.here.in_store:
        return False
    _write(run, [*changes(run), change][-_MOST:])
    return True


def changes(run: Run) -> list[Change]:
    """Return what was changed and not undone, the latest at the end."""
    try:
        found = json.loads(read_file(_file(run)))
    except (OSError, ValueError, SessiondError):
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _write(run: Run, kept: list[Change]) -> None:
    path, parts = _file(run), [json.dumps(kept).encode()]
    if disk.lexists(path):
        journal.replace(path, parts, journal.FILE_MODE)
    else:
        journal.create(path, parts, settled=True)


def _file(run: Run) -> str:
    return f"{state_directory(run.here.env)}/changes.json"


class NothingToUndo(Exception):
    """No change is left that this sessiond can take back."""


async def take_back(run: Run) -> list[str]:
    """Undo the latest change, and forget it; returns what was done, and what could not be.

    Raises NothingToUndo, ReadOnly, and what `catalog/rename` raises.
    """
    run.here.expect_writable()
    known = changes(run)
    told: list[str] = []
    match known[-1:]:
        case []:
            raise NothingToUndo("nothing is left to undo")
        case [{"command": "delete", "paths": list(paths)}]:
            for path in paths:
                try:
                    info = await run.daemon.call("catalog/restore", path=path)
                    told.append(f"restored: {info['path']}")
                except SessiondError as error:
                    told.append(f"sessiond: {error.message}")
        case [{"command": "rename", "path": str(path), "name": str(name)}]:
            await run.daemon.call("catalog/rename", path=path, name=name)
            told.append(f"named {name!r} again: {path}" if name else f"without a name: {path}")
        case _:
            raise NothingToUndo("a newer sessiond made the last change")
    _write(run, known[:-1])
    return told
