"""One session file, hot in memory: opened, followed and written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator

from sessiond.errors import AlreadyExists, ReadFailed, SessionNotFound, WriteFailed
from sessiond.files import journal, reading, workers
from sessiond.files.contents import Contents, render
from sessiond.files.followed_file import FollowedFile
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.locks.flock import KeptLock, lock
from sessiond.files.locks.lock_file import is_transcript, lock_file
from sessiond.format.entries import Entry
from sessiond.format.load import NotASession
from sessiond.limits import LOCK_TIMEOUT

Make = Callable[[], bytes | Entry]


class Document(FollowedFile):
    """A session: its file, or what will be its file, or something that never gets one."""

    def __init__(
        self,
        path: str,
        *,
        seen: os.stat_result | None = None,
        lock_timeout: float = LOCK_TIMEOUT,
        product: str = "pi",
    ) -> None:
        super().__init__(path, seen=seen, product=product)
        self._lock_timeout = lock_timeout
        self._kept = KeptLock()
        self._has_lock_file = bool(path) and is_transcript(path)

    @classmethod
    def in_memory(cls, contents: Contents) -> Document:
        """A session that is never written."""
        document = cls("")
        document._contents = contents
        document.status = "memory"
        return document

    async def open(self, *, write: bool, new_header: Callable[[], bytes] | None = None) -> None:
        """Read the file, or see what has become of it; opening to `write` migrates it on disk.

        Where there is no file, `new_header` gives the header line of a new session (and, after a
        newline each, the entries it begins with), which is written later; without it
        SessionNotFound. An empty file opened to write gets that header
        at once (as pi). Raises InvalidSessionFile (also for an empty file that is not to be
        written), ReadFailed, WriteFailed and Busy; the file is untouched then. Needs the turn.
        """
        first = self._contents is None
        await (self._first_read(new_header, write=write) if first else self.refresh())
        if not first and self.status == "invalid" and self._trouble:
            raise self._trouble
        while write and self.status == "ok" and self.contents.migrated:
            await self._migrate(first=first)

    async def _first_read(self, new_header: Callable[[], bytes] | None, *, write: bool) -> None:
        seen = stat_regular(self.path)
        if seen is None:
            if new_header is None:
                raise SessionNotFound(self.path)
            begun = new_header()
            self._contents = await workers.computing(len(begun), Contents.new, begun)
            self.status, self.state = "unwritten", None
            return
        found = await workers.reading(seen.st_size, reading.read, self.path)
        if found.contents is None and not found.bad_line and write and new_header is not None:
            await self._begin(new_header() + b"\n")
            found = await workers.reading(0, reading.read, self.path)
        if found.contents is None:
            raise self._not_a_session(found.bad_line or 1)
        self._contents, self.status, self.state = found.contents, "ok", found.state

    async def _begin(self, header: bytes) -> None:
        """Give an empty file its header, unless somebody else did."""
        try:
            descriptor = await lock(self.path, self._lock_timeout)
        except FileNotFoundError:
            raise SessionNotFound(self.path) from None
        try:
            if os.fstat(descriptor).st_size == 0:
                journal.fill(self.path, descriptor, [header])
        finally:
            os.close(descriptor)

    async def append(self, make: Make, cause: object = None) -> Entry:
        """Write one entry and take it over; `written` tells whether it is in the file.

        `make` is called when the file is locked and what is here is what it holds. It returns the
        entry's line without a newline; or an entry that is there already, and nothing is written;
        what it raises comes out, and nothing is written. Raises WriteFailed, Busy, AlreadyExists
        (somebody else has created the file meanwhile), InvalidSessionFile and ReadFailed, all being
        as before. A file that was deleted or emptied is written whole again. Needs the turn.
        """
        if self._has_lock_file:
            # A running gateway keeps out of the way as long as its own kind of lock is held.
            async with lock_file(self.path, self._lock_timeout):
                return await self._append(make, cause)
        return await self._append(make, cause)

    async def _append(self, make: Make, cause: object) -> Entry:
        if self.status in ("unwritten", "memory"):
            return await self._append_unwritten(make, cause)
        entry = None
        while entry is None:
            entry = await self._try_append(make, cause)
        return entry

    async def _try_append(self, make: Make, cause: object) -> Entry | None:
        """None where the file has become another one on the way."""
        if self.status != "ok":
            await self.refresh()
        if self._trouble:
            raise self._trouble
        try:
            if self.status == "deleted":
                return await self._restore(None, make, cause)
            descriptor = self._kept.take()
            if descriptor is None:
                descriptor = await lock(self.path, self._lock_timeout)
        except (FileNotFoundError, ReadFailed, AlreadyExists):
            await self.refresh()
            return None
        try:
            await self._refresh_for_writing(descriptor)
            state = self.state
            if state is None or state.key != FileState.of(os.fstat(descriptor)).key:
                return None
            if self.status == "empty":
                return await self._restore(descriptor, make, cause)
            if self.status != "ok":
                return None
            if self.contents.migrated:
                await self._rewrite(descriptor, first=False)
                return None
            entry = await self._write(descriptor, state, make, cause)
            # Whoever sends many requests at once pays for the lock once.
            self._kept.keep(descriptor)
            descriptor = None
            return entry
        finally:
            if descriptor is not None:
                os.close(descriptor)

    async def _refresh_for_writing(self, descriptor: int) -> None:
        """Follow the file to a moment when nobody is in the middle of a line."""
        await self.refresh()
        size = -1
        while self.status == "ok" and self.state and not self.contents.ended:
            if self.state.size == size:
                return
            size = self.state.size
            journal.let_finish(self.path, descriptor)
            await self.refresh()

    async def _write(self, descriptor: int, state: FileState, make: Make, cause: object) -> Entry:
        """The ordinary append: does not suspend unless the line is huge."""
        made = make()
        if isinstance(made, Entry):
            return made
        contents = self.contents
        entry = contents.entry_of(made)
        data = contents.framed(made)
        seen = await workers.writing(
            len(data), journal.append, self.path, descriptor, data, state.size
        )
        if seen.st_size != state.size + len(data):
            return await self._find_own(entry, state, cause)
        self.state = FileState.of(seen)
        entry = contents.add(entry, made)
        self._tell("appended", count=1, cause=cause)
        return entry

    async def _find_own(self, entry: Entry, state: FileState, cause: object) -> Entry:
        """Somebody without locks wrote between our last look and our line, or after it."""
        first = len(self.tree)
        growth = await workers.writing(0, reading.read_growth, self.path, self.contents, state.key)
        if growth is None:
            await self.refresh()
        else:
            self.state = growth.state
            self.contents.grow(growth.loaded, growth.tail)
        entries = self.tree.entries
        own = self.tree.by_id.get(entry.id, -1)
        if own < 0:
            # What came in between had no end of line, and ours is now part of that line.
            reason = "another program was writing an unfinished line; try again"
            raise WriteFailed(self.path, OSError(errno.EIO, reason))
        if growth is not None:
            after = len(entries) - own - 1
            if own > first:
                self._tell("appended", first=first, count=own - first)
            self._tell("appended", first=own, count=1, cause=cause)
            if after:
                self._tell("appended", first=own + 1, count=after)
        return entries[own]

    async def _append_unwritten(self, make: Make, cause: object) -> Entry:
        """Kept in memory until there is something worth a file (as pi 1.5.2)."""
        made = make()
        if isinstance(made, Entry):
            return made
        contents = self.contents
        entry = contents.entry_of(made)
        if self.status == "unwritten" and entry.is_conversation:
            seen = await workers.writing(
                contents.nbytes, journal.create, self.path, _whole(contents, made)
            )
            self.state = FileState.of(seen)
            # What others may have added by now is still to be read.
            self.state.size = contents.offset + len(made) + 1
            self.status = "ok"
        entry = contents.add(entry, made)
        self._tell("appended", count=1, cause=cause)
        return entry

    async def _restore(self, descriptor: int | None, make: Make, cause: object) -> Entry:
        """Write everything again, and the new line: into the emptied file, or as a new one."""
        made = make()
        if isinstance(made, Entry):
            return made
        contents = self.contents
        entry = contents.entry_of(made)
        found = await workers.writing(
            contents.nbytes, _written_again, self.path, descriptor, contents, made
        )
        own = found.contents.tree.by_id.get(entry.id) if found.contents else None
        if found.contents is None or own is None:
            reason = "another program changed the file at the same moment; look and try again"
            raise WriteFailed(self.path, OSError(errno.EIO, reason))
        self.state = found.state
        self._contents, self.status, self._trouble = found.contents, "ok", None
        self._tell("restored", first=own, cause=cause)
        self._tell("appended", first=own, count=1, cause=cause)
        return self.tree.entries[own]

    async def _migrate(self, *, first: bool) -> None:
        """Make the file on disk what it is here: version 3."""
        if self._has_lock_file:
            async with lock_file(self.path, self._lock_timeout):
                await self._migrate_locked(first=first)
        else:
            await self._migrate_locked(first=first)

    async def _migrate_locked(self, *, first: bool) -> None:
        try:
            descriptor = await lock(self.path, self._lock_timeout)
            try:
                await self.refresh()
                if self.status == "ok" and self.contents.migrated:
                    await self._rewrite(descriptor, first=first)
            finally:
                os.close(descriptor)
        except (FileNotFoundError, ReadFailed):
            await self.refresh()
        except WriteFailed as error:
            reason = f"{error.data['strerror']} (opened readOnly, it is left in its old version)"
            raise WriteFailed(self.path, OSError(error.data["errno"], reason)) from None

    async def _rewrite(self, descriptor: int, *, first: bool) -> None:
        """Migrate the locked file on disk; handles that are open see a new generation."""
        try:
            found = await workers.undisturbed(_migrated, self.path, descriptor)
        except (journal.Replaced, NotASession, SessionNotFound):
            await self.refresh()
            return
        if found.contents is not None:
            self.state = found.state
            self._replace(found.contents, same=first)


def _whole(contents: Contents, line: bytes) -> Iterator[bytes]:
    """The bytes of the whole file, with one more line."""
    for known in contents.lines():
        yield known + b"\n"
    yield line + b"\n"


def _written_again(
    path: str, descriptor: int | None, contents: Contents, line: bytes
) -> reading.Reading:
    if descriptor is None:
        # A directory that is gone was taken away on purpose.
        journal.create(path, _whole(contents, line), directories=False)
    else:
        journal.fill(path, descriptor, _whole(contents, line))
    return reading.read(path)


def _migrated(path: str, descriptor: int) -> reading.Reading:
    journal.rewrite(path, descriptor, render)
    return reading.read(path)
