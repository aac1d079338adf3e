"""Follow a session file that other programs change: its last known contents, and its changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal

from sessiond.errors import PathNotAllowed, ReadFailed, SessiondError, SessionNotFound
from sessiond.files import disk, reading, workers
from sessiond.files.identity import FileState, Key, key_of, stat_regular
from sessiond.files.kept.index_files import IndexFiles
from sessiond.files.session_document import DocumentChange, SessionDocument


class FollowedFile(SessionDocument):
    """A session in a file that other programs change."""

    def __init__(self, path: str, *, seen: os.stat_result | None) -> None:
        super().__init__(path)
        self.roots = disk.roots()
        """The directories that confined the context in which this was made: see `Documents`."""
        self.identified: Callable[[Key | None], None] = in_no_cache
        """Called with the key that the file had before, whenever `state` gets another one."""
        self._state = FileState.of(seen) if seen else None
        self.indexes: IndexFiles | None = None
        """Where indexes of large files are kept; None if nowhere."""

    @property
    def state(self) -> FileState | None:
        """The state of the file when it was last examined; None while it cannot be read."""
        return self._state

    @state.setter
    def state(self, state: FileState | None) -> None:
        before, self._state = key_of(self._state), state
        if before != key_of(state):
            self.identified(before)

    @property
    def is_settled(self) -> bool:
        if self.status != "ok" or not self.turn.is_free:
            return False
        try:
            seen = stat_regular(self.path)
        except (ReadFailed, PathNotAllowed):
            return False
        return seen is not None and self._is_current(seen)

    def _is_current(self, seen: os.stat_result) -> bool:
        """Whether memory is up to date with the file that `stat` has just seen."""
        is_stale = self._contents is not None and self._contents.stale
        return self.state is not None and self.state.matches(seen) and not is_stale

    async def refresh(self) -> DocumentChange | None:
        """Compare with the file, update memory, and return the change, if any.

        Neither reads nor suspends while the file is unchanged, and does not suspend for small
        changes. Calls the listeners. A file that cannot be read sets `status` and never raises.
        The caller must hold the turn.
        """
        if self.status in ("unwritten", "memory"):
            return None
        try:
            seen = stat_regular(self.path)
            if seen is None:
                return self._lose("deleted")
            if self._is_current(seen):
                return None
            return await self._follow(seen)
        except SessionNotFound:
            return self._lose("deleted")
        except (ReadFailed, PathNotAllowed) as error:
            self.state = None
            return self._lose("invalid", error)

    async def _read(self, size: int) -> reading.Reading:
        """Read the file for the first time; raises SessionNotFound and ReadFailed."""
        result = await workers.reading(
            size, reading.read, self.path, hold=True, indexes=self.indexes
        )
        if result.keep is not None:
            workers.in_background(result.keep, self.path)
        return result

    async def _follow(self, seen: os.stat_result) -> DocumentChange | None:
        contents, state = self.contents, self.state
        # Bytes can change while the size stays. A file of an older version is not followed line
        # by line, because it is migrated as a whole.
        followed = not contents.migrated and not contents.stale
        if self.status == "ok" and state and seen.st_size == state.size and not contents.stale:
            # Another program set the times, the mode or the name.
            now = await workers.reading(seen.st_size, reading.unchanged, self.path, contents, state)
            if now is not None:
                self.state = now
                return None
        if self.status == "ok" and state and seen.st_size != state.size and followed:
            more = seen.st_size - contents.offset
            if more >= 0:
                growth = await workers.reading(
                    more, reading.read_growth, self.path, contents, state.key
                )
                if growth is not None:
                    return self._grow(growth)
        result = await workers.reading(seen.st_size, reading.read, self.path, contents, hold=True)
        self.state = result.state
        if result.contents is not None:
            same_file = self.status == "ok" and state and state.key == result.state.key
            if result.continues and not result.same and same_file:
                # A `stat` during another program's append saw the new time with the old size.
                return self._continue(result.contents)
            return self._replace(result.contents, same=result.same)
        if result.bad_line:
            return self._lose("invalid", self._not_a_session(result.bad_line))
        return self._lose("empty")

    def _grow(self, growth: reading.Growth) -> DocumentChange | None:
        self.state = growth.state
        count = self.contents.grow(growth.loaded, growth.tail)
        return self._tell("appended", count=count) if count else None

    def _lose(
        self, status: Literal["deleted", "empty", "invalid"], why: SessiondError | None = None
    ) -> DocumentChange | None:
        if status == "deleted":
            self.state = None
        return super()._lose(status, why)


def in_no_cache(_before: Key | None) -> None:
    """Do nothing; `FollowedFile.identified` of a document that is in no cache."""
