"""Both ends of transcripts, read once as long as they stay the same."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Literal

from sessiond.errors import PathNotAllowed, ReadFailed, SessionNotFound
from sessiond.files.identity import FileState, OpenedFile, stat_regular
from sessiond.gateway.titles import HEAD_BYTES, TAIL_BYTES, first_user_text, last_text

End = Literal["first", "last"]
_MOST = 5000


class Glimpses:
    """What was said first and last; remembered for the transcripts that were asked for last.

    Methods block; they may be called in any thread.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._known: OrderedDict[tuple[str, End], tuple[FileState, str | None]] = OrderedDict()
        self._lock = threading.Lock()

    def first(self, paths: Iterable[str]) -> str | None:
        """What the user said first, in the first of these files there is."""
        return self._look(paths, "first")

    def last(self, paths: Iterable[str]) -> str | None:
        """What was said last, in the first of these files there is."""
        return self._look(paths, "last")

    def _look(self, paths: Iterable[str], end: End) -> str | None:
        for path in paths:
            try:
                seen = stat_regular(path)
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
    with OpenedFile(path) as (descriptor, state):
        return state, os.pread(descriptor, most, max(state.size - most, 0) if at_end else 0)
