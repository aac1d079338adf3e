"""Following a session file that others change: what is known of it, and what happened since."""

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
from sessiond.files import reading, workers
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, stat_regular
from sessiond.format.entries import Diagnostic
from sessiond.format.header import Header
from sessiond.format.tree.tree import Tree

Status = Literal["unread", "ok", "unwritten", "memory", "deleted", "empty", "invalid"]
Kind = Literal["appended", "rewritten", "deleted", "invalid", "restored"]


@attrs.frozen
class DocumentChange:
    """Something that happened to a document.

    `count` entries from the index `first` on are new: none where nothing came, all of them where
    the file was rewritten.
    """

    document: FollowedFile
    kind: Kind
    first: int
    count: int
    generation: int


Listener = Callable[[DocumentChange, object], None]
"""Called with every change and with the `cause` of the append that made it: None for others'."""


class FollowedFile:
    """A session file and its last good contents.

    `status` is `ok` while the file is as it is here. `deleted`, `empty` and `invalid` say what has
    become of the file; what is here is then its last good state. `unwritten` waits for its first
    user or assistant message, `memory` never gets a file, `unread` is not opened yet.

    Everything here changes only on the event loop, by whoever holds `turn`: a lock handed on in
    order of asking. Methods that need it say so and do not take it, because a request is usually a
    refresh and something else in the same turn.
    """

    def __init__(self, path: str, *, seen: os.stat_result | None, product: str) -> None:
        self.path = path
        self.status: Status = "unread"
        self.turn = asyncio.Lock()
        self.generation = 0
        """How often the contents were replaced because somebody rewrote the file."""
        self.listeners: list[Listener] = []
        self.state = FileState.of(seen) if seen else None
        """What was last seen of the file; None while there is none that can be read."""
        self._contents: Contents | None = None
        self._trouble: SessiondError | None = None
        self._product = product

    @property
    def contents(self) -> Contents:
        assert self._contents is not None, "not opened"  # noqa: S101
        return self._contents

    @property
    def is_open(self) -> bool:
        return self._contents is not None

    @property
    def header(self) -> Header:
        return self.contents.header

    @property
    def tree(self) -> Tree:
        return self.contents.tree

    @property
    def tip_id(self) -> str | None:
        """The last entry of the file, whatever it is."""
        return self.contents.tree.tip_id

    @property
    def leaf_id(self) -> str | None:
        """Where the file's lines leave the leaf: see `Tree.leaf_id`."""
        return self.contents.tree.leaf_id

    @property
    def entry_count(self) -> int:
        return len(self.contents.tree)

    @property
    def written(self) -> bool:
        """Whether what is here is in a file."""
        return self.status == "ok"

    @property
    def nbytes(self) -> int:
        """About what this takes of memory."""
        return self._contents.nbytes if self._contents else 0

    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the file's lines and entries."""
        return self.contents.diagnostics()

    async def refresh(self) -> DocumentChange | None:
        """Follow the file; what happened to it since the last look, if anything.

        Neither reads nor suspends while the file is as it was, and does not suspend for small
        changes. Listeners are told. What has become of a file that cannot be read is `status`, and
        never raised. Needs the turn.
        """
        if self.status in ("unwritten", "memory"):
            return None
        try:
            seen = stat_regular(self.path)
            if seen is None:
                return self._lose("deleted")
            if self.state is not None and self.state.matches(seen):
                return None
            return await self._follow(seen)
        except SessionNotFound:
            return self._lose("deleted")
        except (ReadFailed, PathNotAllowed) as error:
            self.state = None
            return self._lose("invalid", error)

    async def _follow(self, seen: os.stat_result) -> DocumentChange | None:
        contents, state = self.contents, self.state
        # The size alone may stay while bytes change, and a file of an older version cannot grow
        # here line by line: what it holds is migrated as a whole.
        if self.status == "ok" and state and seen.st_size != state.size and not contents.migrated:
            more = seen.st_size - contents.offset
            if more >= 0:
                growth = await workers.reading(
                    more, reading.read_growth, self.path, contents, state.key
                )
                if growth is not None:
                    return self._grow(growth)
        found = await workers.reading(seen.st_size, reading.read, self.path, contents)
        self.state = found.state
        if found.contents is not None:
            same_file = self.status == "ok" and state and state.key == found.state.key
            if found.continues and not found.same and same_file:
                # A look in the middle of somebody's append saw the new time with the old size.
                return self._continue(found.contents)
            return self._replace(found.contents, same=found.same)
        if found.bad_line:
            return self._lose("invalid", self._not_a_session(found.bad_line))
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
        # Taken even if nothing shows: blank lines or line ends may have moved the offsets.
        self._contents = contents
        if same:
            return None if was == "ok" else self._tell("restored")
        self.generation += 1
        return self._tell("rewritten", count=len(contents.tree))

    def _lose(
        self, status: Literal["deleted", "empty", "invalid"], why: SessiondError | None = None
    ) -> DocumentChange | None:
        """The file is no longer what it was; what it held last stays readable.

        Listeners hear of an emptied file as of a deleted one: the next append brings it back.
        """
        was, self.status, self._trouble = self.status, status, why
        if status == "deleted":
            self.state = None
        kinds: dict[Status, Kind] = {"deleted": "deleted", "empty": "deleted", "invalid": "invalid"}
        return None if kinds.get(was) == kinds[status] else self._tell(kinds[status])

    def _not_a_session(self, line: int) -> InvalidSessionFile:
        return InvalidSessionFile(self.path, line, self._product)

    def _tell(
        self, kind: Kind, *, count: int = 0, first: int | None = None, cause: object = None
    ) -> DocumentChange:
        """Tell everybody; the last `count` entries are new unless `first` says otherwise."""
        first = len(self.contents.tree) - count if first is None else first
        change = DocumentChange(self, kind, first, count, self.generation)
        for listener in tuple(self.listeners):
            listener(change, cause)
        return change
