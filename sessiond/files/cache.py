"""The cache of documents: all users of a file share one, and it is kept for a while afterwards."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

import attrs

from sessiond.errors import InvalidSessionFile
from sessiond.files import disk, journal, reading, temporary, workers
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.files.identity import FileState, stat_regular
from sessiond.limits import CACHE_BYTES, LOCK_TIMEOUT


@attrs.frozen
class CacheStats:
    """Statistics of the cache, as `daemon/status` reports them."""

    documents: int
    bytes: int
    limit_bytes: int
    hits: int
    misses: int
    evictions: int


class Documents:
    """One document per file, even if the file has several names.

    A file is identified by device and inode, or by its real path before it exists. Documents
    without users stay in memory, at most `limit` bytes of them; beyond that the least recently
    used are evicted. `profile` is the name of the agent in error messages.

    Only contexts with the same confinement (`--root`) share a document. One that may read less
    would otherwise be answered from what another read for it, for example through a link that
    was made to lead elsewhere after both had opened the file.
    """

    def __init__(
        self,
        *,
        limit: int = CACHE_BYTES,
        lock_timeout: float = LOCK_TIMEOUT,
        profile: str = "pi",
    ) -> None:
        self._users: OrderedDict[Document, int] = OrderedDict()
        self._limit = limit
        self._lock_timeout = lock_timeout
        self._profile = profile
        self._hits = self._misses = self._evictions = 0
        self._swept: set[str] = set()

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._users))

    async def open(
        self,
        path: str,
        *,
        write: bool,
        new_header: Callable[[], bytes] | None = None,
    ) -> Document:
        """Return the document of a file, with one more user; see `Document.open` for the rest.

        `path` is absolute. Two opens of a path that has no file yet share one document.
        """
        document = self._find(path)
        if document is None:
            self._misses += 1
            document = Document(
                path,
                seen=stat_regular(path),
                lock_timeout=self._lock_timeout,
                profile=self._profile,
            )
        else:
            self._hits += 1
        self.acquire(document)
        try:
            if write and (directory := os.path.dirname(path)) not in self._swept:
                self._swept.add(directory)
                workers.beside(temporary.sweep_once, directory)
            async with document.turn:
                await document.open(write=write, new_header=new_header)
        except BaseException:
            self.release(document)
            raise
        return document

    async def create(self, path: str, lines: Sequence[bytes]) -> Document:
        """Write a new file with these lines and return its document, with one user.

        Raises AlreadyExists and WriteFailed; no file is created then.
        """
        ended = (line + b"\n" for line in lines)
        await workers.writing(workers.size_of(lines), journal.create, path, ended)
        return await self.open(path, write=True)

    async def read(self, path: str) -> Contents:
        """Read a file without caching it; the contents belong to the caller.

        Raises SessionNotFound, ReadFailed and InvalidSessionFile (also for an empty file).
        """
        seen = stat_regular(path)
        result = await workers.reading(seen.st_size if seen else 0, reading.read, path)
        if result.contents is None:
            raise InvalidSessionFile(path, result.bad_line or 1, self._profile)
        return result.contents

    def acquire(self, document: Document) -> None:
        """Add a user."""
        self._users[document] = self._users.get(document, 0) + 1
        self._users.move_to_end(document)

    def release(self, document: Document) -> None:
        """Remove a user. A document without a file is dropped with its last user."""
        self._users[document] -= 1
        if self._users[document] == 0 and document.status != "ok":
            del self._users[document]
        self._evict()

    def users(self, document: Document) -> int:
        """How many users the document has."""
        return self._users.get(document, 0)

    def stats(self) -> CacheStats:
        return CacheStats(
            documents=len(self._users),
            bytes=sum(document.nbytes for document in self._users),
            limit_bytes=self._limit,
            hits=self._hits,
            misses=self._misses,
            evictions=self._evictions,
        )

    def _find(self, path: str) -> Document | None:
        # A linear search is cheaper than a table that every rename and recreation has to update.
        seen = stat_regular(path)
        roots = disk.roots()
        shared = [document for document in self._users if document.roots == roots]
        if seen is None:
            real = disk.realname(path)
            return next(
                (
                    document
                    for document in shared
                    if document.state is None
                    and document.status in ("unread", "unwritten")
                    and disk.realname(document.path) == real
                ),
                None,
            )
        key = FileState.of(seen).key
        for document in shared:
            if document.state and document.state.key == key and _still_names(document.path, key):
                if seen.st_size == 0 and not self._users[document]:
                    # The file was emptied and nobody uses its old contents: read it anew.
                    del self._users[document]
                    return None
                return document
        return None

    def _evict(self) -> None:
        idle = {document: document.nbytes for document, users in self._users.items() if not users}
        left = sum(idle.values())
        for document, size in idle.items():
            if left <= self._limit:
                return
            del self._users[document]
            self._evictions += 1
            left -= size


def _still_names(path: str, key: tuple[int, int]) -> bool:
    """Whether the path names the file `key`. Inodes are reused, so equal numbers prove nothing."""
    seen = stat_regular(path)
    return seen is not None and FileState.of(seen).key == key
