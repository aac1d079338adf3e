"""Read the texts of a session that can be searched, and their places in the file."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator

import attrs

from sessiond.agents.sessions import opened_session
from sessiond.catalog.line_blocks import is_long_line, line_blocks
from sessiond.files import reading
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, read_from
from sessiond.format.entries import CONVERSATION_ROLES, MESSAGE
from sessiond.format.line import parse_line, text_of
from sessiond.format.line_texts import MessageText, texts_of
from sessiond.text.safe import without_sequences

Alive = Callable[[], None]
"""Called regularly by long work; raises when the result is no longer wanted."""

Screen = Callable[[bytes], bool]
"""Tells whether bytes may hold a text; see `search/screen.py`."""


@attrs.define
class MessageReader:
    """Iterates over the messages of a part of an open file, and updates `offset`."""

    descriptor: int
    offset: int
    end: int
    screen: Screen | None = None
    """Whether bytes may contain a wanted message; other blocks and lines are skipped."""
    alive: Alive = lambda: None
    """Called for every block that is read."""
    everything: bool = False
    """Whether to read all fields, and not only what was said."""
    unended: bool = False
    """Whether the last message is in a line without newline, which may still grow."""

    def __iter__(self) -> Iterator[MessageText]:
        accepts = self.screen or (lambda _: True)
        for block in line_blocks(self.descriptor, self.offset, self.end, self.alive):
            if block.endswith(b"\n") and not accepts(block):
                self.offset += len(block)
                continue
            *whole, rest = [block, b""] if is_long_line(block) else block.split(b"\n")
            for line in whole:
                start = self.offset
                self.offset += len(line) + (not line.endswith(b"\n"))
                if line and accepts(line):
                    yield from self._texts(start, line)
            texts = self._texts(self.offset, rest) if rest else []
            self.unended = bool(texts)
            yield from texts

    def _texts(self, start: int, line: bytes) -> list[MessageText]:
        if self.everything:
            return texts_of(start, line)
        message = message_of(start, line)
        return [] if message is None else [message]


def message_of(start: int, raw: bytes) -> MessageText | None:
    # Most lines are tool results; this check skips them without decoding.
    if b'"user"' not in raw and b'"assistant"' not in raw and b"\\u" not in raw:
        return None
    line = parse_line(raw)
    if line is None or line.type != MESSAGE or line.message is None:
        return None
    role = line.message.role
    if role is None or role not in CONVERSATION_ROLES:
        return None
    text = without_sequences(text_of(line.message.content))
    return MessageText(start, len(raw), role, text, line.id or "") if text else None


def read_messages(
    path: str,
    screen: Screen | None = None,
    alive: Alive = lambda: None,
    *,
    everything: bool = False,
) -> Iterator[MessageText]:
    """The messages with text of a session file; with `screen`, those that pass it.

    With `everything` all texts that can be searched. Raises ReadFailed, SessionNotFound, OSError,
    and what `alive` raises.
    """
    with opened_session(path) as (descriptor, _, end):
        yield from MessageReader(descriptor, 0, end, screen, alive, everything)


@functools.lru_cache(256)
def beside_branch(path: str, _state: FileState) -> frozenset[str]:
    """The ids of the entries that are not on the branch that a session is opened at. Blocking.

    Kept for each state of a file, because they are mostly none. Raises ReadFailed and
    SessionNotFound.
    """
    with opened_session(path) as session:
        contents = reading.read_open(*session).contents
    return frozenset() if contents is None else beside(contents)


def beside(contents: Contents) -> frozenset[str]:
    """The ids of the entries that are not on the branch that these contents are opened at."""
    tree = contents.tree
    return frozenset(tree.by_id).difference(entry.id for entry in tree.branch(tree.leaf_id))


Place = tuple[int, int, int]
"""Where a text is: start and length of its line in bytes, and its number in the line."""


def read_at(path: str, state: FileState, places: Iterable[Place]) -> list[tuple[str, MessageText]]:
    """Entry ids and texts at `places`; empty if the file no longer has `state`.

    Raises ReadFailed, SessionNotFound, OSError.
    """
    with opened_session(path) as (descriptor, now, _):
        if now != state:
            return []
        messages = []
        for start, length, part in places:
            texts = texts_of(start, read_from(descriptor, start, start + length))
            messages += [(each.entry_id, each) for each in texts if each.part == part]
        return messages
