"""One transcript in memory: read it, and follow what OpenClaw appends."""

from __future__ import annotations

from sessiond.errors import ReadFailed, SessionNotFound, Unsupported
from sessiond.files import disk, workers
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState
from sessiond.files.openclaw.names import StoredTranscript, refuse_writing
from sessiond.files.openclaw.transcripts import ReadPlace, TranscriptReading, read_transcript
from sessiond.files.session_document import DocumentChange, Make, SessionDocument
from sessiond.format.entries import Entry
from sessiond.format.load import Loader, NotASession


class TranscriptDocument(SessionDocument):
    """A transcript in a database. The database is asked at every request."""

    def __init__(self, transcript: StoredTranscript) -> None:
        super().__init__(transcript.path)
        self.roots = disk.roots()
        """The directories that confined the context in which this was made."""
        self._transcript = transcript
        self._place: ReadPlace | None = None
        self._state: FileState | None = None

    @property
    def state(self) -> FileState | None:
        return self._state

    async def open(self) -> None:
        """Read the transcript, or refresh it if it is open.

        Raises SessionNotFound, InvalidSessionFile, ReadFailed, Busy and Unsupported. The caller
        must hold the turn.
        """
        if self._contents is not None:
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
        self._contents, self.status = contents, "ok"
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
        contents = self.contents
        return self.status == "ok" and not contents.migrated and not contents.stale

    async def _read(self, known: ReadPlace | None) -> TranscriptReading | None:
        return await workers.reading(workers.LONG, read_transcript, self._transcript, known)

    async def _grow(self, reading: TranscriptReading) -> DocumentChange | None:
        if not reading.lines:
            self._take(reading)
            return None
        contents, data = self.contents, reading.data
        loader = contents.loader()
        await workers.computing(len(data), loader.feed, data)
        loaded = await workers.computing(len(data), loader.finish)
        count = contents.grow(loaded, b"")
        self._take(reading)
        return self._tell("appended", count=count) if count else None

    async def _load(self, reading: TranscriptReading) -> Contents | None:
        """The contents of a whole transcript; None if it does not begin with a header."""
        loader, data = Loader(), reading.data
        try:
            await workers.computing(len(data), loader.feed, data)
        except NotASession:
            return None
        loaded = await workers.computing(len(data), loader.finish)
        if loaded.header is None:
            return None
        return await workers.computing(len(data), Contents.of, loaded, b"")

    def _take(self, reading: TranscriptReading) -> None:
        self._place, self._state = reading.place, reading.state

    async def append(
        self,
        make: Make,  # noqa: ARG002 - nothing is appended
        cause: object = None,  # noqa: ARG002 - likewise
        size: int = 0,  # noqa: ARG002 - likewise
    ) -> Entry:
        """Raise Unsupported: only OpenClaw writes its database."""
        refuse_writing(self.path)
        raise AssertionError(self.path)
