"""The documents of files, and of transcripts in OpenClaw's databases."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from sessiond.catalog.document_store import DocumentStore
from sessiond.files import disk, workers
from sessiond.files.cache import CacheStats
from sessiond.files.contents import Contents
from sessiond.files.openclaw.names import refuse_new_file, refuse_writing, transcript_at
from sessiond.files.openclaw.session_files import stat_session
from sessiond.files.session_document import SessionDocument

if TYPE_CHECKING:
    from sessiond.openclaw.documents import TranscriptDocuments

_T = TypeVar("_T")


class DocumentsBesideTranscripts:
    """Implements `DocumentStore`: transcripts by their own cache, everything else by that of files.

    New files are refused where an agent has a database, because OpenClaw would never read them.
    """

    def __init__(self, files: DocumentStore, limit: int) -> None:
        self._files = files
        self._limit = limit

    @cached_property
    def _transcripts(self) -> TranscriptDocuments:
        # Imported here, because most daemons never see a database.
        from sessiond.openclaw.documents import TranscriptDocuments  # noqa: PLC0415

        return TranscriptDocuments(self._limit)

    def __iter__(self) -> Iterator[SessionDocument]:
        return chain(self._files, self._transcripts if "_transcripts" in vars(self) else ())

    async def exists(self, path: str) -> bool:
        if transcript_at(path) is None:
            return await self._files.exists(path)
        return await workers.reading(workers.LONG, stat_session, path) is not None

    async def open(
        self, path: str, *, write: bool, new_header: Callable[[], bytes] | None = None
    ) -> SessionDocument:
        transcript = transcript_at(path)
        if transcript is not None:
            if write:
                refuse_writing(path)
            return await self._transcripts.open(transcript)
        if new_header is not None and not disk.lexists(path):
            refuse_new_file(path)
        return await self._files.open(path, write=write, new_header=new_header)

    async def create(self, path: str, lines: Iterable[bytes], size: int) -> SessionDocument:
        refuse_new_file(path)
        return await self._files.create(path, lines, size)

    async def use(self, path: str, work: Callable[[Contents], Awaitable[_T]]) -> _T:
        transcript = transcript_at(path)
        if transcript is None:
            return await self._files.use(path, work)
        return await self._transcripts.use(transcript, work)

    def acquire(self, document: Any) -> None:
        self._store_of(document).acquire(document)

    def release(self, document: Any) -> None:
        self._store_of(document).release(document)

    def users(self, document: Any) -> int:
        count: int = self._store_of(document).users(document)
        return count

    def stats(self) -> CacheStats:
        files = self._files.stats()
        if "_transcripts" not in vars(self):
            return files
        own = self._transcripts.stats()
        return CacheStats(
            documents=files.documents + own.documents,
            bytes=files.bytes + own.bytes,
            limit_bytes=files.limit_bytes + own.limit_bytes,
            hits=files.hits + own.hits,
            misses=files.misses + own.misses,
            evictions=files.evictions + own.evictions,
        )

    def _store_of(self, document: SessionDocument) -> Any:
        return self._files if transcript_at(document.path) is None else self._transcripts
