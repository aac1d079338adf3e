"""Remember what a user changed last, so that it can be taken back.

The file is `changes.json` in the user's state directory: a list, the latest change at the end.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from sessiond.files import disk, journal
from sessiond.files.identity import OPEN_FLAGS, read_file
from sessiond.runtime.errors import SessiondError
from sessiond.runtime.home import state_directory

Change = dict[str, Any]
"""`{command, change, ...}`, where `change` is the name that the user's program gave it: of `delete`
the `paths`; of `rename` the `path`, the `name` before and the `given` one; of `label` also the
`entry`, with `label` in place of `name`."""

_MOST = 50


def note(env: Mapping[str, str], change: Change) -> None:
    """Note a change; a deletion joins the last one if that has the same name. Blocking."""
    with _locked(env):
        records = load(env)
        last = records[-1] if records else {}
        names = last.get("change"), change.get("change")
        if last.get("command") == change["command"] == "delete" and names[0] == names[1]:
            records[-1] = {**last, "paths": [*last.get("paths", ()), *change["paths"]]}
        else:
            records.append(change)
        _write(env, records[-_MOST:])


def load(env: Mapping[str, str]) -> list[Change]:
    """Return what was changed and not taken back, the latest at the end. Blocking."""
    try:
        records = json.loads(read_file(_file(env)))
    except (OSError, ValueError, SessiondError, RecursionError):
        return []
    return [each for each in records if isinstance(each, dict)] if isinstance(records, list) else []


def settle(env: Mapping[str, str], change: Change, left: Change | None) -> None:
    """Replace a change by what is left of it after it was taken back; None: nothing. Blocking."""
    with _locked(env):
        records = load(env)
        # Another process may have noted more changes, or taken this one back.
        if change in records:
            at = len(records) - 1 - records[::-1].index(change)
            records[at : at + 1] = [] if left is None else [left]
            _write(env, records)


@contextlib.contextmanager
def _locked(env: Mapping[str, str]) -> Iterator[None]:
    """Hold the lock of the file, because several programs may change something at once."""
    path = f"{_file(env)}.lock"
    disk.makedirs(os.path.dirname(path), journal.DIRECTORY_MODE)
    descriptor = disk.open(path, os.O_RDWR | os.O_CREAT | OPEN_FLAGS, journal.FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(env: Mapping[str, str], records: list[Change]) -> None:
    path, parts = _file(env), [json.dumps(records).encode()]
    if disk.lexists(path):
        journal.replace(path, parts, journal.FILE_MODE)
    else:
        journal.create(path, parts, settled=True)


def _file(env: Mapping[str, str]) -> str:
    return f"{state_directory(env)}/changes.json"
