"""Titles and last messages of sessions, from their entries and both ends of their transcripts."""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sessiond.agents.sessions import opened_session, stat_session
from sessiond.errors import PathNotAllowed, ReadFailed, SessionNotFound
from sessiond.files.identity import FileState
from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.keys.identity import trim
from sessiond.jsontext.javascript import utf16_head, utf16_length
from sessiond.jsontext.spans import JS_SPACES, loads

HEAD_BYTES = 8192
TAIL_BYTES = 16_384
_HEAD_LINES = 10
_TAIL_LINES = 20
_LONGEST = 60
_WORD_FROM = 36
"""A title is cut at a space only if the space comes after this many characters."""
_ID_LENGTH = 8

# Tuples and not sets, because values in a file may not be hashable.
_SPEAKERS = ("user", "assistant")
_TEXTS = ("text", "input_text", "output_text")

_LINE = re.compile(rb"\r?\n")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def title(entry: StoreEntry, first_text: str | None) -> str | None:
    """The title: the entry's name or subject, else the first user message, else its id and day."""
    named = _named(entry)
    if named:
        return named
    said = trim(JS_SPACES.sub(" ", first_text or ""))
    if said:
        return _shortened(said)
    session_id = entry.string("sessionId")
    return _id_and_day(session_id, entry.number("updatedAt")) if session_id else None


def needs_transcript(entry: StoreEntry) -> bool:
    """Whether the title depends on the first user message."""
    return not _named(entry)


def _named(entry: StoreEntry) -> str:
    return trim(entry.string("displayName") or "") or trim(entry.string("subject") or "")


def _shortened(text: str) -> str:
    if utf16_length(text) <= _LONGEST:
        return text
    cut = utf16_head(text, _LONGEST - 1)
    at = cut.rfind(" ")
    return (cut[:at] if at >= 0 and utf16_length(cut[:at]) > _WORD_FROM else cut) + "…"


def _id_and_day(session_id: str, updated_at: float | None) -> str:
    prefix = utf16_head(session_id, _ID_LENGTH)
    if updated_at is None or updated_at <= 0:
        return prefix
    try:
        day = _EPOCH + timedelta(milliseconds=updated_at)
    except OverflowError:
        return prefix
    return f"{prefix} ({day:%Y-%m-%d})"


def first_user_text(head: bytes) -> str | None:
    """The text of the first user message, from the first bytes of a transcript.

    Messages that another session sent in the user's place are skipped.
    """
    for message in _messages(_LINE.split(head)[:_HEAD_LINES]):
        if message.get("role") == "user" and not _is_from_session(message):
            text = _text_of(message.get("content"))
            if text is not None:
                return text
    return None


def last_text(tail: bytes) -> str | None:
    """The text of the last user or assistant message, from the last bytes of a transcript."""
    lines = [line for line in _LINE.split(tail) if line.strip()]
    for message in _messages(reversed(lines[-_TAIL_LINES:])):
        if message.get("role") in _SPEAKERS:
            text = _text_of(message.get("content"))
            if text is not None:
                return text
    return None


def _messages(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The message of each line that has one.

    The first and the last line of a part of a file may be incomplete. Lines that are not JSON are
    passed over, and bytes that are not UTF-8 become U+FFFD.
    """
    for line in lines:
        try:
            entry = loads(line.decode(errors="replace").encode())
        except ValueError:
            continue
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(message, dict):
            yield message


def _is_from_session(message: dict[str, Any]) -> bool:
    provenance = message.get("provenance")
    return isinstance(provenance, dict) and provenance.get("kind") == "inter_session"


def _text_of(content: object) -> str | None:
    """The text of a message: the content itself, or its first text part that is not blank."""
    if isinstance(content, str):
        return trim(content) or None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in _TEXTS:
            text = part.get("text")
            if isinstance(text, str) and trim(text):
                return trim(text)
    return None


End = Literal["first", "last"]
_MOST = 5000


class TranscriptEnds:
    """First and last messages of transcripts, cached for those that were asked for last.

    Methods block. They may be called in any thread.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._known: OrderedDict[tuple[str, End], tuple[FileState, str | None]] = OrderedDict()
        self._lock = threading.Lock()

    def first(self, paths: Iterable[str]) -> str | None:
        """The first user message in the first of these files that exists."""
        return self._look(paths, "first")

    def last(self, paths: Iterable[str]) -> str | None:
        """The last message in the first of these files that exists."""
        return self._look(paths, "last")

    def _look(self, paths: Iterable[str], end: End) -> str | None:
        for path in paths:
            try:
                seen = stat_session(path)
                if seen is not None:
                    return self._read(path, seen, end)
            except (ReadFailed, SessionNotFound, PathNotAllowed):
                continue
        return None

    def _read(self, path: str, seen: os.stat_result, end: End) -> str | None:
        with self._lock:
            known = self._known.get((path, end))
            if known is not None and known[0].matches(seen):
                self._known.move_to_end((path, end))
                return known[1]
        state, text = _READERS[end](path)
        with self._lock:
            self._known[path, end] = state, text
            self._known.move_to_end((path, end))
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return text


def _first(path: str) -> tuple[FileState, str | None]:
    state, head = _bytes(path, HEAD_BYTES, at_end=False)
    return state, first_user_text(head)


def _last(path: str) -> tuple[FileState, str | None]:
    state, tail = _bytes(path, TAIL_BYTES, at_end=True)
    return state, last_text(tail)


_READERS: dict[End, Callable[[str], tuple[FileState, str | None]]] = {
    "first": _first,
    "last": _last,
}


def _bytes(path: str, most: int, *, at_end: bool) -> tuple[FileState, bytes]:
    """Raises SessionNotFound and ReadFailed."""
    with opened_session(path) as (descriptor, state, end):
        return state, os.pread(descriptor, most, max(end - most, 0) if at_end else 0)
