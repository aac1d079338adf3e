"""Summarise session files for lists: one pass that decodes only what a list shows.

The rules are those of pi 1.5.2's session selector. Files are never changed. If a file has grown,
only the new part is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import attrs

from sessiond.catalog.discover import first_header
from sessiond.catalog.message_line import activity, name_of, parse_line, text_of
from sessiond.files import journal
from sessiond.files.identity import FileState, open_regular
from sessiond.files.line_blocks import is_long_line, line_blocks
from sessiond.format.header import Header
from sessiond.jsontext.dates import parse_js_date

NO_MESSAGES = "(no messages)"
"""Shown as first message of a session without user text, as in pi."""

_TAIL_BYTES = 1024


@attrs.define
class Summary:
    """One session as a list shows it. Times are epoch milliseconds."""

    path: str
    header: Header
    state: FileState
    name: str | None = None
    message_count: int = 0
    first_message: str = ""
    latest: float = 0.0
    """Time of the latest user or assistant message; 0 if there are none."""
    texts: list[str] | None = None
    """Text of every user and assistant message; None if not requested."""
    offset: int = 0
    """Length of the summarised whole lines in bytes."""
    unended: bool = False
    """Whether a last line without newline is included, which may still grow."""
    tail: bytes = b""
    """The last of those bytes; the file has only grown if they are still the same."""

    created: float = attrs.field(init=False)
    """The header's time if it is valid, else the file's modification time."""
    modified: float = attrs.field(init=False)
    """Time of the latest user or assistant message, else `created`."""

    def __attrs_post_init__(self) -> None:
        self.date()

    def date(self) -> None:
        """Set `created` and `modified` from the values read; both are always numbers."""
        began = parse_js_date(self.header.timestamp)
        self.created = began if began is not None else self.state.mtime_ns / 1e6
        self.modified = self.latest if self.latest > 0 else self.created


def summarise(path: str, *, with_text: bool = False) -> Summary | None:
    """Read and summarise a session file; None if it is not a session.

    Raises ReadFailed, SessionNotFound and OSError.
    """
    descriptor = open_regular(path)
    try:
        state = FileState.of(os.fstat(descriptor))
        lines = _Lines(descriptor, 0, state.size)
        header = first_header(iter(lines))
        if header is None:
            return None
        summary = Summary(path, header, state, texts=[] if with_text else None)
        return _go_on(summary, lines)
    finally:
        os.close(descriptor)


def resume(known: Summary) -> Summary | None:
    """The current summary of the same path; if the file only grew, reads only the new part.

    Returns `known` itself if the file is unchanged. Raises as `summarise` does.
    """
    descriptor = open_regular(known.path)
    try:
        seen = os.fstat(descriptor)
        if known.state.matches(seen):
            return known
        state = FileState.of(seen)
        start = known.offset - len(known.tail)
        grown = (
            not known.unended
            and state.key == known.state.key
            and state.size > known.state.size
            and journal.read_from(descriptor, start, known.offset) == known.tail
        )
        if grown:
            texts = None if known.texts is None else list(known.texts)
            summary = attrs.evolve(known, state=state, texts=texts)
            return _go_on(summary, _Lines(descriptor, known.offset, state.size))
    finally:
        os.close(descriptor)
    return summarise(known.path, with_text=known.texts is not None)


class _Lines:
    """Iterates over the lines of a part of a file; `offset` is the end of the last whole line."""

    def __init__(self, descriptor: int, start: int, end: int) -> None:
        self.descriptor = descriptor
        self.offset = start
        self.unended = False
        self._lines = self._read(start, end)

    def __iter__(self) -> Iterator[bytes]:
        return self._lines

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        for block in line_blocks(self.descriptor, start, end):
            if is_long_line(block):
                self.offset += len(block)
                yield block
                continue
            *whole, rest = block.split(b"\n")
            for line in whole:
                self.offset += len(line) + 1
                yield line
            if rest:
                self.unended = True
                yield rest


def _go_on(summary: Summary, lines: _Lines) -> Summary:
    for raw in lines:
        _take(summary, raw)
    summary.date()
    summary.offset = lines.offset
    summary.unended = lines.unended
    start = max(0, lines.offset - _TAIL_BYTES)
    summary.tail = journal.read_from(lines.descriptor, start, lines.offset)
    return summary


def _take(summary: Summary, raw: bytes) -> None:
    line = parse_line(raw) if raw else None
    if line is None:
        return
    if line.type == "session_info":
        summary.name = name_of(line)
    if line.type != "message":
        return
    summary.message_count += 1
    message = line.message
    if message is None or message.role not in {"user", "assistant"}:
        return
    summary.latest = max(summary.latest, activity(message, line))
    wanted = summary.texts is not None
    if not wanted and (summary.first_message or message.role != "user"):
        return
    text = text_of(message.content)
    if text and wanted and summary.texts is not None:
        summary.texts.append(text)
    if text and not summary.first_message and message.role == "user":
        summary.first_message = text
