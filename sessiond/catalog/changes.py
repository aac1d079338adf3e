"""Remember what a user changed last, so that it can be taken back.

The file is `changes.json` in the user's state directory: a list, the latest change at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sessiond.files import flock, journal, workers
from sessiond.files.identity import read_file
from sessiond.runtime.errors import SessiondError
from sessiond.runtime.home import state_directory
from sessiond.runtime.limits import LOCK_TIMEOUT

Change = dict[str, Any]
"""`{command, change, ...}`, where `change` is the name that the user's program gave it: of `delete`
the `paths`; of `rename` the `path`, the `name` before and the `given` one; of `label` also the
`entry`, with `label` in place of `name`."""

_MOST = 50


async def note(env: Mapping[str, str], change: Change) -> None:
    """Note a change; a deletion joins the last one if that has the same name.

    Raises Busy and WriteFailed.
    """
    await _update(env, lambda records: _with(records, change))


def _with(records: list[Change], change: Change) -> list[Change]:
    last = records[-1] if records else {}
    names = last.get("change"), change.get("change")
    if last.get("command") == change["command"] == "delete" and names[0] == names[1]:
        return [*records[:-1], {**last, "paths": [*last.get("paths", ()), *change["paths"]]}]
    return [*records, change]


def load(env: Mapping[str, str]) -> list[Change]:
    """Return what was changed and not taken back, the latest at the end. Blocking."""
    try:
        records = json.loads(read_file(_file(env)))
    except (OSError, ValueError, SessiondError, RecursionError):
        return []
    return [each for each in records if isinstance(each, dict)] if isinstance(records, list) else []


async def settle(env: Mapping[str, str], change: Change, left: Change | None) -> None:
    """Replace a change by what is left of it after it was taken back; None: nothing.

    Raises Busy and WriteFailed.
    """
    await _update(env, lambda records: _without(records, change, left))


def _without(records: list[Change], change: Change, left: Change | None) -> list[Change]:
    # Another process may have noted more changes, or taken this one back.
    if change not in records:
        return records
    at = len(records) - 1 - records[::-1].index(change)
    return [*records[:at], *([] if left is None else [left]), *records[at + 1 :]]


async def _update(env: Mapping[str, str], changed: Callable[[list[Change]], list[Change]]) -> None:
    """Replace the record; several programs may change something at once."""

    def update() -> None:
        before = load(env)
        after = changed(before)
        if after != before:
            journal.replace(_file(env), [json.dumps(after[-_MOST:]).encode()], journal.FILE_MODE)

    async with flock.beside(_file(env), LOCK_TIMEOUT):
        await workers.undisturbed(update)


def _file(env: Mapping[str, str]) -> str:
    return f"{state_directory(env)}/changes.json"
