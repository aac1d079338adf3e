"""The documents in memory: shared by everybody who has the file open, kept for a while after."""

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
    """The cache in numbers, as `daemon/status` tells them."""

    documents: int
    bytes: int
    limit_bytes: int
    hits: int
    misses: int
    evictions: int


class Documents:
    """One document for one file, whatever names it goes by.

    Files are told apart by device and inode, and by real path while there is no file. Documents
    without users stay until `limit` bytes are kept for nobody; then those go that were used least
    recently. `product` is the name of the agent in messages.
    """

    def __init__(
        self,
        *,
        limit: int = CACHE_BYTES,
        lock_timeout: float = LOCK_TIMEOUT,
        product: str = "pi",
    ) -> None:
        self._users: OrderedDict[Document, int] = OrderedDict()
        self._limit = limit
        self._lock_timeout = lock_timeout
        self._product = product
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
        """The document of a file, with one more user; see `Document.open` for what else happens.

        `path` is absolute. Two opens of a path that is not written yet share one document.
        """
        document = self._find(path)
        if document is None:
            self._misses += 1
            document = Document(
                path,
                seen=stat_regular(path),
                lock_timeout=self._lock_timeout,
                product=self._product,
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
        """A new file with these lines, written at once, and its document with one user.

        Raises AlreadyExists and WriteFailed; there is no new file then.
        """
        ended = (line + b"\n" for line in lines)
        await workers.writing(workers.size_of(lines), journal.create, path, ended)
        return await self.open(path, write=True)

    async def read(self, path: str) -> Contents:
        """What a file holds, shared with nobody, never written back.

        Raises SessionNotFound, ReadFailed and InvalidSessionFile, also for an empty file.
        """
        seen = stat_regular(path)
        found = await workers.reading(seen.st_size if seen else 0, reading.read, path)
        if found.contents is None:
            raise InvalidSessionFile(path, found.bad_line or 1, self._product)
        return found.contents

    def acquire(self, document: Document) -> None:
        """One more user."""
        self._users[document] = self._users.get(document, 0) + 1
        self._users.move_to_end(document)

    def release(self, document: Document) -> None:
        """One user less. What is in no file goes with its last one."""
        self._users[document] -= 1
        if self._users[document] == 0 and document.status != "ok":
            del self._users[document]
        self._evict()

    def users(self, document: Document) -> int:
        """How many have it open."""
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
        # A look at each is cheaper than a table that every rename and recreation has to update.
        seen = stat_regular(path)
        if seen is None:
            real = disk.realname(path)
            return next(
                (
                    document
                    for document in self._users
                    if document.state is None
                    and document.status in ("unread", "unwritten")
                    and disk.realname(document.path) == real
                ),
                None,
            )
        key = FileState.of(seen).key
        for document in self._users:
            if document.state and document.state.key == key and _still_names(document.path, key):
                if seen.st_size == 0 and not self._users[document]:
                    # What the file once held is nobody's any more: it begins anew.
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
    """Inodes are used again: the number alone does not make it the same file."""
    seen = stat_regular(path)
    return seen is not None and FileState.of(seen).key == key
