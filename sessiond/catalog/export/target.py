"""Exports of sessions: the formats, and putting one into a file. Blocking, on values."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator

from sessiond.catalog.discover import read_header
from sessiond.catalog.export.html import html
from sessiond.catalog.export.jsonl import jsonl
from sessiond.catalog.export.markdown import markdown
from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.errors import AlreadyExists, ReadFailed, WriteFailed
from sessiond.files import disk, journal
from sessiond.files.identity import stat_regular
from sessiond.jsontext.spans import Buffer, js_string

FORMATS: dict[str, Callable[[SessionSnapshot], Iterator[bytes]]] = {
    "html": html,
    "markdown": markdown,
    "jsonl": jsonl,
}
"""What makes the parts of an export; each part is UTF-8 by itself."""


def content(snapshot: SessionSnapshot, wanted: str) -> list[Buffer]:
    """The export as a JSON string, in parts."""
    parts: list[Buffer] = [b'"']
    # Part by part: encoding many megabytes is one step of the interpreter, and the event loop
    # would wait for it although this is a worker.
    parts += (js_string(part.decode())[1:-1] for part in FORMATS[wanted](snapshot))
    parts.append(b'"')
    return parts


def write(snapshot: SessionSnapshot, wanted: str, path: str) -> None:
    """Put the export into a file; see `place`."""
    place(path, FORMATS[wanted](snapshot))


def place(path: str, parts: Iterable[Buffer]) -> None:
    """Write a whole file under `path`, complete or not at all, with missing directories (0700).

    A new file has mode 0600. One that is there is replaced and its mode kept; but a session is
    never replaced, wherever it lies: raises AlreadyExists. Raises WriteFailed if the file cannot be
    written or what is there is no regular file.
    """
    try:
        seen = stat_regular(path)
        if seen is None:
            journal.create(path, parts)
            return
        # What cannot be read may be a session.
        is_session = read_header(path) is not None
    except ReadFailed as error:
        reason = OSError(error.data["errno"], error.data["strerror"])
        raise WriteFailed(path, reason) from None
    if is_session:
        raise AlreadyExists(path)
    journal.replace(path, parts, stat.S_IMODE(seen.st_mode))


def is_taken(path: str, opened: Iterable[str]) -> bool:
    """Whether `path` leads to one of these files, which need not exist yet."""
    target = disk.realname(path)
    return any(disk.realname(other) == target for other in opened)


__all__ = ["FORMATS", "content", "is_taken", "place", "write"]
