"""The cache of documents: all users of a file share one, and it is kept for a while afterwards."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

import attrs

from sessiond.files import disk, journal, reading, workers
from sessiond.files.comparing import Comparisons
from sessiond.files.contents import Contents
from sessiond.files.document import Document
from sessiond.files.identity import FileState, Key, key_of, stat_regular
from sessiond.files.lock_file import transcript_lock
from sessiond.files.session_document import SessionDocument
from sessiond.runtime.errors import InvalidSessionFile
from sessiond.runtime.limits import CACHE_BYTES, LOCK_TIMEOUT

_T = TypeVar("_T")
_D = TypeVar("_D", bound=SessionDocument)

_FREED_BYTES = 32 * 1024 * 1024

_UNWRITTEN = frozenset({"unread", "unwritten"})
"""The states of documents whose file does not exist yet."""


@attrs.frozen
class CacheStats:
    """Statistics of the cache, as `daemon/status` reports them."""

    documents: int
    bytes: int
    limit_bytes: int
    hits: int
    misses: int
    evictions: int


class DocumentCache:
    """Documents in memory with the number of their users.

    Documents without users stay in memory, at most `limit` bytes of them; beyond that the least
    recently used are evicted. One without contents is dropped with its last user.
    """

    def __init__(self, limit: int) -> None:
        self._users: dict[SessionDocument, int] = {}
        self._idle: OrderedDict[SessionDocument, int] = OrderedDict()
        """Documents without users, the least recently used first, and their bytes."""
        self._idle_bytes = 0
        self._freed = 0
        """How many bytes were evicted since memory was given back to the system."""
        self._limit = limit
        self._hits = self._misses = self._evictions = 0

    def __iter__(self) -> Iterator[SessionDocument]:
        return iter(tuple(self._users))

    def acquire(self, document: SessionDocument) -> None:
        """Add a user."""
        if document in self._idle:
            self._idle_bytes -= self._idle.pop(document)
        self._users[document] = self.users(document) + 1

    def release(self, document: SessionDocument) -> None:
        """Remove a user."""
        self._users[document] -= 1
        if self._users[document]:
            return
        self._idle[document] = document.nbytes
        self._idle_bytes += document.nbytes
        if document.status != "ok":
            self._drop(document)
        while self._idle_bytes > self._limit:
            first, size = next(iter(self._idle.items()))
            self._drop(first)
            self._evictions += 1
            self._freed += size
        if self._freed > _FREED_BYTES:
            self._freed = 0
            loop = asyncio.get_running_loop()
            # When nothing refers to the documents any more.
            loop.call_soon(loop.run_in_executor, None, _give_back)

    def _drop(self, document: SessionDocument) -> None:
        """Forget a document without users."""
        del self._users[document]
        self._idle_bytes -= self._idle.pop(document)

    def users(self, document: SessionDocument) -> int:
        """How many users the document has."""
        return self._users.get(document, 0)

    async def _open(
        self, known: _D | None, make: Callable[[], _D], begin: Callable[[_D], Awaitable[None]]
    ) -> _D:
        """Add a user to the document that is open, or to a new one, and `begin` in its turn."""
        if known is None:
            self._misses += 1
        else:
            self._hits += 1
        document = make() if known is None else known
        self.acquire(document)
        try:
            async with document.turn:
                await begin(document)
        except BaseException:
            self.release(document)
            raise
        return document

    def stats(self) -> CacheStats:
        return CacheStats(
            documents=len(self._users),
            bytes=sum(document.nbytes for document in self._users),
            limit_bytes=self._limit,
            hits=self._hits,
            misses=self._misses,
            evictions=self._evictions,
        )


class Documents(DocumentCache):
    """One document per file, even if the file has several names.

    A file is identified by device and inode, or by its real path before it exists.

    Only contexts with the same confinement (`--root`) share a document. One that may read less
    would otherwise be answered from what another read for it, for example through a link that
    got another target after both had opened the file.
    """

    def __init__(
        self,
        *,
        limit: int = CACHE_BYTES,
        lock_timeout: float = LOCK_TIMEOUT,
    ) -> None:
        super().__init__(limit)
        self._lock_timeout = lock_timeout
        self.comparisons = Comparisons()

    async def exists(self, path: str) -> bool:
        """Whether the path has a file, of any kind."""
        return disk.lexists(path)

    async def open(
        self,
        path: str,
        *,
        write: bool,
        new_header: Callable[[], bytes] | None = None,
    ) -> SessionDocument:
        """Return the document of a file, with one more user; see `Document.open` for the rest.

        `path` is absolute. Two opens of a path that has no file yet share one document.
        """

        def make() -> Document:
            return Document(
                path,
                status=stat_regular(path),
                lock_timeout=self._lock_timeout,
                doubted=self.comparisons.want,
            )

        def begin(document: Document) -> Awaitable[None]:
            return document.open(write=write, new_header=new_header)

        return await self._open(self._find(path), make, begin)

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> SessionDocument:
        """Write a new file with these lines and return its document, with one user.

        `size` is about the length of the lines, which may be made while they are written. Raises
        AlreadyExists, WriteFailed and what making the lines raises; no file is created then.
        """
        ended = (line + b"\n" for line in lines)
        async with transcript_lock(path, self._lock_timeout):
            await workers.writing(size, journal.create, path, ended)
        return await self.open(path, write=True)

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        """Call `work` with the contents of a file, which are not cached.

        Raises what `work` raises, SessionNotFound, ReadFailed and InvalidSessionFile (also for an
        empty file).
        """
        status = stat_regular(path)
        result = await workers.reading(status.st_size if status else 0, reading.read, path)
        if result.contents is None:
            raise InvalidSessionFile(path, result.bad_line or 1)
        return await work(result.contents)

    def _find(self, path: str) -> Document | None:
        status = stat_regular(path)
        if status is None:
            real = disk.realname(path)
            new = [one for one in self._own(self._users) if one.new_at == real]
            unwritten = (one for one in new if one.status in _UNWRITTEN)
            return next((one for one in unwritten if disk.realname(one.path) == real), None)
        state = FileState.of(status)
        # Thousands may be open: one comparison tells nearly all of them apart.
        same = [one for one in self._users if one.state and one.state.inode == state.inode]
        for document in self._own(same):
            if key_of(document.state) == state.key and _still_names(document.path, state.key):
                if status.st_size == 0 and not self._users[document]:
                    # The file was emptied and its old contents have no users: read it again.
                    self._drop(document)
                    return None
                return document
        return None

    def _own(self, documents: Iterable[SessionDocument]) -> list[Document]:
        """The documents of files that were opened within the same roots as now."""
        roots = disk.roots()
        return [one for one in documents if isinstance(one, Document) and one.roots == roots]


def _give_back() -> None:
    """Give free memory back to the system.

    The C library of Linux keeps what was freed for each thread, and other threads do not use it.
    """
    # Only here, because most daemons never evict so much.
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _still_names(path: str, key: Key) -> bool:
    """Whether the path names the file `key`. Inodes are reused, so equal numbers prove nothing."""
    status = stat_regular(path)
    return status is not None and FileState.of(status).key == key
