"""Remember what was computed of a transcript: a pure cache, bounded, for all threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

_Mark = TypeVar("_Mark")
_Value = TypeVar("_Value")
_Key = tuple[int, int, str]
"""The device and the inode of a database, and the id of a session."""


class KnownContents(Generic[_Mark, _Value]):
    """For each transcript a mark of the content that was seen, and what was computed of it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[_Key, tuple[_Mark, _Value]] = OrderedDict()

    def get(self, key: _Key) -> tuple[_Mark, _Value] | None:
        with self._lock:
            return self._known.get(key)

    def put(self, key: _Key, mark: _Mark, value: _Value) -> None:
        with self._lock:
            self._known[key] = mark, value
            self._known.move_to_end(key)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
