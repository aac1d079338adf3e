"""One session of the store in memory: open it, and append to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from sessiond.files import workers
from sessiond.files.contents import Addition, Contents, render
from sessiond.files.identity import FileState
from sessiond.files.session_document import DocumentChange, Make, Outcome, SessionDocument
from sessiond.format.entries import Entry
from sessiond.format.load import Loader, NotASession
from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.facts import facts_added
from sessiond.postgres.faults import StoreBusy, StoreReadOnly
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import Revision, StoredReading, state_of
from sessiond.postgres.writing import NewLines, write, write_all
from sessiond.runtime.errors import AlreadyExists, SessionNotFound

T = TypeVar("T")


class StoredDocument(SessionDocument):
    """A session in the database, to which this host and others append.

    The database is asked at every request, so memory is only a copy that saves reading. An append
    is one call that compares the length of the session with the one in memory. If another host was
    faster, its lines are read and the entry is made again.
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

    async def open(self, *, write: bool, new_header: Callable[[], bytes] | None = None) -> None:
        """Read the session, or refresh it if it is open; see `DocumentStore.open`."""
        first = self.status == "unread"
        if first:
            await self._first_read(new_header)
        else:
            await self.refresh()
        if self._trouble and (first or self.status == "invalid"):
            raise self._trouble
        if write and self.home is None and self.status == "ok" and self.contents.migrated:
            await workers.to_its_end(self._migrate())

    async def append(self, make: Make, cause: object = None, size: int = 0) -> Sequence[Outcome]:
        # A cancelled request must not leave memory behind the database.
        return await workers.to_its_end(self._quietly(self._append(make, cause, size)))

    async def _quietly(self, work: Coroutine[Any, Any, T]) -> T:
        """Append; listeners hear of it, and of what was read before it, when it is done.

        So they see the document before or after the append, as with files, never in between.
        """
        withheld: list[tuple[DocumentChange, object]] = []
        self._withheld = withheld
        try:
            return await work
        finally:
            self._withheld = None
            for change, by in withheld:
                self._deliver(change, by)

    def _deliver(self, change: DocumentChange, cause: object) -> None:
        if self._withheld is None:
            super()._deliver(change, cause)
        else:
            self._withheld.append((change, cause))

    async def _append(self, make: Make, cause: object, size: int) -> Sequence[Outcome]:
        if self.status in ("unwritten", "memory"):
            return await self._append_unwritten(make, cause, size)
        loop = asyncio.get_running_loop()
        until = loop.time() + self._database.timeout
        if self.status != "ok":
            await self.refresh()
        while True:
            if self._trouble:
                raise self._trouble
            if self.home is not None:
                raise StoreReadOnly(self.path, f"the session's home is {self.home}")
            if self.status == "deleted":
                return await self._restore(make, cause, size)
            if self.contents.migrated:
                await self._migrate()
            done = await self._try_append(make, cause, size)
            if done is not None:
                return done
            if loop.time() > until:
                raise StoreBusy(self.path, "other hosts write the session all the time")

    async def _try_append(self, make: Make, cause: object, size: int) -> Sequence[Outcome] | None:
        """Try once, from what is in memory; None if memory was not up to date and now is."""
        contents = self.contents
        try:
            additions = await workers.writing(size, contents.made, make)
        except Exception:
            # Perhaps it is refused only because memory is not up to date.
            if await self._is_current():
                raise
            return None
        if not additions.lines:
            return [] if await self._is_current() else None
        return await self._send(additions, cause) or None

    async def _send(self, addition: Addition, cause: object) -> list[Entry]:
        """Append to the store what memory allows; returns the entries.

        If it returns none, memory was not up to date, and now is.
        """
        size = sum(map(len, addition.lines))
        new = await workers.computing(size, self.new_lines, addition.lines)
        done = await write(self._database, self.name, self._revision, [new])
        if done.is_done:
            added = self.contents.add(addition)
            self._revision = Revision(self._revision.generation, done.size)
            self._changed = done.changed
            self._tell("appended", count=len(added), cause=cause)
        elif done.is_uncertain:
            added = await self._find_own(addition.entries, cause)
        else:
            await self.refresh()
            added = []
        if added:
            self._stored(self.name)
        return added

    async def _is_current(self) -> bool:
        """Refresh; whether memory was up to date before."""
        before = self._revision, self.status
        await self.refresh()
        return (self._revision, self.status) == before

    async def _find_own(self, entries: Sequence[Entry], cause: object) -> list[Entry]:
        """Read entries that one call has written; others may have written around them.

        Returns none if it has not written them.
        """
        first, generation = len(self.tree), self.generation
        changes: list[tuple[DocumentChange, object]] = []
        withheld, self._withheld = self._withheld, changes
        try:
            await self.refresh()
        finally:
            self._withheld = withheld
        tree = self.tree
        own = [tree.by_id[each.id] for each in entries if each.id in tree.by_id]
        if own and own[0] >= first and self.generation == generation and self.status == "ok":
            # Told apart from those of others. What one call has written lies together.
            begin, end = own[0], own[-1] + 1
            changes.clear()
            for start, stop, why in (
                (first, begin, None),
                (begin, end, cause),
                (end, len(tree), None),
            ):
                if stop > start:
                    self._tell("appended", first=start, count=stop - start, cause=why)
        for change, by in changes:
            self._deliver(change, by)
        return [tree.entries[index] for index in own]

    def new_lines(self, lines: Sequence[bytes]) -> NewLines:
        """Lines with what they change of the session."""
        return NewLines.of(lines, facts_added(self.header, self.tree.name, lines))

    async def _append_unwritten(self, make: Make, cause: object, size: int) -> Sequence[Outcome]:
        """Append in memory; the first user or assistant message stores the session."""
        contents = self.contents
        additions = await workers.writing(size, contents.made, make)
        talks = any(entry.is_conversation for entry in additions.entries)
        if self.status == "unwritten" and talks:
            try:
                await self._write_all(b"".join(contents.lines_and(additions.lines)))
            except AlreadyExists:
                if not await self._was_stored():
                    raise
                return await self._append(make, cause, size)
            self.status = "ok"
            self._stored(self.name)
        added = contents.add(additions)
        if added:
            self._tell("appended", count=len(added), cause=cause)
        return added

    async def _was_stored(self) -> bool:
        """Whether an append that was given up has stored the session; then read what it wrote."""
        own = b"".join(self.contents.lines_and([]))
        stored = await rows.read_whole(self._database, self.name)
        if stored is None or not b"".join(stored[1]).startswith(own):
            return False
        self.status = "ok"
        self._revision = Revision(stored[0], len(own))
        self._stored(self.name)
        await self.refresh()
        return True

    async def _restore(self, make: Make, cause: object, size: int) -> Sequence[Outcome]:
        """Store all lines and the new ones again, because the session was deleted."""
        contents = self.contents
        additions = await workers.writing(size, contents.made, make)
        if not additions.lines:
            return []
        data = b"".join(contents.lines_and(additions.lines))
        await self._write_all(data)
        self._stored(self.name)
        loader = Loader()
        await workers.computing(len(data), loader.feed, data)
        self.contents = await workers.computing(
            len(data), lambda: Contents.of(loader.finish(), b"")
        )
        self.status, self._trouble = "ok", None
        own = self.tree.by_id[additions.entries[0].id]
        self._tell("restored", first=own, cause=cause)
        self._tell("appended", first=own, count=len(additions.lines), cause=cause)
        return self.tree.entries[own : own + len(additions.lines)]

    async def _write_all(self, data: bytes) -> None:
        self._revision, self._changed = await write_all(
            self._database, self.name, self._revision, data
        )

    async def _migrate(self) -> None:
        """Replace a session of an old version by the contents in memory, as a new generation."""
        whole = await rows.read_whole(self._database, self.name)
        if whole is None:
            await self.refresh()
            return
        generation, pieces = whole
        size = sum(map(len, pieces))
        parts = await workers.computing(size, render, pieces)
        self._revision, self._changed = await write_all(
            self._database, self.name, Revision(generation, size), b"".join(parts)
        )
        self._stored(self.name)
        await self._reload(None)
