"""The cache of documents: all users of a file share one, and it is kept for a while afterwards."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Generic, TypeVar

import attrs

from sessiond.errors import InvalidSessionFile
from sessiond.files import disk, journal, reading, workers
from sessiond.files.contents import Contents
from sessiond.files.document import Document, in_no_cache
from sessiond.files.identity import FileState, Key, key_of, stat_regular
from sessiond.files.session_document import SessionDocument
from sessiond.limits import CACHE_BYTES, LOCK_TIMEOUT

_T = TypeVar("_T")
_D = TypeVar("_D", bound=SessionDocument)

_Roots = tuple[str, ...] | None
"""What confines a context: see `disk.roots`."""


@attrs.frozen
class CacheStats:
    """Statistics of the cache, as `daemon/status` reports them."""

    documents: int
    bytes: int
    limit_bytes: int
    hits: int
    misses: int
    evictions: int


class DocumentCache(Generic[_D]):
    """Documents in memory with the number of their users.

    Documents without users stay in memory, at most `limit` bytes of them; beyond that the least
    recently used are evicted. One without contents is dropped with its last user.
    """

    def __init__(
        self, limit: int, added: Callable[[_D], None], dropped: Callable[[_D], None]
    ) -> None:
        """`added` makes a new document known under its name; `dropped` forgets the name."""
        self._added = added
        self._dropped = dropped
        self._users: dict[_D, int] = {}
        self._idle: OrderedDict[_D, int] = OrderedDict()
        """Documents without users, the least recently used first, and their bytes."""
        self._idle_bytes = 0
        self._limit = limit
        self._hits = self._misses = self._evictions = 0

    def __iter__(self) -> Iterator[_D]:
        return iter(tuple(self._users))

    def acquire(self, document: _D) -> None:
        """Add a user."""
        users = self._users.get(document)
        if users is None:
            self._added(document)
        elif not users:
            self._idle_bytes -= self._idle.pop(document)
        self._users[document] = (users or 0) + 1

    def release(self, document: _D) -> None:
        """Remove a user."""
        self._users[document] -= 1
        if self._users[document]:
            return
        self._idle[document] = document.nbytes
        self._idle_bytes += document.nbytes
        if document.status != "ok":
            self._drop(document)
        while self._idle_bytes > self._limit:
            self._drop(next(iter(self._idle)))
            self._evictions += 1

    def _drop(self, document: _D) -> None:
        """Forget a document without users."""
        del self._users[document]
        self._idle_bytes -= self._idle.pop(document)
        self._dropped(document)

    def users(self, document: _D) -> int:
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


class Documents(DocumentCache[Document]):
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
        self._named = _NamedDocuments()
        super().__init__(limit, self._named.add, self._named.discard)
        self._lock_timeout = lock_timeout

    async def exists(self, path: str) -> bool:
        """Whether the path has a file, of any kind."""
        return disk.lexists(path)

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
            document = Document(path, seen=stat_regular(path), lock_timeout=self._lock_timeout)
        else:
            self._hits += 1
        self.acquire(document)
        try:
            async with document.turn:
                await document.open(write=write, new_header=new_header)
        except BaseException:
            self.release(document)
            raise
        return document

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> Document:
        """Write a new file with these lines and return its document, with one user.

        `size` is about the length of the lines, which may be made while they are written. Raises
        AlreadyExists, WriteFailed and what making the lines raises; no file is created then.
        """
        ended = (line + b"\n" for line in lines)
        await workers.writing(size, journal.create, path, ended)
        return await self.open(path, write=True)

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        """Call `work` with the contents of a file, which are not cached.

        Raises what `work` raises, SessionNotFound, ReadFailed and InvalidSessionFile (also for an
        empty file).
        """
        seen = stat_regular(path)
        result = await workers.reading(seen.st_size if seen else 0, reading.read, path)
        if result.contents is None:
            raise InvalidSessionFile(path, result.bad_line or 1)
        return await work(result.contents)

    def _find(self, path: str) -> Document | None:
        seen = stat_regular(path)
        if seen is None:
            real = disk.realname(path)
            return next(
                (
                    document
                    for document in self._named.unwritten(disk.roots(), real)
                    if document.status in ("unread", "unwritten")
                    and disk.realname(document.path) == real
                ),
                None,
            )
        key = FileState.of(seen).key
        for document in self._named.written(disk.roots(), key):
            if _still_names(document.path, key):
                if seen.st_size == 0 and not self._users[document]:
                    # The file was emptied and its old contents have no users: read it again.
                    self._drop(document)
                    return None
                return document
        return None


class _NamedDocuments:
    """Documents by the identity of their file, or by its real path before it exists.

    The real path is that of the moment when the document was added. Of a document whose path led
    elsewhere afterwards, a second one may be opened; the file is still created only once.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[_Roots, Key | str], dict[Document, None]] = {}
        self._paths: dict[Document, str] = {}

    def written(self, roots: _Roots, key: Key) -> Sequence[Document]:
        """The documents of a file, for contexts that are confined to `roots`."""
        return tuple(self._found.get((roots, key), ()))

    def unwritten(self, roots: _Roots, real: str) -> Sequence[Document]:
        """The documents of a path that had no file yet, likewise."""
        return tuple(self._found.get((roots, real), ()))

    def add(self, document: Document) -> None:
        document.identified = partial(self._identified, document)
        self._put(document)

    def discard(self, document: Document) -> None:
        document.identified = in_no_cache
        self._take(document, key_of(document.state))

    def _identified(self, document: Document, before: Key | None) -> None:
        self._take(document, before)
        self._put(document)

    def _put(self, document: Document) -> None:
        place: Key | str
        if document.state is not None:
            place = document.state.key
        elif document.status in ("unread", "unwritten"):
            place = self._paths[document] = disk.realname(document.path)
        else:
            return
        self._found.setdefault((document.roots, place), {})[document] = None

    def _take(self, document: Document, key: Key | None) -> None:
        place = document.roots, key or self._paths.pop(document, "")
        found = self._found.get(place, {})
        found.pop(document, None)
        if not found:
            self._found.pop(place, None)


def _still_names(path: str, key: Key) -> bool:
    """Whether the path names the file `key`. Inodes are reused, so equal numbers prove nothing."""
    seen = stat_regular(path)
    return seen is not None and FileState.of(seen).key == key
