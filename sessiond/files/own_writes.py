"""Tell the writes of this process to a file from those of other programs."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict

import attrs

from sessiond.files.identity import FileState, Key

_MOST = 4096
"""Files that are remembered; of others every write counts as foreign."""


@attrs.frozen
class _Written:
    """The state in which this process left a file."""

    mtime_ns: int
    size: int
    foreign_ns: int | None
    """When another program had written last, before that."""


@attrs.frozen
class OwnWrites:
    """The states in which this process left files. Used by several threads."""

    _files: OrderedDict[Key, _Written] = attrs.field(factory=OrderedDict)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def note(self, before: FileState | None, after: os.stat_result) -> None:
        """Note a write: the file before, which may have been another one, and afterwards."""
        foreign = None if before is None else self.foreign_ns(before)
        state = FileState.of(after)
        with self._lock:
            self._files[state.key] = _Written(state.mtime_ns, state.size, foreign)
            self._files.move_to_end(state.key)
            if len(self._files) > _MOST:
                self._files.popitem(last=False)

    def foreign_ns(self, state: FileState) -> int | None:
        """Return when another program wrote to a file last, in nanoseconds since the epoch.

        None: only this process has written to it.
        """
        with self._lock:
            own = self._files.get(state.key)
        if own is not None and (own.mtime_ns, own.size) == (state.mtime_ns, state.size):
            return own.foreign_ns
        return state.mtime_ns


OWN_WRITES = OwnWrites()
"""The writes of this process to session files: appends of documents, and what `journal` creates."""
