"""One session file in memory: open it, follow its changes, append to it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from sessiond.errors import AlreadyExists, ReadFailed, SessionNotFound, WriteFailed
from sessiond.files import journal, reading, workers
from sessiond.files.appends.appended_file import AppendedFile
from sessiond.files.appends.kept_file import OpenFiles
from sessiond.files.contents import Contents, render
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.locks.flock import lock
from sessiond.files.locks.lock_file import lock_file
from sessiond.files.session_document import Make
from sessiond.format.entries import Entry
from sessiond.format.load import NotASession
from sessiond.limits import LOCK_TIMEOUT


class Document(AppendedFile):
    """A session with a file, one that will get a file, or one in memory only."""

    def __init__(
        self,
        path: str,
        *,
        seen: os.stat_result | None = None,
        lock_timeout: float = LOCK_TIMEOUT,
        open_files: OpenFiles | None = None,
    ) -> None:
        super().__init__(path, seen=seen, open_files=open_files)
        self._lock_timeout = lock_timeout

    @classmethod
    def in_memory(cls, contents: Contents) -> Document:
        """A document that is never written to a file."""
        document = cls("")
        document._contents = contents
        document.status = "memory"
        return document

    async def open(self, *, write: bool, new_header: Callable[[], bytes] | None = None) -> None:
        """Read the file, or refresh it if it is open; with `write`, migrate an old file on disk.

        If there is no file, `new_header` returns the header line of a new session (and, after a
        newline each, its first entries), which is written later; without `new_header` raises
        SessionNotFound. With `write`, an empty file gets that header at once, as in pi. Raises
        InvalidSessionFile (also for an empty file without `write`), ReadFailed, WriteFailed and
        Busy, and leaves the file unchanged then. The caller must hold the turn.
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
        result = await self._read(seen.st_size)
        if result.contents is None and not result.bad_line and write and new_header is not None:
            await self._write_header(new_header() + b"\n")
            result = await self._read(0)
        if result.contents is None:
            raise self._not_a_session(result.bad_line or 1)
        self._contents, self.status, self.state = result.contents, "ok", result.state

    async def _write_header(self, header: bytes) -> None:
        """Write the header into an empty file, unless another program was faster."""
        try:
            descriptor = await lock(self.path, self._lock_timeout)
        except FileNotFoundError:
            raise SessionNotFound(self.path) from None
        try:
            if os.fstat(descriptor).st_size == 0:
                journal.fill(self.path, descriptor, [header])
        finally:
            os.close(descriptor)

    async def append(self, make: Make, cause: object = None, size: int = 0) -> Entry:
        """Append one entry to the file and to memory; `written` tells whether it is in the file.

        `make` is called once the file is locked and memory is up to date, in a worker if `size`,
        the expected length of the line, is large. It returns the entry's line without a newline, or
        an existing entry, in which case nothing is written. If it raises, nothing is written and
        the exception is passed on. Raises WriteFailed, Busy, AlreadyExists (another program has
        created the file meanwhile), InvalidSessionFile and ReadFailed; nothing is changed then. A
        deleted or emptied file is written again as a whole. The caller must hold the turn.
        """
        self._line_size = size
        if self._has_lock_file:
            # A running gateway respects its own kind of lock file.
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
        """Try once; None if the file was replaced meanwhile, so that the caller tries again."""
        if self.status != "ok":
            await self.refresh()
        if self._trouble:
            raise self._trouble
        try:
            if self.status == "deleted":
                return await self._restore(None, make, cause)
            descriptor = await self._kept.lock(self.path, self._lock_timeout, self.state)
        except (FileNotFoundError, ReadFailed, AlreadyExists):
            await self.refresh()
            return None
        entry = None
        try:
            entry = await self._append_locked(descriptor, make, cause)
        finally:
            if entry is None:
                self._kept.close()
            else:
                self._kept.unlock()
        return entry

    async def _append_locked(self, descriptor: int, make: Make, cause: object) -> Entry | None:
        """Append to the locked file; None if the file was replaced or first had to be migrated."""
        seen = self._kept.seen
        if seen is None or not self._is_current(seen) or not self.contents.ended:
            await self._refresh_for_writing(descriptor)
        state = self.state
        if state is None or state.key != self._kept.key:
            return None
        if self.status == "empty":
            return await self._restore(descriptor, make, cause)
        if self.status != "ok":
            return None
        if self.contents.migrated:
            await self._rewrite(descriptor, first=False)
            return None
        return await self._write(descriptor, state, make, cause)

    async def _refresh_for_writing(self, descriptor: int) -> None:
        """Refresh until no other program is in the middle of writing a line."""
        await self.refresh()
        size = -1
        while self.status == "ok" and self.state and not self.contents.ended:
            if self.state.size == size:
                return
            size = self.state.size
            journal.let_finish(self.path, descriptor)
            await self.refresh()

    async def _append_unwritten(self, make: Make, cause: object) -> Entry:
        """Append in memory; the first user or assistant message creates the file (as pi 1.5.2)."""
        contents = self.contents
        made = await workers.writing(self._line_size, contents.made, make)
        if isinstance(made, Entry):
            return made
        line, _, entry = made
        if self.status == "unwritten" and entry.is_conversation:
            size = max(contents.nbytes, len(line))
            seen = await workers.writing(size, _create, self.path, contents, line)
            self.state = FileState.of(seen)
            # Count only our bytes: what others may have appended since is read later.
            self.state.size = contents.offset + len(line) + 1
            self.status = "ok"
        entry = contents.add(entry, line)
        self._tell("appended", count=1, cause=cause)
        return entry

    async def _restore(self, descriptor: int | None, make: Make, cause: object) -> Entry:
        """Write all lines and the new one: into the emptied file, or as a new file."""
        contents = self.contents
        made = await workers.writing(self._line_size, contents.made, make)
        if isinstance(made, Entry):
            return made
        line, _, entry = made
        size = contents.tree.cost + len(line)
        result = await workers.writing(size, _write_again, self.path, descriptor, contents, line)
        own = result.contents.tree.by_id.get(entry.id) if result.contents else None
        if result.contents is None or own is None:
            reason = "another program changed the file at the same moment; read it and try again"
            raise WriteFailed(self.path, OSError(errno.EIO, reason))
        self.state = result.state
        self._contents, self.status, self._trouble = result.contents, "ok", None
        self._tell("restored", first=own, cause=cause)
        self._tell("appended", first=own, count=1, cause=cause)
        return self.tree.entries[own]

    async def _migrate(self, *, first: bool) -> None:
        """Migrate the file on disk to format version 3, as the contents in memory are."""
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
            reason = f"{error.data['strerror']} (open it with readOnly to leave its old version)"
            raise WriteFailed(self.path, OSError(error.data["errno"], reason)) from None

    async def _rewrite(self, descriptor: int, *, first: bool) -> None:
        """Migrate the locked file on disk; open handles see a new generation."""
        try:
            result = await workers.undisturbed(_migrate_file, self.path, descriptor)
        except (journal.Replaced, NotASession, SessionNotFound):
            await self.refresh()
            return
        if result.contents is not None:
            self.state = result.state
            self._replace(result.contents, same=first)


def _create(path: str, contents: Contents, line: bytes) -> os.stat_result:
    return journal.create(path, contents.lines_and(line))


def _write_again(
    path: str, descriptor: int | None, contents: Contents, line: bytes
) -> reading.Reading:
    if descriptor is None:
        # A missing directory was removed on purpose: do not create it again.
        journal.create(path, contents.lines_and(line), directories=False)
    else:
        journal.fill(path, descriptor, contents.lines_and(line))
    return reading.read(path, hold=True)


def _migrate_file(path: str, descriptor: int) -> reading.Reading:
    journal.rewrite(path, descriptor, render)
    return reading.read(path, hold=True)
