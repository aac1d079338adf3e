"""Write what a replica lacks into its files.

Agents write to the same files without locks. A rewrite carries what they append meanwhile
(`journal.rewrite`). An append could come after a line that an agent has just written, and would
then take its leaf: so the size is compared afterwards, and the lines are moved if that happened.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence

from sessiond.files import disk, journal
from sessiond.files.flock import rewriting
from sessiond.files.identity import FileState, read_from
from sessiond.files.own_writes import OWN_WRITES
from sessiond.format.load import NotASession
from sessiond.runtime.errors import InvalidSessionFile, ReadFailed, SessionNotFound, WriteFailed
from sessiond.sync.union import EntryLine, Union, unite_file
from sessiond.text.spans import Buffer

_UNFINISHED_SECONDS = 2.0
"""An incomplete last line that is older was left by a crash, and nobody will complete it."""


async def write_union(path: str, incoming: Sequence[EntryLine], patience: float) -> Union:
    """Write the entries that a session file lacks; return what was written.

    What other programs append meanwhile is kept, and stays last. `patience`: how many seconds to
    wait for the lock. Raises SessionNotFound, InvalidSessionFile, Busy, ReadFailed and WriteFailed;
    the file is unchanged then, but for a blank line if there was no space.
    """

    def work(descriptor: int) -> Union:
        try:
            return _write(path, descriptor, incoming)
        except NotASession as error:
            raise InvalidSessionFile(path, error.line) from None

    try:
        return await rewriting(path, patience, work)
    except FileNotFoundError:
        raise SessionNotFound(path) from None


def _write(path: str, descriptor: int, incoming: Sequence[EntryLine]) -> Union:
    data, age = _read(path, descriptor)
    united = unite_file(data, incoming)
    if united.is_same:
        return united.union
    if united.is_torn and united.union.appended and age < _UNFINISHED_SECONDS:
        reason = "its last line is incomplete; another program may be writing it"
        raise WriteFailed(path, OSError(errno.EAGAIN, reason))
    if united.only_appends:
        addition = united.addition
        if _append(path, descriptor, len(data), addition):
            return united.union
        # The lines of the other program must stay last: take ours out, and unite again.
        return _rewrite(path, descriptor, incoming, (len(data), addition))
    return _rewrite(path, descriptor, incoming)


def _read(path: str, descriptor: int) -> tuple[bytes, float]:
    """Return the bytes of a file, and the seconds since it was written."""
    try:
        age = time.time() - os.fstat(descriptor).st_mtime
        return read_from(descriptor, 0), abs(age)
    except OSError as error:
        raise ReadFailed(path, error) from None


def _append(path: str, descriptor: int, size: int, addition: bytes) -> bool:
    """Append to the locked file; return whether nothing else was appended at the same time."""
    before = FileState.of(os.fstat(descriptor))
    status = journal.append(path, descriptor, addition)
    if FileState.of(disk.stat(path)).key != before.key:
        raise journal.Replaced
    if status.st_size != size + len(addition):
        return False
    OWN_WRITES.note(before, status)
    return True


def _rewrite(
    path: str,
    descriptor: int,
    incoming: Sequence[EntryLine],
    appended: tuple[int, bytes] = (0, b""),
) -> Union:
    """Unite the file with its entries by writing a new one; `appended`: bytes to take out first."""
    start, addition = appended
    union: Union | None = None

    def render(pieces: Sequence[Buffer]) -> list[Buffer]:
        nonlocal union
        data = b"".join(pieces)
        at = data.find(addition, start) if addition else -1
        if at >= 0:
            data = data[:at] + data[at + len(addition) :]
        united = unite_file(data, incoming)
        union = union or united.union
        return [united.data]

    journal.rewrite(path, descriptor, render)
    assert union is not None, "it was rendered"  # noqa: S101
    return union


async def continue_bytes(path: str, content: bytes, tail: bytes, patience: float) -> None:
    """Append `tail` to a file whose bytes are `content`. Raises WriteFailed if it has others now.

    For a file that only its agent writes. Raises SessionNotFound, Busy and ReadFailed, too.
    """

    def work(descriptor: int) -> None:
        if _read(path, descriptor)[0] != content:
            raise WriteFailed(path, OSError(errno.EAGAIN, "it has changed meanwhile"))
        _append(path, descriptor, len(content), tail)

    try:
        await rewriting(path, patience, work)
    except FileNotFoundError:
        raise SessionNotFound(path) from None
