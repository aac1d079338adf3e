"""A session of the store in memory: read it, and follow the changes that other hosts make."""

from __future__ import annotations

from collections.abc import Callable

from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState
from sessiond.files.session_document import DocumentChange, SessionDocument
from sessiond.format.load import Loader, NotASession
from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import Revision, StoredReading, state_of
from sessiond.runtime.errors import SessionNotFound


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
            self.contents = await workers.computing(len(begun), Contents.new, begun)
            self.status = "unwritten"
            self._revision = Revision(reading.generation if reading else 0)
            return
        contents = await self._load(reading)
        if contents is None:
            raise self._not_a_session(1)
        self.contents, self.status = contents, "ok"

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
        if same_lines and reading.size == self._revision.size:
            self._changed = reading.changed
            return self._replace(contents, same=True) if self.status == "deleted" else None
        if same_lines and self.status == "ok" and not contents.migrated:
            return await self._grow(reading)
        return await self._reload(reading)

    async def _grow(self, reading: StoredReading) -> DocumentChange | None:
        """Add the lines after those in memory."""
        contents = self.contents
        loader = contents.loader()
        rest = await self._feed(loader, reading)
        if rest is None:
            return await self.refresh()
        loaded = await workers.computing(len(reading.data), loader.finish)
        if loaded.glued:
            return await self._reload(None)
        state = contents.loaded.seen()
        count = contents.grow(loaded, b"")
        self._read_up_to(rest)
        return self._grown(count, state)

    async def _reload(self, reading: StoredReading | None) -> DocumentChange | None:
        before = self.contents
        if reading is None or reading.start:
            reading = await rows.read(self._database, self.name, 0, 0)
        if reading is None or reading.deleted:
            self._revision = Revision(reading.generation if reading else 0)
            return self._lose("deleted")
        contents = await self._load(reading)
        if contents is None:
            return self._lose("invalid", self._not_a_session(1))
        same = await workers.computing(before.nbytes, contents.same_as, before)
        return self._replace(contents, same=same)

    async def _load(self, reading: StoredReading) -> Contents | None:
        """Load a whole session, of which `reading` is the beginning; None if it is not one."""
        while True:
            loader = Loader()
            try:
                last = await self._feed(loader, reading)
                if last is not None:
                    loaded = await workers.computing(last.size, loader.finish)
                    self._read_up_to(last)
                    if loaded.header is None:
                        return None
                    return await workers.computing(last.size, Contents.of, loaded, b"")
            except NotASession as error:
                self._read_up_to(reading)
                self._trouble = self._not_a_session(error.line)
                return None
            again = await rows.read(self._database, self.name, 0, 0)
            if again is None or again.deleted:
                raise SessionNotFound(self.path)
            reading = again

    async def _feed(self, loader: Loader, reading: StoredReading) -> StoredReading | None:
        """Feed the lines of `reading` and all after it; returns the last reading.

        None if the session was rewritten or deleted meanwhile, so that it must be read again.
        Raises NotASession.
        """
        await workers.computing(len(reading.data), loader.feed, reading.data)
        while reading.end < reading.size:
            more = await rows.read(self._database, self.name, reading.generation, reading.end)
            if more is None or more.deleted or more.generation != reading.generation:
                return None
            await workers.computing(len(more.data), loader.feed, more.data)
            reading = more
        return reading

    def _read_up_to(self, reading: StoredReading) -> None:
        self._revision = Revision(reading.generation, reading.size)
        self._changed, self.home = reading.changed, reading.home
