"""A session in memory: its last known contents, and who is told of their changes.

This is what every store of sessions has in common. Where the lines are kept, and how they are read
and appended, is up to the subclass.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, Home
from sessiond.format.entries import Diagnostic, Entry
from sessiond.format.header import Header
from sessiond.format.load import SeenLines
from sessiond.format.tree.tree import Tree
from sessiond.runtime.errors import InvalidSessionFile, SessiondError

Make = Callable[[], Sequence[bytes]]
"""Returns the lines of new entries without newlines, each under the one before it."""

Outcome = Entry | SessiondError
"""The outcome of a line: its entry in memory, or why it is not in the store."""

Status = Literal["unread", "ok", "unwritten", "memory", "deleted", "empty", "invalid"]
Kind = Literal["appended", "rewritten", "deleted", "invalid", "restored"]


class DocumentChange(msgspec.Struct, frozen=True, eq=False):
    """A change of a document.

    `count` entries from the index `first` on are new: 0 if none was added, all of them if the file
    was rewritten. With `appended` and 0, the file has grown by a line that is no entry.
    """

    document: SessionDocument
    kind: Kind
    first: int
    count: int
    generation: int


Listener = Callable[[DocumentChange, object], None]
"""Called with every change and the `cause` of its append; None for changes by other programs."""


class SessionDocument(ABC):
    """A session and its last good contents.

    `status` is `ok` while memory and store agree. With `deleted`, `empty` and `invalid` the file is
    in that state, and memory keeps its last good contents. `unwritten` is not stored before its
    first user or assistant message, `memory` never is, `unread` is not open yet.

    The document changes only on the event loop and only while `turn` is held, a first-in-first-out
    lock. Methods that need it say so and do not acquire it themselves, because a request usually
    refreshes and then does something else in the same turn.
    """

    contents: Contents
    """The lines and entries; there are none before it is open."""

    def __init__(self, path: str) -> None:
        self.path = path
        """The name under which clients know the session: of a file, or in the store."""
        self.status: Status = "unread"
        self.turn = asyncio.Lock()
        self.generation = 0
        """How often the contents were replaced because another program rewrote the file."""
        self.listeners: list[Listener] = []
        self.home: Home | None = None
        """Where the session is written, if this is a copy; None: here."""
        self._trouble: SessiondError | None = None

    @property
    @abstractmethod
    def state(self) -> FileState | None:
        """The state of the file when it was last examined; None while there is none."""

    @abstractmethod
    async def refresh(self) -> DocumentChange | None:
        """Compare with the store, update memory, and return the change, if any.

        Calls the listeners. The caller must hold the turn.
        """

    async def settle(self) -> DocumentChange | None:
        """Refresh, and be certain that all lines are those of the store: they are to be copied.

        The caller must hold the turn.
        """
        return await self.refresh()

    @property
    def is_current(self) -> bool:
        """Whether it is certain without waiting that `refresh` would find nothing to do."""
        return False

    @abstractmethod
    async def append(self, make: Make, cause: object = None, size: int = 0) -> Sequence[Outcome]:
        """Append entries to the store and to memory; `written` tells whether they are stored.

        `make` is called once memory is up to date, in a worker if `size`, the expected length of
        the lines, is large. Returns what became of each line. If `make` raises, nothing is written
        and the exception is passed on. The caller must hold the turn.
        """

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
        """Whether the contents are stored."""
        return self.status == "ok"

    @property
    def nbytes(self) -> int:
        """Approximate memory use in bytes."""
        return 0 if self.status == "unread" else self.contents.nbytes

    def diagnostics(self) -> list[Diagnostic]:
        """Problems of the file's lines and entries."""
        return self.contents.diagnostics()

    def _continue(self, contents: Contents) -> DocumentChange | None:
        count, lines = len(contents.tree) - len(self.tree), self.contents.loaded.seen()
        self.contents = contents
        return self._grown(count, lines)

    def _grown(self, count: int, lines: SeenLines) -> DocumentChange | None:
        """Tell of new entries, and of lines with problems that came after those `lines`."""
        is_told = count or self.contents.loaded.diagnostics(lines)
        return self._tell("appended", count=count) if is_told else None

    def _replace(self, contents: Contents, *, same: bool) -> DocumentChange | None:
        was, self.status, self._trouble = self.status, "ok", None
        # Replaced even if the entries are equal: blank lines or line ends may have moved offsets.
        self.contents = contents
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
        kinds: dict[Status, Kind] = {"deleted": "deleted", "empty": "deleted", "invalid": "invalid"}
        return None if kinds.get(was) == kinds[status] else self._tell(kinds[status])

    def _not_a_session(self, line: int) -> InvalidSessionFile:
        return InvalidSessionFile(self.path, line)

    def _tell(
        self, kind: Kind, *, count: int = 0, first: int | None = None, cause: object = None
    ) -> DocumentChange:
        """Call all listeners; the last `count` entries are new unless `first` is given."""
        first = len(self.contents.tree) - count if first is None else first
        change = DocumentChange(self, kind, first, count, self.generation)
        self._deliver(change, cause)
        return change

    def _deliver(self, change: DocumentChange, cause: object) -> None:
        for listener in tuple(self.listeners):
            listener(change, cause)
