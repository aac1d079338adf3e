"""Sessions that are translated, as documents: they are read and followed, and never written."""

from __future__ import annotations

import errno
import logging
from collections.abc import Sequence

from sessiond.agents.translation import TranslatedReading, Translation
from sessiond.files import disk, workers
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState
from sessiond.files.session_document import DocumentChange, Make, Outcome, SessionDocument
from sessiond.format.load import Loader, NotASession
from sessiond.runtime.errors import ReadFailed, SessiondError, SessionNotFound, Unsupported
from sessiond.runtime.isolation import Abandoned

logger = logging.getLogger(__name__)


class TranslatedDocument(SessionDocument):
    """A translated session. It is read again at every request, as far as it has grown."""

    def __init__(self, path: str, translation: Translation) -> None:
        super().__init__(path)
        self.roots = disk.roots()
        """The directories that confined the context in which this was made."""
        self._translation = translation
        self._place: object = None
        self._state: FileState | None = None

    @property
    def state(self) -> FileState | None:
        return self._state

    async def open(self) -> None:
        """Read the session, or refresh it if it is open.

        Raises SessionNotFound, InvalidSessionFile, ReadFailed, Busy and Unsupported. The caller
        must hold the turn.
        """
        if self.status != "unread":
            await self.refresh()
            if self.status == "invalid" and self._trouble:
                raise self._trouble
            return
        reading = await self._read(None)
        if reading is None:
            raise SessionNotFound(self.path)
        contents = await self._load(reading)
        if contents is None:
            raise self._not_a_session(1)
        self.contents, self.status = contents, "ok"
        self._take(reading)

    async def refresh(self) -> DocumentChange | None:
        try:
            reading = await self._read(self._place if self._can_grow else None)
        except SessionNotFound:
            reading = None
        except (ReadFailed, Unsupported) as error:
            self._state = None
            return self._lose("invalid", error)
        if reading is None:
            self._state = None
            return self._lose("deleted")
        if reading.is_growth:
            return await self._grow(reading)
        contents = await self._load(reading)
        self._take(reading)
        if contents is None:
            return self._lose("invalid", self._not_a_session(1))
        same = await workers.computing(self.nbytes, contents.same_as, self.contents)
        return self._replace(contents, same=same)

    @property
    def _can_grow(self) -> bool:
        """Whether new lines can be added to those in memory."""
        return self.status == "ok" and not self.contents.migrated

    async def _read(self, before: object) -> TranslatedReading | None:
        try:
            return await workers.reading(workers.LONG, self._translation.read, self.path, before)
        except (SessiondError, Abandoned, MemoryError):
            raise
        except Exception as error:
            # What a room does not expect in a file concerns this session alone.
            logger.exception("%s cannot be translated", self.path)
            reason = f"it cannot be translated because of {type(error).__name__}: {error}"
            raise ReadFailed(self.path, OSError(errno.EIO, reason)) from None

    async def _grow(self, reading: TranslatedReading) -> DocumentChange | None:
        if not reading.lines:
            self._take(reading)
            return None
        contents, size = self.contents, reading.size
        loader = contents.loader()
        await workers.computing(size, _feed, loader, reading)
        loaded = await workers.computing(size, loader.finish)
        lines = contents.loaded.seen()
        count = contents.grow(loaded, b"")
        self._take(reading)
        return self._grown(count, lines)

    async def _load(self, reading: TranslatedReading) -> Contents | None:
        """Return the contents of a whole session; None if it does not begin with a header."""
        loader, size = Loader(), reading.size
        try:
            await workers.computing(size, _feed, loader, reading)
            loaded = await workers.computing(size, loader.finish)
        except NotASession:
            return None
        if loaded.header is None:
            return None
        return await workers.computing(size, Contents.of, loaded, b"")

    def _take(self, reading: TranslatedReading) -> None:
        self._place, self._state = reading.place, reading.state

    async def append(
        self,
        make: Make,  # noqa: ARG002 - nothing is appended
        cause: object = None,  # noqa: ARG002 - likewise
        size: int = 0,  # noqa: ARG002 - likewise
    ) -> Sequence[Outcome]:
        """Raise Unsupported: only its agent changes the session."""
        raise self._translation.refusal(self.path)


def _feed(loader: Loader, reading: TranslatedReading) -> None:
    for block in reading.take_blocks():
        loader.feed(block)


async def contents_of(path: str, translation: Translation) -> Contents:
    """Read a session that is not cached. Raises as `TranslatedDocument.open` does."""
    document = TranslatedDocument(path, translation)
    await document.open()
    return document.contents
