"""Sessions that are files of lines in another format, translated line by line.

A file that grew costs what was added: how far it was read is remembered, and what later lines need
to know of earlier ones.
"""

from __future__ import annotations

import os
import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Protocol, Self

import attrs

from sessiond.agents.source import Record, find_lines, lines_of
from sessiond.agents.translation import TranslatedReading, Translation
from sessiond.files.identity import FileState, OpenedFile, Reached, read_from, stat_regular
from sessiond.runtime.errors import SessionNotFound

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
"""An expression for the ids that several agents give to sessions, and to files by them."""

_TAIL_BYTES = 1024
"""Bytes before the end of what was read that must be the same for a file that has only grown."""

_REMEMBERED = 200
"""Readings that are remembered for lists, searches and usage; each takes some kilobytes."""


class Translator(Protocol):
    """Translates the lines of one session, one after another, and knows what later ones need."""

    def copy(self) -> Self:
        """Return one that goes on from here; this one stays as it is."""

    def translate(self, line: bytes) -> Iterable[bytes]:
        """Return the entry lines for a line without its line feed; the first ever is the header.

        A line that cannot be understood is returned as it is, and becomes a diagnostic.
        """


@attrs.frozen
class _Place:
    """How far a file was read: up to `offset`, which gave `length` bytes of entry lines."""

    state: FileState
    offset: int
    tail: bytes
    length: int
    translator: Translator
    is_brief: bool

    def has_grown(self, descriptor: int, state: FileState) -> bool:
        """Return whether the open file, now in `state`, has only grown since, or is the same."""
        if state.key != self.state.key or state.size < self.state.size:
            return False
        if state.size == self.state.size:
            return state == self.state
        before = read_from(descriptor, self.offset - len(self.tail), self.offset)
        return before == self.tail


class LineTranslation(Translation):
    """The sessions of an agent that keeps one file of lines for each, and only appends to it."""

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[str, int, bool], _Place] = OrderedDict()
        """By path, length of the entry lines and `is_brief`: how far sessions were read lately."""
        self._lock = threading.Lock()

    @abstractmethod
    def translator(self, path: str) -> Translator:
        """Return what translates the session at a path from its first line."""

    def brief(self, translator: Translator) -> Callable[[bytes], Iterable[bytes]]:
        """Return what translates lines as far as `read_briefly` needs; it goes on with itself."""
        return translator.translate

    def stat(self, path: str) -> os.stat_result | None:
        return stat_regular(path)

    def read(self, path: str, before: object | None = None) -> TranslatedReading | None:
        return self._read(path, before, is_brief=False)

    def _read(self, path: str, before: object, *, is_brief: bool) -> TranslatedReading | None:
        try:
            with OpenedFile(path) as (descriptor, state):
                if isinstance(before, _Place) and before.has_grown(descriptor, state):
                    return self._read_on(path, descriptor, state, before)
                start = _Place(state, 0, b"", 0, self.translator(path), is_brief)
                return self._read_on(path, descriptor, state, start)
        except SessionNotFound:
            return None

    def records(self, path: str, entry_id: str, most: int) -> list[Record]:
        return find_lines(path, entry_id, most, self.translator(path).translate)

    def read_growth(self, path: str, before: Reached) -> TranslatedReading | None:
        return self._read_growth(path, before, is_brief=False)

    def read_briefly(self, path: str, before: Reached | None = None) -> TranslatedReading | None:
        growth = None if before is None else self._read_growth(path, before, is_brief=True)
        return growth or self._read(path, None, is_brief=True)

    def _read_growth(
        self, path: str, before: Reached, *, is_brief: bool
    ) -> TranslatedReading | None:
        with self._lock:
            place = self._places.get((path, before.offset, is_brief))
        reading = None if place is None else self._read(path, place, is_brief=is_brief)
        return reading if reading is not None and reading.is_growth else None

    def _read_on(
        self, path: str, descriptor: int, state: FileState, before: _Place
    ) -> TranslatedReading:
        translator, offset = before.translator.copy(), before.offset
        translate = self.brief(translator) if before.is_brief else translator.translate
        # The last lines that were read, as far as they make the tail.
        ends = before.tail.split(b"\n")[:-1]
        lines: list[bytes] = []
        for line in lines_of(path, descriptor, before.offset, state.size):
            offset += len(line) + 1
            if len(line) >= _TAIL_BYTES:
                ends.clear()
            ends.append(line)
            lines += translate(line)
        tail = b"\n".join((*ends, b""))[-_TAIL_BYTES:] if offset else b""
        length = before.length + sum(len(line) + 1 for line in lines)
        place = _Place(state, offset, tail, length, translator, before.is_brief)
        key = path, length, before.is_brief
        with self._lock:
            self._places[key] = place
            self._places.move_to_end(key)
            if len(self._places) > _REMEMBERED:
                self._places.popitem(last=False)
        return TranslatedReading(state, place, lines, is_growth=before.offset > 0)
