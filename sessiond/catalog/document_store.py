"""The seam between sessions that are open and where they are kept: in files, or in a database.

`path` is always the name under which clients know a session: of a file, or in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from sessiond.files.cache import CacheStats
from sessiond.files.contents import Contents
from sessiond.files.session_document import SessionDocument


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

    async def create(self, path: str, lines: Sequence[bytes]) -> SessionDocument:
        """Store a new session with these lines and return its document, with one user.

        Raises AlreadyExists and WriteFailed; nothing is stored then.
        """

    async def read(self, path: str) -> Contents:
        """Read a session without caching it; the contents belong to the caller.

        Raises SessionNotFound, ReadFailed and InvalidSessionFile.
        """

    def acquire(self, document: Any) -> None:
        """Add a user."""

    def release(self, document: Any) -> None:
        """Remove a user. A document without users may be forgotten."""

    def users(self, document: Any) -> int:
        """How many users the document has."""

    def stats(self) -> CacheStats:
        """Figures for `daemon/status`."""
