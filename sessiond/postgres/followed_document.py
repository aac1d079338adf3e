"""A session of the store in memory: read it, and follow the changes that other hosts make."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sessiond.errors import SessionNotFound
from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState
from sessiond.files.kept.spool_file import SpoolFile
from sessiond.files.session_document import DocumentChange, SessionDocument
from sessiond.format.load import Loader, NotASession
from sessiond.limits import STORED_FROM_BYTES
from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import Revision, StoredReading, state_of


@attrs.frozen
class _Lines:
    """Takes the lines of a session, and writes those of a large one to a temporary file."""

    loader: Loader
    spool: SpoolFile | None

    async def take(self, reading: StoredReading) -> None:
        """Take the lines of a reading. Raises NotASession."""
        await workers.computing(len(reading.data), self._take, reading)

    def _take(self, reading: StoredReading) -> None:
        if self.spool is not None:
            self.spool.write(reading.start, reading.data)
        self.loader.feed(reading.data)


class FollowedDocument(SessionDocument):
    """A session in the database, whose lines other hosts append too.

    The database is asked at every request, so memory is only a copy that saves reading.
    """

    def __init__(
        self,
        name: StoreName,
        database: Database,
        *,
        stored: Callable[[StoreName], None] = lambda _: None,
    ) -> None:
        super().__init__(str(name))
        self.name = name
        self._database = database
        self._stored = stored
        """Called after this host has changed the session in the store."""
        self._revision = Revision()
        self._changed = 0
        self._withheld: list[tuple[DocumentChange, object]] | None = None

    @property
    def state(self) -> FileState | None:
        if self._revision.size < 0:
            return None
        return state_of(self.name, self._revision, self._changed)

    async def _first_read(self, new_header: Callable[[], bytes] | None) -> None:
        reading = await rows.read(self._database, self.name, 0, 0)
        if reading is None or reading.deleted:
            if new_header is None:
                raise SessionNotFound(self.path)
            begun = new_header()
            self._contents = await workers.computing(len(begun), Contents.new, begun)
            self.status = "unwritten"
            self._revision = Revision(reading.generation if reading else 0)
            return
        contents = await self._load(reading)
        if contents is None:
            raise self._not_a_session(1)
        self._contents, self.status = contents, "ok"

    async def refresh(self) -> DocumentChange | None:
        if self.status in ("unwritten", "memory"):
            return None
        contents = self.contents
        reading = await rows.read(
            self._database, self.name, self._revision.generation, contents.offset
        )
        if reading is None or reading.deleted:
            self._revision = Revision(reading.generation if reading else 0)
            return self._lose("deleted")
        self.home = reading.home
        same_lines = reading.generation == self._revision.generation
        if same_lines and reading.size == self._revision.size and not contents.stale:
            self._changed = reading.changed
            return self._replace(contents, same=True) if self.status == "deleted" else None
        if same_lines and self.status == "ok" and not contents.migrated and not contents.stale:
            return await self._grow(reading)
        return await self._reload(reading)

    async def _grow(self, reading: StoredReading) -> DocumentChange | None:
        """Add the lines after those in memory."""
        contents = self.contents
        lines = _Lines(contents.loader(), self._spool)
        await lines.take(reading)
        rest = await self._rest(reading, lines)
        if rest is None:
            return await self.refresh()
        loaded = await workers.computing(len(reading.data), lines.loader.finish)
        if loaded.glued or contents.stale:
            return await self._reload(None)
        seen = contents.loaded.seen()
        count = contents.grow(loaded, b"")
        self._read_up_to(rest)
        return self._grown(count, seen)

    async def _reload(self, reading: StoredReading | None) -> DocumentChange | None:
        known = self.contents
        if reading is None or reading.start:
            reading = await rows.read(self._database, self.name, 0, 0)
        if reading is None or reading.deleted:
            self._revision = Revision(reading.generation if reading else 0)
            return self._lose("deleted")
        contents = await self._load(reading)
        if contents is None:
            return self._lose("invalid", self._not_a_session(1))
        same = await workers.computing(known.nbytes, contents.same_as, known)
        return self._replace(contents, same=same)

    async def _load(self, reading: StoredReading) -> Contents | None:
        """Load a whole session, of which `reading` is the beginning; None if it is not one."""
        spools = reading.size >= STORED_FROM_BYTES
        while True:
            spool = await self._new_spool(reading.size) if spools else None
            lines = _Lines(Loader(source=spool), spool)
            try:
                await lines.take(reading)
                last = await self._rest(reading, lines)
                # Without space for the temporary file, the lines are kept in memory.
                spools = spool is not None and not spool.stale
                if last is not None and spools == (spool is not None):
                    loaded = await workers.computing(last.size, lines.loader.finish)
                    self._read_up_to(last)
                    if loaded.header is None:
                        return None
                    return await workers.computing(last.size, Contents.of, loaded, b"", spool)
            except NotASession as error:
                self._read_up_to(reading)
                self._trouble = self._not_a_session(error.line)
                return None
            again = await rows.read(self._database, self.name, 0, 0)
            if again is None or again.deleted:
                raise SessionNotFound(self.path)
            reading = again

    async def _new_spool(self, size: int) -> SpoolFile | None:
        return await workers.reading(workers.LONG, SpoolFile.create, self.path, size)

    @property
    def _spool(self) -> SpoolFile | None:
        """The file that has the lines; None if they are in memory."""
        source = self.contents.source
        return source if isinstance(source, SpoolFile) else None

    async def _rest(self, reading: StoredReading, lines: _Lines) -> StoredReading | None:
        """Take all lines after `reading`; returns the last reading.

        None if the session was rewritten or deleted meanwhile, so that it must be read again.
        """
        while reading.end < reading.size:
            more = await rows.read(self._database, self.name, reading.generation, reading.end)
            if more is None or more.deleted or more.generation != reading.generation:
                return None
            await lines.take(more)
            reading = more
        return reading

    def _read_up_to(self, reading: StoredReading) -> None:
        self._revision = Revision(reading.generation, reading.size)
        self._changed, self.home = reading.changed, reading.home
