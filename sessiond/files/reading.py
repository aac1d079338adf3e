"""Blocking functions that read session files: a whole file, or the bytes appended since."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from operator import itemgetter

import attrs

from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, OpenedFile, chunks, read_from
from sessiond.format.load import BOM, JSON_SPACE, TITLE_SLOT, Loaded, Loader, NotASession
from sessiond.runtime.limits import TAIL_BYTES
from sessiond.text.spans import js_trim


@attrs.frozen
class Reading:
    """The result of reading a whole file.

    `state` was taken before the first byte was read, so the next comparison shows every later
    change.
    """

    state: FileState
    contents: Contents | None
    """None for an empty file and for a file that is not a session."""
    bad_line: int = 0
    """The line that proves that the file is not a session; 0 if it may be one."""
    same: bool = False
    """Whether the session equals the one it was compared with."""
    continues: bool = False
    """Whether it equals that one or only has more lines after it."""


@attrs.frozen
class Growth:
    """The lines appended to a file, and its last bytes up to the end of its complete lines."""

    state: FileState
    loaded: Loaded
    tail: bytes
    is_compared: bool
    """Whether all bytes before them were compared, and not only the last ones."""


def read(path: str, before: Contents | None = None) -> Reading:
    """Read a whole file and compare it with the `before` contents.

    Raises SessionNotFound and ReadFailed.
    """
    with OpenedFile(path) as (descriptor, state):
        reading = read_open(descriptor, state, state.size)
    if before is None or reading.contents is None:
        return reading
    same = reading.contents.same_as(before)
    return attrs.evolve(reading, same=same, continues=same or reading.contents.continues(before))


def read_open(descriptor: int, state: FileState, end: int) -> Reading:
    """Read the first `end` bytes of an open file as a session."""
    loader = Loader()
    try:
        for chunk in chunks(descriptor, 0, end):
            loader.feed(chunk)
        loaded = loader.finish()
    except NotASession as error:
        return Reading(state, None, bad_line=error.line)
    if loaded.header is None:
        return Reading(state, None)
    tail = read_from(descriptor, max(0, loaded.offset - TAIL_BYTES), loaded.offset)
    return Reading(state, Contents.of(loaded, tail))


def begins_with(path: str, loaded: Loaded, inode: tuple[int, int]) -> bool | None:
    """Whether the file still begins with all lines that are known of it; None if it is another one.

    Raises SessionNotFound and ReadFailed.
    """
    with OpenedFile(path) as (descriptor, state):
        if state.key != inode:
            return None
        if state.size < loaded.offset:
            return False
        ahead = _known_lines(loaded)
        number, raw = next(ahead)
        for at, line in enumerate(_lines(descriptor, loaded.offset), 1):
            if at < number or not number:
                # Blank lines are not kept.
                if line.strip(JSON_SPACE) and js_trim(line.decode(errors="replace")):
                    return False
            elif raw not in (None, line, line.strip(JSON_SPACE), line.removeprefix(BOM)):
                return False
            else:
                number, raw = next(ahead)
        return not number


def _known_lines(loaded: Loaded) -> Iterator[tuple[int, bytes | None]]:
    """The lines in the order of the file, each with its number, and 0 after the last one.

    A title that is rewritten in place is None: what follows it is the same.
    """
    yield from merge(
        ((bad.line, None if bad.kind == TITLE_SLOT else bad.raw) for bad in loaded.bad),
        ((loaded.header_number, loaded.header_line),),
        ((each.line, loaded.raw_lines.get(each.line, each.raw)) for each in loaded.entries),
        key=itemgetter(0),
    )
    yield 0, b""


def _lines(descriptor: int, end: int) -> Iterator[bytes]:
    """The lines of a file up to `end`; the last one may have no line feed."""
    pending: list[bytes] = []
    for chunk in chunks(descriptor, 0, end):
        head, feed, rest = chunk.rpartition(b"\n")
        if feed:
            yield from b"".join((*pending, head)).split(b"\n")
            pending = []
        pending.append(rest)
    if any(pending):
        yield b"".join(pending)


def read_growth(path: str, before: Contents, inode: tuple[int, int]) -> Growth | None:
    """Read what was appended to the file `inode` (device and inode) after the last known line.

    None if the file changed in another way: the path names another file, or the bytes before
    differ from those read earlier. Raises SessionNotFound and ReadFailed.
    """
    with OpenedFile(path) as (descriptor, state):
        offset = before.offset
        tail = bytes(before.tail[-TAIL_BYTES:])
        if state.key != inode or state.size < offset:
            return None
        if read_from(descriptor, offset - len(tail), offset) != tail:
            return None
        loader = before.loader()
        for chunk in chunks(descriptor, offset, state.size):
            loader.feed(chunk)
        loaded = loader.finish()
        if loaded.glued:
            return None
        end = offset + loaded.offset
        added = read_from(descriptor, max(offset, end - TAIL_BYTES), end)
    return Growth(state, loaded, added, is_compared=len(tail) == offset)
