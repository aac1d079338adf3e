"""Follow a session file that other programs change: its last known contents, and its changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Literal

import attrs

from sessiond.errors import (
    InvalidSessionFile,
    PathNotAllowed,
    ReadFailed,
    SessiondError,
    SessionNotFound,
)
from sessiond.files import disk, reading, workers
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, Key, key_of, stat_regular
from sessiond.files.kept.index_files import IndexFiles
from sessiond.format.entries import Diagnostic
from sessiond.format.header import Header
from sessiond.format.tree.tree import Tree

Status = Literal["unread", "ok", "unwritten", "memory", "deleted", "empty", "invalid"]
Kind = Literal["appended", "rewritten", "deleted", "invalid", "restored"]


@attrs.frozen
class DocumentChange:
    """A change of a document.

    `count` entries from the index `first` on are new: 0 if none was added, all of them if the file
    was rewritten.
    """

    document: FollowedFile
    kind: Kind
    first: int
    count: int
    generation: int


Listener = Callable[[DocumentChange, object], None]
"""Called with every change and the `cause` of its append; None for changes by other programs."""


class FollowedFile:
    """A session file and its last good contents.

    `status` is `ok` while memory and file agree. With `deleted`, `empty` and `invalid` the file is
    in that state, and memory keeps its last good contents. `unwritten` has no file before its
    first user or assistant message, `memory` never gets a file, `unread` is not open yet.

    The document changes only on the event loop and only while `turn` is held, a first-in-first-out
    lock. Methods that need it say so and do not acquire it themselves, because a request usually
    refreshes and then does something else in the same turn.
    """

    def __init__(self, path: str, *, seen: os.stat_result | None, profile: str) -> None:
        self.path = path
        self.roots = disk.roots()
        """The directories that confined the context in which this was made: see `Documents`."""
        self.status: Status = "unread"
        self.turn = asyncio.Lock()
        self.generation = 0
        """How often the contents were replaced because another program rewrote the file."""
        self.listeners: list[Listener] = []
        self.identified: Callable[[Key | None], None] = in_no_cache
        """Called with the key that the file had before, whenever `state` gets another one."""
        self._state = FileState.of(seen) if seen else None
        self.indexes: IndexFiles | None = None
        """Where indexes of large files are kept; None if nowhere."""
        self._contents: Contents | None = None
        self._trouble: SessiondError | None = None
        self._profile = profile

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
    def contents(self) -> Contents:
        assert self._contents is not None, "not opened"  # noqa: S101
        return self._contents

    @property
    def header(self) -> Header:
        return self.contents.header

    @property
    def tree(self) -> Tree:
        return self.contents.tree

    @property
    def tip_id(self) -> str | None:
        """The last entry of the file, of any type."""
        return self.contents.tree.tip_id

    @property
    def leaf_id(self) -> str | None:
        """The leaf that the file's lines determine: see `Tree.leaf_id`."""
        return self.contents.tree.leaf_id

    @property
    def entry_count(self) -> int:
        return len(self.contents.tree)

    @property
    def written(self) -> bool:
        """Whether the contents are in a file."""
        return self.status == "ok"

    @property
    def nbytes(self) -> int:
        """Approximate memory use in bytes."""
        return self._contents.nbytes if self._contents else 0

    def diagnostics(self) -> list[Diagnostic]:
        """Problems of the file's lines and entries."""
        return self.contents.diagnostics()

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

    def _continue(self, contents: Contents) -> DocumentChange | None:
        count = len(contents.tree) - len(self.tree)
        self._contents = contents
        return self._tell("appended", count=count) if count else None

    def _replace(self, contents: Contents, *, same: bool) -> DocumentChange | None:
        was, self.status, self._trouble = self.status, "ok", None
        # Replaced even if the entries are equal: blank lines or line ends may have moved offsets.
        self._contents = contents
        if same:
            return None if was == "ok" else self._tell("restored")
        self.generation += 1
        return self._tell("rewritten", count=len(contents.tree))

    def _lose(
        self, status: Literal["deleted", "empty", "invalid"], why: SessiondError | None = None
    ) -> DocumentChange | None:
        """Record that the file cannot be used; its last contents stay readable.

        An emptied file is reported as deleted: in both cases the next append writes it again.
        """
        was, self.status, self._trouble = self.status, status, why
        if status == "deleted":
            self.state = None
        kinds: dict[Status, Kind] = {"deleted": "deleted", "empty": "deleted", "invalid": "invalid"}
        return None if kinds.get(was) == kinds[status] else self._tell(kinds[status])

    def _not_a_session(self, line: int) -> InvalidSessionFile:
        return InvalidSessionFile(self.path, line, self._profile)

    def _tell(
        self, kind: Kind, *, count: int = 0, first: int | None = None, cause: object = None
    ) -> DocumentChange:
        """Call all listeners; the last `count` entries are new unless `first` is given."""
        first = len(self.contents.tree) - count if first is None else first
        change = DocumentChange(self, kind, first, count, self.generation)
        for listener in tuple(self.listeners):
            listener(change, cause)
        return change


def in_no_cache(_before: Key | None) -> None:
    """Do nothing; `FollowedFile.identified` of a document that is in no cache."""
