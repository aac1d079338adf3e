"""The documents of files of pi's format, and of sessions that are translated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from sessiond.agents.sessions import refuse_new_file, stat_session, translation_of
from sessiond.files import disk, workers
from sessiond.files.cache import CacheStats
from sessiond.files.contents import Contents
from sessiond.files.document_store import DocumentStore
from sessiond.files.session_document import SessionDocument

if TYPE_CHECKING:
    from sessiond.agents.translated_documents import TranslatedDocuments

_T = TypeVar("_T")


class AgentDocuments:
    """Implements `DocumentStore`: translated sessions by their own cache, others by that of files.

    New files are refused where their agent would never read them.
    """

    def __init__(self, files: DocumentStore, limit: int) -> None:
        self._files = files
        self._limit = limit

    @cached_property
    def _translated(self) -> TranslatedDocuments:
        # Imported here, because most daemons never see one.
        from sessiond.agents.translated_documents import TranslatedDocuments  # noqa: PLC0415

        return TranslatedDocuments(self._limit)

    def __iter__(self) -> Iterator[SessionDocument]:
        return chain(self._files, self._translated if "_translated" in vars(self) else ())

    async def exists(self, path: str) -> bool:
        if translation_of(path) is None:
            return await self._files.exists(path)
        return await workers.reading(workers.LONG, stat_session, path) is not None

    async def open(
        self, path: str, *, write: bool, new_header: Callable[[], bytes] | None = None
    ) -> SessionDocument:
        translation = translation_of(path)
        if translation is not None:
            if write:
                raise translation.refusal(path)
            return await self._translated.open(path, translation)
        if new_header is not None and not disk.lexists(path):
            refuse_new_file(path)
        return await self._files.open(path, write=write, new_header=new_header)

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> SessionDocument:
        refuse_new_file(path)
        return await self._files.create(path, lines, size)

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        translation = translation_of(path)
        if translation is None:
            return await self._files.use(path, work)
        from sessiond.agents.translated_documents import contents_of  # noqa: PLC0415

        return await work(await contents_of(path, translation))

    def acquire(self, document: Any) -> None:
        self._store_of(document).acquire(document)

    def release(self, document: Any) -> None:
        self._store_of(document).release(document)

    def users(self, document: Any) -> int:
        count: int = self._store_of(document).users(document)
        return count

    def stats(self) -> CacheStats:
        files = self._files.stats()
        if "_translated" not in vars(self):
            return files
        own = self._translated.stats()
        return CacheStats(
            documents=files.documents + own.documents,
            bytes=files.bytes + own.bytes,
            limit_bytes=files.limit_bytes + own.limit_bytes,
            hits=files.hits + own.hits,
            misses=files.misses + own.misses,
            evictions=files.evictions + own.evictions,
        )

    def _store_of(self, document: SessionDocument) -> Any:
        return self._files if translation_of(document.path) is None else self._translated
