"""The source of an entry: records on disk, as the agent wrote them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator

import attrs

from sessiond.agents.zstd import unpacked
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, chunks, read_from
from sessiond.text.parts import members_of_line, string_of
from sessiond.text.spans import js_string

PACKED = ".zst"
"""The ends of the names of files that are compressed with zstd."""


@attrs.frozen
class Record:
    """A line of a file or a row of a database."""

    path: str
    size: int
    """Its length in bytes."""
    data: bytes
    """Its beginning, at most as long as was asked for."""
    line: int | None = None
    """The number of the line, from 1; None: it is no line of a file."""
    offset: int | None = None
    """The bytes of the file before the line; None: they are compressed, or it is no line."""

    @property
    def text(self) -> str:
        """The data as text, without half a character at its end; wrong bytes become U+FFFD."""
        return codecs.getincrementaldecoder("utf-8")("replace").decode(
            self.data, final=len(self.data) == self.size
        )


def file_record(path: str, most: int) -> Record:
    """Return a whole file as a record, with at most `most` bytes of it. Blocking.

    Raises SessionNotFound and ReadFailed.
    """
    with OpenedFile(path) as (descriptor, state):
        return Record(path, state.size, read_from(descriptor, 0, min(most, state.size)))


def directories_below(directory: str) -> Iterator[str]:
    """Yield a directory and all below it, if there are any; links to directories are not followed.

    Raises OSError.
    """
    pending = [directory] if disk.isdir(directory) else []
    while pending:
        place = pending.pop()
        yield place
        names = sorted(disk.listdir(place), reverse=True)
        below = [f"{place}/{name}" for name in names if "." not in name]
        pending += [path for path in below if disk.isdir(path) and not disk.islink(path)]


def is_entry(line: bytes, entry_id: str) -> bool:
    """Return whether a line is the entry with this id."""
    if js_string(entry_id) not in line and b"\\u" not in line:
        return False
    members = members_of_line(line)
    return members is not None and string_of(members.get("id")) == entry_id


def find_lines(
    path: str, entry_id: str, most: int, translate: Callable[[bytes], Iterable[bytes]]
) -> list[Record]:
    """Return the lines of a file whose translation has the entry, in their order. Blocking.

    Raises SessionNotFound and ReadFailed.
    """
    records: list[Record] = []
    offset = 0
    is_packed = path.endswith(PACKED)
    with OpenedFile(path) as (descriptor, state):
        lines = lines_of(path, descriptor, 0, state.size, with_rest=True)
        for number, line in enumerate(lines, 1):
            if any(is_entry(each, entry_id) for each in translate(line)):
                place = None if is_packed else offset
                records.append(Record(path, len(line), line[:most], number, place))
            offset += len(line) + 1
    return records


def lines_of(
    path: str, descriptor: int, start: int, end: int, *, with_rest: bool = False
) -> Iterator[bytes]:
    """Yield the lines of a part of a file without their line feeds.

    Of a compressed file, which never grows, these are all lines or none. The rest is what follows
    the last line feed, which may be a line that is still being written.
    """
    if not path.endswith(PACKED):
        pieces = chunks(descriptor, start, end)
    else:
        pieces = iter(()) if start else unpacked(path, descriptor)
    pending: list[bytes] = []
    for chunk in pieces:
        first, *others = chunk.split(b"\n")
        pending.append(first)
        for other in others:
            yield b"".join(pending)
            pending = [other]
    if with_rest and any(pending):
        yield b"".join(pending)
