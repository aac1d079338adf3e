"""The seam between sessions that are open and where they are kept: in files, or in a database.

`path` is always the name under which clients know a session: of a file, or in the store.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from sessiond.files.cache import CacheStats
from sessiond.files.contents import Contents
from sessiond.files.session_document import SessionDocument

_T = TypeVar("_T")


class DocumentStore(Protocol):
    """Opens, creates and reads sessions; all users of a session share one document.

    A document is given back only to the store that it came from, which knows its class.
    """

    def __iter__(self) -> Iterator[SessionDocument]:
        """Every document in memory."""

    async def exists(self, path: str) -> bool:
        """Whether the name is taken, by a session or by anything else."""

    async def open(
        self, path: str, *, write: bool, new_header: Callable[[], bytes] | None = None
    ) -> SessionDocument:
        """Return the document of a session, with one more user.

        If there is none, `new_header` returns the header line of a new session (and, after a
        newline each, its first entries), which is stored later; without `new_header` raises
        SessionNotFound. With `write`, a session of an older version is migrated in the store.
        Raises InvalidSessionFile, ReadFailed, WriteFailed and Busy.
        """

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> SessionDocument:
        """Store a new session with these lines and return its document, with one user.

        `size` is about the length of the lines, which may be read while they are stored. Raises
        AlreadyExists, WriteFailed and what reading the lines raises; nothing is stored then.
        """

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        """Call `work` with the contents of a session, which are not cached.

        Raises what `work` raises, SessionNotFound, ReadFailed and InvalidSessionFile.
        """

    def acquire(self, document: Any) -> None:
        """Add a user."""

    def release(self, document: Any) -> None:
        """Remove a user. A document without users may be forgotten."""

    def users(self, document: Any) -> int:
        """How many users the document has."""

    def stats(self) -> CacheStats:
        """Figures for `daemon/status`."""
