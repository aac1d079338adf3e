"""Read from a session file what its copy in the store does not have yet. Blocking."""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import blake2b

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.files import disk
from sessiond.files.identity import FileState, OpenedFile, chunks, read_from, stat_regular
from sessiond.runtime.isolation import Faults

PART_BYTES = 2 * 1024 * 1024
"""Bytes of lines that are stored in one call; a line may be longer."""


@attrs.frozen
class CopiedBytes:
    """How much of a file is copied."""

    size: int
    """Bytes of the file that are copied."""
    ended: bool
    """Whether these bytes end with a newline."""
    tail: bytes
    """Digest of these bytes; the file has only grown if it is still the same."""
    state: FileState | None
    """The state of the file when they were read, if they were all of it."""
    is_certain: bool
    """Whether any change of the file since then alters that state."""
    seen: FileState | None = attrs.field(default=None, eq=False)
    """The state of the file when the last of them were read; None: in an earlier process."""
    hashed: blake2b | None = attrs.field(default=None, eq=False)
    """The hash object that `tail` is the digest of, to go on from."""


@attrs.frozen
class FilePart:
    """The next bytes of a file to copy."""

    replaces: bool
    """Whether they begin the file, and all that is stored of it is out of date."""
    data: bytes
    reached: CopiedBytes
    """How much is copied once they are stored."""
    more: bool
    """Whether the file has more complete lines."""
    torn: bool
    """Whether a line without newline was left out, because it may still grow."""

    @property
    def is_new(self) -> bool:
        return bool(self.data) or self.replaces


def next_part(path: str, copied: CopiedBytes | None, *, settled: bool) -> FilePart | None:
    """The next part of a file, or None if it certainly has not changed since it was copied.

    With `settled` a last line without newline is copied, too. Raises SessionNotFound, ReadFailed.
    """
    looked_at = time.time_ns()
    with OpenedFile(path) as (descriptor, state):
        if copied is not None and copied.is_certain and copied.state == state:
            return None
        hashed = None if copied is None else _continued(descriptor, copied, state)
        grown = hashed is not None
        start = copied.size if copied is not None and grown else 0
        data = _lines(descriptor, start, state.size)
        whole = len(data) if start + len(data) < state.size or settled else data.rfind(b"\n") + 1
        torn = whole < len(data)
        # A newline alone ends the last line; with others it is the beginning of what follows.
        data = data[:whole]
        end = start + len(data)
        at_end = end == state.size
        hashed = _hashed() if hashed is None else hashed.copy()
        hashed.update(data)
        reached = CopiedBytes(
            size=end,
            ended=data.endswith(b"\n") if data else copied is not None and copied.ended,
            tail=hashed.digest(),
            state=state if at_end else None,
            is_certain=at_end and state.would_show(looked_at),
            seen=state,
            hashed=hashed,
        )
        return FilePart(not grown, data, reached, more=not at_end and not torn, torn=torn)


def compared(
    scope: SessionScope, states: Mapping[str, FileState | None]
) -> tuple[set[str], list[str], bool]:
    """The real paths of a scope's files, the names of those that are not in the known state, and
    whether all directories could be read. `states` are by real path; None, or none: to be compared.
    """
    faults = Faults()
    changes, changed = set(), []
    for path in scope.files(faults):
        with faults.isolate(path):
            real = disk.realpath(path)
            changes.add(real)
            file_state = stat_regular(real)
            state = states.get(real)
            if file_state is None or state is None or not state.matches(file_state):
                changed.append(path)
    return changes, changed, not list(faults)


def _continued(descriptor: int, copied: CopiedBytes, state: FileState) -> blake2b | None:
    """Return what the copied bytes hash to if the file has only grown since, by whole lines.

    None if it has changed otherwise. All copied bytes are compared, unless the file has not been
    written to since the last of them were read.
    """
    if state.size == copied.size:
        # Written to, although it has not grown.
        if copied.state is not None and copied.state.mtime_ns != state.mtime_ns:
            return None
    elif state.size < copied.size or not (
        copied.ended or read_from(descriptor, copied.size, copied.size + 1) == b"\n"
    ):
        return None
    if copied.hashed is not None and copied.seen == state and copied.state is None:
        return copied.hashed
    hashed = _hashed()
    for chunk in chunks(descriptor, 0, copied.size):
        hashed.update(chunk)
    return hashed if hashed.digest() == copied.tail else None


def _hashed() -> blake2b:
    return blake2b(digest_size=16)


def _lines(descriptor: int, start: int, end: int) -> bytes:
    """Complete lines of about PART_BYTES; at the end of the file also what has no newline."""
    parts: list[bytes] = []
    for chunk in chunks(descriptor, start, end):
        parts.append(chunk)
        size = sum(map(len, parts))
        if size >= PART_BYTES and start + size < end and b"\n" in chunk:
            data = b"".join(parts)
            return data[: data.rfind(b"\n") + 1]
    return b"".join(parts)
