"""Remember what the last commands changed, so that `sessiond undo` can take it back."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from typing import Any

from sessiond.cli.running import Run, is_answer
from sessiond.files import disk, journal
from sessiond.files.identity import OPEN_FLAGS, read_file
from sessiond.format.lines import clean_name
from sessiond.runtime.errors import SessiondError, SessionNotFound
from sessiond.runtime.home import state_directory

Change = dict[str, Any]
"""`{command, ...}`: for `delete` the `paths`; for `rename` the `path`, the `name` before and the
`given` one; for `label` the `path`, the `entry`, and the `label`s before and `given`."""

_MOST = 50


def remember(run: Run, change: Change) -> bool:
    """Note a change; returns whether it can be undone.

    Not with `--root`, which allows nothing to be written outside.
    """
    if disk.is_confined() or run.here.in_store:
        return False
    with _locked(run):
        _write(run, [*changes(run), change][-_MOST:])
    return True


def renamed(path: str, before: str, name: str) -> Change:
    """Return the change of a session that got a name."""
    return {"command": "rename", "path": path, "name": before, "given": clean_name(name)}


def labelled(path: str, entry: str, before: str, label: str) -> Change:
    """Return the change of an entry that got a label."""
    return {"command": "label", "path": path, "entry": entry, "label": before, "given": label}


async def label_of(run: Run, handle: str, entry: str) -> str:
    """Return the label of an entry of an open session; empty if it has none."""
    answer = await run.daemon.call("session/getLabel", session=handle, id=entry)
    return str(answer.get("label") or "")


@contextlib.contextmanager
def _locked(run: Run) -> Iterator[None]:
    """Hold the lock of the file, because several commands may run at once."""
    path = f"{_file(run)}.lock"
    disk.makedirs(os.path.dirname(path), journal.DIRECTORY_MODE)
    descriptor = disk.open(path, os.O_RDWR | os.O_CREAT | OPEN_FLAGS, journal.FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def changes(run: Run) -> list[Change]:
    """Return what was changed and not undone, the latest at the end."""
    try:
        records = json.loads(read_file(_file(run)))
    except (OSError, ValueError, SessiondError):
        return []
    return [each for each in records if isinstance(each, dict)] if isinstance(records, list) else []


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
    """Undo the latest change; returns what was done, and what could not be.

    What failed is kept for the next time, unless it is gone for ever. Raises NothingToUndo and
    ReadOnly.
    """
    run.here.expect_writable()
    if not changes(run):
        raise NothingToUndo("nothing is left to undo")
    with _locked(run):
        records = await _without_restored(run, changes(run))
        match records[-1:]:
            case []:
                raise NothingToUndo("nothing is left to undo")
            case [{"command": "delete", "paths": list(paths)} as change]:
                lines, failed = await _restored(run, paths)
                left = [{**change, "paths": failed}] if failed else []
            case [{"command": "rename", "path": str(path), "name": str(name)} as change]:
                line, is_done = await _named(run, path, name, change.get("given"))
                lines, left = [line], [] if is_done else [change]
            case [{"command": "label", "path": str(path), "entry": str(entry)} as change]:
                line, is_done = await _labelled_again(run, path, entry, change)
                lines, left = [line], [] if is_done else [change]
            case _:
                raise NothingToUndo("a newer sessiond made the last change")
        _write(run, [*records[:-1], *left])
    return lines


async def _without_restored(run: Run, records: list[Change]) -> list[Change]:
    """Return the changes without the last deletions all of whose sessions are back already.

    `restore` brings sessions back without this record of them.
    """
    if not any(disk.lexists(path) for path in _deleted_paths(records)):
        return records
    rows = (await run.daemon.call("catalog/listTrash"))["sessions"]
    in_trash = {row["path"] for row in rows}
    records = [*records]
    while paths := _deleted_paths(records):
        left = [path for path in paths if path in in_trash or not disk.lexists(path)]
        if left:
            records[-1] = {**records[-1], "paths": left}
            break
        records.pop()
    return records


def _deleted_paths(records: list[Change]) -> list[str]:
    """Return the paths of the last change, if it is a deletion."""
    match records[-1:]:
        case [{"command": "delete", "paths": list(paths)}]:
            return paths
    return []


async def _restored(run: Run, paths: list[str]) -> tuple[list[str], list[str]]:
    """Restore sessions; returns what to print, and those that stay in the trash."""
    lines, failed = [], []
    for path in paths:
        try:
            info = await run.daemon.call("catalog/restore", path=path)
            lines.append(f"restored: {info['path']}")
        except Exception as error:
            if not is_answer(error):
                raise
            lines.append(f"sessiond: {error.message}")
            # One that is no longer in the trash can never be restored.
            if _kind(error) != SessionNotFound.kind:
                failed.append(path)
    return lines, failed


async def _named(run: Run, path: str, name: str, given: str | None) -> tuple[str, bool]:
    """Give a session its former name, unless it got another one since.

    Returns what to print, and whether nothing is left to do.
    """
    try:
        now = (await run.open_path(path)).get("name", "")
        if given is not None and now != given:
            return f"sessiond: {path} has got the name {now!r} since, which stays", True
        await run.daemon.call("catalog/rename", path=path, name=name)
    except Exception as error:
        if not is_answer(error):
            raise
        return f"sessiond: {error.message}", _kind(error) == SessionNotFound.kind
    return f"named {name!r} again: {path}" if name else f"without a name: {path}", True


async def _labelled_again(run: Run, path: str, entry: str, change: Change) -> tuple[str, bool]:
    """Give an entry its former label, as `_named` does with names."""
    before = str(change.get("label") or "")
    try:
        handle = (await run.open_to_write(path))["session"]
        now = await label_of(run, handle, entry)
        if now != change.get("given"):
            return f"sessiond: the entry has got the label {now!r} since, which stays", True
        await run.daemon.call(
            "session/appendLabelChange", session=handle, targetId=entry, label=before
        )
    except Exception as error:
        if not is_answer(error):
            raise
        return f"sessiond: {error.message}", _kind(error) == SessionNotFound.kind
    done = f"labelled {before!r} again" if before else "without a label"
    return f"{done}: {entry} of {path}", True


def _kind(error: Exception) -> str | None:
    return getattr(error, "kind", None)
