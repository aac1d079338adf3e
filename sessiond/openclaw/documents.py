"""The cache of open transcripts: all users of a transcript share one document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sessiond.files import disk
from sessiond.files.cache import DocumentCache
from sessiond.files.contents import Contents
from sessiond.files.openclaw.names import StoredTranscript
from sessiond.openclaw.document import TranscriptDocument

_T = TypeVar("_T")
_Roots = tuple[str, ...] | None


class TranscriptDocuments(DocumentCache[TranscriptDocument]):
    """One document for each transcript and confinement; see `Documents`."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit, self._name, self._forget)
        self._documents: dict[tuple[_Roots, str], TranscriptDocument] = {}

    async def open(self, transcript: StoredTranscript) -> TranscriptDocument:
        """Return the document of a transcript, with one more user; raises as its `open`."""
        document = self._documents.get((disk.roots(), transcript.path))
        if document is None:
            self._misses += 1
            document = TranscriptDocument(transcript)
        else:
            self._hits += 1
        self.acquire(document)
        try:
            async with document.turn:
                await document.open()
        except BaseException:
            self.release(document)
            raise
        return document

    async def use(
        self, transcript: StoredTranscript, work: Callable[[Contents], Awaitable[_T]]
    ) -> _T:
        """Call `work` with the contents of a transcript, which are not cached."""
        document = TranscriptDocument(transcript)
        await document.open()
        return await work(document.contents)

    def _name(self, document: TranscriptDocument) -> None:
        self._documents[document.roots, document.path] = document

    def _forget(self, document: TranscriptDocument) -> None:
        del self._documents[document.roots, document.path]
