"""Remember what the last commands changed, so that `sessiond undo` can take it back."""

from __future__ import annotations

import json
import os
from typing import Any

from sessiond.catalog.export.target import place
from sessiond.cli.running import Run
from sessiond.errors import SessiondError
from sessiond.files import disk
from sessiond.files.identity import open_regular
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
        with os.fdopen(open_regular(_file(run)), "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError, SessiondError):
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def forget_last(run: Run) -> None:
    """Remove the latest change, which was undone."""
    _write(run, changes(run)[:-1])


def _write(run: Run, kept: list[Change]) -> None:
    place(_file(run), [json.dumps(kept).encode()])


def _file(run: Run) -> str:
    return f"{state_directory(run.here.env)}/changes.json"
