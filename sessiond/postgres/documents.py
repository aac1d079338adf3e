"""The cache of stored sessions: all users of a session share one document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from sessiond.files import workers
from sessiond.files.cache import DocumentCache
from sessiond.files.contents import Contents
from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.document import StoredDocument
from sessiond.postgres.names import StoreName, parse_name
from sessiond.postgres.writing import place_for_new, write_all
from sessiond.runtime.errors import InvalidSessionFile, SessionNotFound
from sessiond.runtime.limits import CACHE_BYTES

_T = TypeVar("_T")


class StoredDocuments(DocumentCache):
    """Implements `DocumentStore` over a database; `path` is the name of a session in it."""

    def __init__(
        self,
        database: Database,
        *,
        limit: int = CACHE_BYTES,
        stored: Callable[[StoreName], None] = lambda _: None,
    ) -> None:
        super().__init__(limit)
        self._database = database
        self._stored = stored

    async def exists(self, path: str) -> bool:
        reading = await rows.read(self._database, named(path), 0, 0, most=0)
        return reading is not None and not reading.deleted

    async def open(
        self, path: str, *, write: bool, new_header: Callable[[], bytes] | None = None
    ) -> StoredDocument:
        name = named(path)
        every = (one for one in self if isinstance(one, StoredDocument))
        opened = next((one for one in every if one.path == path), None)

        def make() -> StoredDocument:
            return StoredDocument(name, self._database, stored=self._stored)

        def begin(document: StoredDocument) -> Awaitable[None]:
            return document.open(write=write, new_header=new_header)

        return await self._open(opened, make, begin)

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> StoredDocument:
        name = named(path)
        data = await workers.computing(size, lambda: b"".join(line + b"\n" for line in lines))
        place = await place_for_new(self._database, name)
        await workers.to_its_end(write_all(self._database, name, place, data))
        self._stored(name)
        return await self.open(path, write=True)

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        return await work(await self.read(path))

    async def read(self, path: str) -> Contents:
        """The contents of a session, which are not cached; see `use` for what it raises."""
        document = StoredDocument(named(path), self._database)
        await document.open(write=False)
        if document.status != "ok":
            raise InvalidSessionFile(path, 1)
        return document.contents


def named(path: str) -> StoreName:
    """Parse the name of a session. Raises SessionNotFound for anything else."""
    name = parse_name(path)
    if name is None:
        raise SessionNotFound(path)
    return name
