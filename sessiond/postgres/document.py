"""One session of the store in memory: open it, and append to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from sessiond.files import workers
from sessiond.files.contents import Addition, Contents, render
from sessiond.files.session_document import DocumentChange, Make, Outcome
from sessiond.format.entries import Entry
from sessiond.format.load import Loader
from sessiond.postgres import rows
from sessiond.postgres.facts import facts_added
from sessiond.postgres.faults import StoreBusy, StoreReadOnly
from sessiond.postgres.followed_document import FollowedDocument
from sessiond.postgres.rows import Revision
from sessiond.postgres.writing import NewLines, write, write_all
from sessiond.runtime.errors import AlreadyExists

T = TypeVar("T")


class StoredDocument(FollowedDocument):
    """A session in the database, to which this host appends.

    An append is one call that compares the length of the session with the one in memory. If
    another host was faster, its lines are read and the entry is made again.
    """

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
