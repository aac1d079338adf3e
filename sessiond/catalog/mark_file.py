"""The file of marks.

It is sessiond's own, and no cache: nothing else has the marks. It has one line of JSON for each
session that ever had some, by agent and session id, so that they stay with a session that is
renamed or moved. A line that cannot be read stays in the file. A session that has lost its marks
keeps its line, whose time says when.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence

import attrs

from sessiond.catalog.marks import MarkChange, MarkKey, Marks
from sessiond.files import disk, workers
from sessiond.files.identity import FileState, OpenedFile, read_from, stat_regular
from sessiond.format.ids import iso_now
from sessiond.runtime.errors import SessiondError, SessionNotFound

logger = logging.getLogger(__name__)


class FileMarks:
    """The marks in a file of sessiond's own, to which no `--root` applies."""

    def __init__(self, path: str, patience: float) -> None:
        self.path = path
        self.latest: Mapping[MarkKey, Marks] = {}
        self._patience = patience
        self._state: FileState | None = None
        self._is_unreadable = False

    async def read(self) -> Mapping[MarkKey, Marks]:
        """Return the marks; if they cannot be read, none, because lists matter more."""
        try:
            await self._refresh()
        except SessiondError as error:
            if not self._is_unreadable:
                logger.warning("sessions are listed without marks: %s", error)
            self.latest, self._state, self._is_unreadable = _same(self.latest, {}), None, True
        else:
            self._is_unreadable = False
        return self.latest

    async def _refresh(self) -> None:
        with disk.unconfined():
            status = stat_regular(self.path)
            if status is None:
                self.latest, self._state = _same(self.latest, {}), None
            elif self._state is None or not self._state.matches(status):
                began = time.time_ns()
                state, data = await workers.reading(status.st_size, _read, self.path)
                self.latest = _same(self.latest, dict(_marks_of(data.split(b"\n"))))
                self._state = state if state.would_show(began) else None

    async def change(self, keys: Sequence[MarkKey], change: MarkChange) -> list[Marks]:
        # Lists need none of them.
        from sessiond.files import flock

        with disk.unconfined():
            async with flock.beside(self.path, self._patience):
                return await workers.undisturbed(_change, self.path, keys, change)


def _same(before: Mapping[MarkKey, Marks], now: Mapping[MarkKey, Marks]) -> Mapping[MarkKey, Marks]:
    """Return the earlier marks if nothing has changed, so that comparing takes no time."""
    return before if before == now else now


def _read(path: str) -> tuple[FileState, bytes]:
    with OpenedFile(path) as (descriptor, state):
        return state, read_from(descriptor, 0)


def _marks_of(lines: Iterable[bytes]) -> Iterable[tuple[MarkKey, Marks]]:
    """Return the marks of all lines that can be read; of several for one session the last count."""
    for line in lines:
        record = _record(line)
        if record is not None:
            yield _key(record), _marks(record)


def _record(line: bytes) -> dict[str, object] | None:
    """Return the object of a line that names a session; None for any other line."""
    if not line:
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    named = (record.get("agent"), record.get("id"))
    return record if all(isinstance(each, str) for each in named) else None


def _key(record: Mapping[str, object]) -> MarkKey:
    return str(record["agent"]), str(record["id"])


def _marks(record: Mapping[str, object]) -> Marks:
    tags, changed = record.get("tags"), record.get("changed")
    words = [each for each in tags if isinstance(each, str)] if isinstance(tags, list) else []
    return Marks(
        record.get("pinned") is True,
        record.get("hidden") is True,
        tuple(sorted(set(words))),
        changed if isinstance(changed, str) else "",
    )


def _change(path: str, keys: Sequence[MarkKey], change: MarkChange) -> list[Marks]:
    """Write the changed lines, and all others as they are. Blocking; the lock is held."""
    from sessiond.files import journal

    data = b""
    with contextlib.suppress(SessionNotFound):
        data = _read(path)[1]
    lines = [line for line in data.split(b"\n") if line]
    records: dict[MarkKey, tuple[int, dict[str, object]]] = {}
    for number, line in enumerate(lines):
        record = _record(line)
        if record is not None:
            records[_key(record)] = number, record
    at, changed = iso_now(), []
    for key in keys:
        number, record = records.get(key, (len(lines), {"agent": key[0], "id": key[1]}))
        marks = change.apply(_marks(record), at)
        # A newer version may have members that this one does not know.
        record = {**record, **attrs.asdict(marks)}
        records[key] = number, record
        lines[number : number + 1] = [json.dumps(record).encode()]
        changed.append(marks)
    journal.replace(path, [line + b"\n" for line in lines], journal.FILE_MODE)
    return changed
