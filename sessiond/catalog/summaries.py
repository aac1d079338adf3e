"""Summarise session files for lists: one pass that decodes only what a list shows.

The rules are those of pi 1.6.0's session selector. Files are never changed. If a file has grown,
only the new part is read.
"""

from __future__ import annotations

import math

import msgspec

from sessiond.agents.sessions import header_at, opened_session
from sessiond.catalog.discover import first_header
from sessiond.catalog.growing import Lines, has_grown
from sessiond.catalog.line_blocks import is_long_line
from sessiond.catalog.usage.count import UsageCounter
from sessiond.files.identity import FileState, Home, read_from
from sessiond.format.describe.metadata import split_metadata
from sessiond.format.describe.usage_line import usage_of_line
from sessiond.format.entries import CONVERSATION_ROLES, MESSAGE, NAMING
from sessiond.format.header import Header
from sessiond.format.line import (
    Line,
    Message,
    is_unanswered,
    listed_time,
    name_of,
    parse_line,
    parse_lines,
    text_of,
)
from sessiond.text.dates import parse_js_date

NO_MESSAGES = "(no messages)"
"""Shown as first message of a session without user text, as in pi."""


_BEGINNING = 4096


class Summary(msgspec.Struct, array_like=True, gc=False):
    """One session as a list shows it. Times are epoch milliseconds.

    A msgspec struct, which a kept list is decoded to without a call of Python for each of thousands
    of files. `date` must be called before `created` and `modified` are used.
    """

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
    """Their checksum; the file has only grown if it is still the same."""

    directories: list[str] = []
    """Further directories in which the session has worked."""
    moved_to: str | None = None
    """The directory to which the session was moved; None: that of the header."""

    is_unanswered: bool = False
    """Whether the last message waits for a model or a tool: a prompt, a call or a result."""

    home: Home | None = None
    """Where the session is written, if this is a copy in a store; None: here."""

    created: float = math.nan
    """The header's time if it is valid, else the file's modification time."""
    modified: float = math.nan
    """Time of the latest user or assistant message, else `created`."""

    @property
    def cwd(self) -> str | None:
        """The directory in which the session is continued; None: the header has none."""
        return self.moved_to or self.header.cwd

    @property
    def used(self) -> float:
        """When the session was last used: a fork without an own message, when it was created.

        `modified` is the time of a message that the fork copied, as in pi's lists.
        """
        is_fork = self.header.parent_session is not None and self.header.subagent is None
        return max(self.modified, self.created) if is_fork else self.modified

    def date(self) -> None:
        """Set `created` and `modified` from the values read; both are always numbers."""
        began = parse_js_date(self.header.timestamp)
        self.created = began if began is not None else self.state.mtime_ns / 1e6
        self.modified = self.latest if self.latest > 0 else self.created


def summarise(
    path: str, *, with_text: bool = False, counter: UsageCounter | None = None
) -> Summary | None:
    """Read and summarise a session file; None if it is not a session.

    A `counter` counts its usage in the same reading. Raises ReadFailed, SessionNotFound and
    OSError.
    """
    with opened_session(path, is_brief=not with_text) as (descriptor, state, end):
        header = _header(descriptor, end)
        if header is None:
            return None
        summary = Summary(
            path,
            header_at(path, header),
            state,
            name=header.title or None,
            texts=[] if with_text else None,
        )
        # The header is read again with the block that it begins: it adds nothing to a summary.
        return _go_on(summary, Lines(descriptor, 0, end), counter)


def _header(descriptor: int, size: int) -> Header | None:
    beginning = read_from(descriptor, 0, min(size, _BEGINNING))
    first, newline, _ = beginning.partition(b"\n")
    if newline and first.startswith(b"{"):
        # Nearly always this is the header, and nothing else of the file need be read twice.
        header = first_header(iter([first]))
        if header is not None:
            return header
    return first_header(iter(Lines(descriptor, 0, size)))


def resume(before: Summary) -> Summary | None:
    """The current summary of the same path; if the file only grew, reads only the new part.

    Returns `before` itself if the file is unchanged. Raises as `summarise` does.
    """
    with opened_session(before.path, before, is_brief=before.texts is None) as (
        descriptor,
        state,
        end,
    ):
        if before.state == state:
            return before
        if has_grown(before, descriptor, state):
            texts = None if before.texts is None else list(before.texts)
            summary = msgspec.structs.replace(before, state=state, texts=texts)
            return _go_on(summary, Lines(descriptor, before.offset, end, before.tail))
    return summarise(before.path, with_text=before.texts is not None)


def _go_on(summary: Summary, lines: Lines, counter: UsageCounter | None = None) -> Summary:
    for block in lines.blocks():
        if block.endswith(b"\n") and not is_long_line(block):
            parsed = parse_lines(block)
        else:
            line = parse_line(block)
            parsed = [] if line is None else [line]
        take_lines(summary, parsed)
        if counter is not None:
            for each in parsed:
                usage = usage_of_line(each)
                if usage is not None:
                    counter.add(usage)
    summary.date()
    summary.offset = lines.offset
    summary.unended = lines.unended
    summary.tail = lines.tail()
    return summary


def take_lines(summary: Summary, lines: list[Line]) -> None:
    """Add what lines after the header say; afterwards the summary must be dated."""
    count, latest = 0, summary.latest
    last: Message | None = None
    for line in lines:
        if line.type != MESSAGE:
            if line.type in NAMING:
                summary.name = name_of(line)
            elif line.works_in is not None:
                summary.directories = [*summary.directories, line.works_in]
                summary.moved_to = line.moved_to or summary.moved_to
            continue
        count += line.part_of is None
        message = last = line.message
        if message is None or message.role not in CONVERSATION_ROLES:
            continue
        at = listed_time(message, line)
        latest = max(latest, at)
        if summary.texts is not None or (not summary.first_message and message.role == "user"):
            _take_text(summary, message)
    summary.message_count += count
    summary.latest = latest
    if last is not None:
        summary.is_unanswered = is_unanswered(last)


def _take_text(summary: Summary, message: Message) -> None:
    text = text_of(message.content)
    if text and summary.texts is not None:
        summary.texts.append(text)
    if not summary.first_message and message.role == "user":
        summary.first_message = split_metadata(text)[1]
