"""One session file in memory: read it, follow its changes, and append to it.

Theory of operation. Memory is a copy of the file, and four rules keep it equal:

1. The caller holds the document's turn for everything that reads or writes. Requests on a session
   run one after another; other sessions do not wait.
2. A write also holds locks: that of a gateway on its transcript, around all of `append`, and the
   `flock` of the file, in `_try_append`. A process that waited for the `flock` may have got that of
   a file that was replaced meanwhile. So `_append_locked` compares the locked file with memory,
   refreshes memory if they differ, and returns None if the name leads to another file. `_append`
   then tries again.
3. `make` builds the lines only then, when memory is up to date, and they are added to memory only
   after the one `write` (`_take`). Of a write without room at most a blank line stays. If the file
   grew by another length, a program without locks wrote at the same time, and `_find_own` looks
   which of the lines are there.
4. Growth by others is read from the last offset and believed for now: `_note` counts it, and
   `compare` reads what lay before it when the growth pauses. A file that is gone is written again
   only from lines that were compared (`_restore`).

It is one module although it is long: a write goes on with what the last reading has found.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Literal

import msgspec

from sessiond.files import disk, journal, reading, workers
from sessiond.files.contents import Addition, Contents, render
from sessiond.files.flock import lock
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.lock_file import is_transcript, transcript_lock
from sessiond.files.own_writes import OWN_WRITES
from sessiond.files.session_document import DocumentChange, Make, Outcome, SessionDocument
from sessiond.format.entries import Entry
from sessiond.format.load import NotASession
from sessiond.runtime.errors import (
    AlreadyExists,
    PathNotAllowed,
    ReadFailed,
    SessiondError,
    SessionNotFound,
    WriteFailed,
)
from sessiond.runtime.limits import LOCK_TIMEOUT

logger = logging.getLogger(__name__)


class Document(SessionDocument):
    """A session with a file, one that will get a file, or one in memory only."""

    def __init__(
        self,
        path: str,
        *,
        status: os.stat_result | None = None,
        lock_timeout: float = LOCK_TIMEOUT,
        doubted: Callable[[Document], None] = lambda _: None,
    ) -> None:
        """`doubted` is called when the file has grown, and `compare` is to be called some time."""
        super().__init__(path)
        self.roots = disk.roots()
        """The directories that confined the context in which this was made: see `Documents`."""
        self.new_at = disk.realname(path) if path and not status else ""
        """The real path of a file that did not exist when this was made."""
        self._state = FileState.of(status) if status else None
        # Asking the path again for each append would take longer than many appends.
        self._is_transcript = bool(path) and is_transcript(path)
        self._lock_timeout = lock_timeout
        self._line_size = 0
        self._doubted = doubted
        self._growths = 0
        """How often the file has grown by other programs."""
        self._compared = 0
        """The number of growths before which nothing is known to have changed."""

    @classmethod
    def in_memory(cls, contents: Contents) -> Document:
        """A document that is never written to a file."""
        document = cls("")
        document.contents = contents
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
        first = self.status == "unread"
        await (self._first_read(new_header, write=write) if first else self.refresh())
        if not first and self.status == "invalid" and self._trouble:
            raise self._trouble
        while write and self.status == "ok" and self.contents.migrated:
            await self._migrate(first=first)

    async def _first_read(self, new_header: Callable[[], bytes] | None, *, write: bool) -> None:
        status = stat_regular(self.path)
        if status is None:
            if new_header is None:
                raise SessionNotFound(self.path)
            begun = new_header()
            self.contents = await workers.computing(len(begun), Contents.new, begun)
            self.status, self._state = "unwritten", None
            return
        result = await self._read(status.st_size)
        if result.contents is None and not result.bad_line and write and new_header is not None:
            await self._write_header(new_header() + b"\n")
            result = await self._read(0)
        if result.contents is None:
            raise self._not_a_session(result.bad_line or 1)
        self.contents, self.status, self._state = result.contents, "ok", result.state

    async def _write_header(self, header: bytes) -> None:
        """Write the header into an empty file, unless another program was faster."""
        async with self._transcript_lock():
            try:
                descriptor, _ = await lock(self.path, self._lock_timeout)
            except FileNotFoundError:
                raise SessionNotFound(self.path) from None
            try:
                if os.fstat(descriptor).st_size == 0:
                    journal.fill(self.path, descriptor, [header])
            finally:
                os.close(descriptor)

    @property
    def state(self) -> FileState | None:
        """The state of the file when it was last examined; None while it cannot be read."""
        return self._state

    def _is_current(self, status: os.stat_result) -> bool:
        """Whether memory is up to date with the file that `stat` has just seen."""
        return self._state is not None and self._state.matches(status)

    @property
    def is_current(self) -> bool:
        if self.status != "ok" or self.turn.locked():
            return False
        try:
            status = stat_regular(self.path)
        except (ReadFailed, PathNotAllowed):
            return False
        return status is not None and self._is_current(status)

    async def refresh(self) -> DocumentChange | None:
        """Compare with the file, update memory, and return the change, if any.

        Neither reads nor suspends while the file is unchanged, and does not suspend for small
        changes. Calls the listeners. A file that cannot be read sets `status` and never raises.
        The caller must hold the turn.
        """
        if self.status in ("unwritten", "memory"):
            return None
        try:
            status = stat_regular(self.path)
            if status is None:
                return self._lose("deleted")
            if self._is_current(status):
                return None
            return await self._follow(status)
        except SessionNotFound:
            return self._lose("deleted")
        except (ReadFailed, PathNotAllowed) as error:
            self._state = None
            return self._lose("invalid", error)

    async def _read(self, size: int) -> reading.Reading:
        """Read the file for the first time; raises SessionNotFound and ReadFailed."""
        return await workers.reading(size, reading.read, self.path)

    async def _follow(self, status: os.stat_result) -> DocumentChange | None:
        contents, state = self.contents, self.state
        # Bytes can change while the size stays. A file of an older version is not followed line
        # by line, because it is migrated as a whole.
        has_other_size = state is not None and status.st_size != state.size
        if self.status == "ok" and state and has_other_size and not contents.migrated:
            more = status.st_size - contents.offset
            if more >= 0:
                growth = await workers.reading(
                    more, reading.read_growth, self.path, contents, state.key
                )
                if growth is not None:
                    return self._grow(growth)
        return await self._read_again(status.st_size)

    async def _read_again(self, size: int) -> DocumentChange | None:
        """Read the whole file and compare it with memory. Raises as `_read`."""
        contents, state = self.contents, self.state
        result = await workers.reading(size, reading.read, self.path, contents)
        self._state = result.state
        self._compared = self._growths
        if result.contents is not None:
            same_file = self.status == "ok" and state and state.key == result.state.key
            if result.continues and not result.same and same_file:
                # A `stat` during another program's append saw the new time with the old size.
                return self._continue(result.contents)
            return self._replace(result.contents, same=result.same)
        if result.bad_line:
            return self._lose("invalid", self._not_a_session(result.bad_line))
        return self._lose("empty")

    def _grow(self, growth: reading.Growth) -> DocumentChange | None:
        lines = self.contents.loaded.seen()
        # If there is no memory for the lines, the whole file is read at the next refresh.
        self._state = None
        count = self.contents.grow(growth.loaded, growth.tail)
        self._state = growth.state
        self._note(growth)
        return self._grown(count, lines)

    def _note(self, growth: reading.Growth) -> None:
        """Note that another program has written, so that all lines are compared some time."""
        if growth.is_compared:
            self._compared = self._growths
        else:
            self._growths += 1
            self._doubted(self)

    @property
    def is_compared(self) -> bool:
        """Whether all lines were compared with the file after it has last grown."""
        return self._compared == self._growths

    async def compare(self) -> float:
        """Compare all lines with the file, and read it again if any differs; calls the listeners.

        Returns for how many seconds a worker was busy. The caller must not hold the turn.
        """
        if self.status != "ok" or self.state is None:
            return 0.0
        conclude, look = self._comparison(self.state)
        same, seconds = await workers.scanning(look)
        async with self.turn:
            await conclude(same)
        return seconds

    async def settle(self) -> DocumentChange | None:
        await self.refresh()
        if self.is_compared or self.status != "ok" or self.state is None:
            return None
        conclude, look = self._comparison(self.state)
        same, _ = await workers.scanning(look)
        return await conclude(same)

    def _comparison(
        self, state: FileState
    ) -> tuple[
        Callable[[bool | None], Awaitable[DocumentChange | None]],
        Callable[[], tuple[bool | None, float]],
    ]:
        """Return what to do with the result in the turn, and what compares in a worker."""
        contents, growths, lines = self.contents, self._growths, self.contents.snapshot()

        def look() -> tuple[bool | None, float]:
            begun = time.thread_time()
            try:
                same = reading.begins_with(self.path, lines, state.key)
            except (SessionNotFound, ReadFailed, PathNotAllowed):
                # The next request finds out why.
                same = None
            return same, time.thread_time() - begun

        async def conclude(same: bool | None) -> DocumentChange | None:
            if same is None or self.contents is not contents or self.status != "ok":
                return None
            if same:
                self._compared = max(self._compared, growths)
                return None
            try:
                return await self._read_again(contents.offset)
            except SessionNotFound:
                return self._lose("deleted")
            except (ReadFailed, PathNotAllowed) as error:
                self._state = None
                return self._lose("invalid", error)

        return conclude, look

    def _lose(
        self, status: Literal["deleted", "empty", "invalid"], why: SessiondError | None = None
    ) -> DocumentChange | None:
        if status == "deleted":
            self._state = None
        return super()._lose(status, why)

    async def append(self, make: Make, cause: object = None, size: int = 0) -> Sequence[Outcome]:
        """Append entries to the file with one write, and to memory; `written` tells whether they
        are in the file.

        `make` is called once the file is locked and memory is up to date, in a worker if `size`,
        the expected length of the lines, is large. Returns what became of each line. If it raises,
        nothing is written and the exception is passed on. Raises WriteFailed, Busy, AlreadyExists
        (another program has created the file meanwhile), InvalidSessionFile and ReadFailed; nothing
        is changed then. A deleted or emptied file is written again as a whole. The caller must hold
        the turn.
        """
        self._line_size = size
        async with self._transcript_lock():
            return await self._append(make, cause)

    def _transcript_lock(self) -> AbstractAsyncContextManager[None]:
        if self._is_transcript:
            return transcript_lock(self.path, self._lock_timeout)
        return nullcontext()

    async def _append(self, make: Make, cause: object) -> Sequence[Outcome]:
        if self.status in ("unwritten", "memory"):
            return await self._append_unwritten(make, cause)
        done = None
        while done is None:
            done = await self._try_append(make, cause)
        return done

    async def _try_append(self, make: Make, cause: object) -> Sequence[Outcome] | None:
        """Try once; None if the file was replaced meanwhile, so that the caller tries again."""
        if self.status != "ok":
            await self.refresh()
        if self._trouble:
            raise self._trouble
        try:
            if self.status == "deleted":
                return await self._restore(None, make, cause)
            descriptor, status = await lock(self.path, self._lock_timeout)
        except (FileNotFoundError, ReadFailed, AlreadyExists):
            await self.refresh()
            return None
        try:
            return await self._append_locked(descriptor, status, make, cause)
        finally:
            os.close(descriptor)

    async def _append_locked(
        self, descriptor: int, status: os.stat_result, make: Make, cause: object
    ) -> Sequence[Outcome] | None:
        """Append to the locked file, of which `status` is the `stat`.

        None if the file was replaced or first had to be migrated.
        """
        if not self._is_current(status):
            await self.refresh()
        state = self._state
        if state is None or not state.is_of(status):
            return None
        if self.status == "empty":
            return await self._restore(descriptor, make, cause)
        if self.status != "ok":
            return None
        if self.contents.migrated:
            await self._rewrite(descriptor, first=False)
            return None
        return await self._write(descriptor, state, make, cause)

    async def _append_unwritten(self, make: Make, cause: object) -> Sequence[Outcome]:
        """Append in memory; the first user or assistant message creates the file (as pi 1.6.0)."""
        contents = self.contents
        addition = await workers.writing(self._line_size, contents.made, make)
        talks = any(entry.is_conversation for entry in addition.entries)
        if self.status == "unwritten" and talks:
            size = max(contents.nbytes, addition.size)
            status = await workers.writing(size, _create, self.path, contents, addition.lines)
            # Count only our bytes: what others may have appended since is read later.
            ours = contents.offset + addition.size + len(addition.lines)
            self._state = msgspec.structs.replace(FileState.of(status), size=ours)
            self.status = "ok"
        return self._take(addition, cause)

    async def _restore(
        self, descriptor: int | None, make: Make, cause: object
    ) -> Sequence[Outcome]:
        """Write all lines and the new ones: into the emptied file, or as a new file.

        Raises WriteFailed if another program has written to the file and not all lines were
        compared since: one that was removed from the file must not come back.
        """
        contents = self.contents
        if not self.is_compared:
            reason = (
                "the file is gone, and another program had just changed it; it is not written"
                " again from lines that may be out of date"
            )
            raise WriteFailed(self.path, OSError(errno.ESTALE, reason))
        addition = await workers.writing(self._line_size, contents.made, make)
        if not addition.lines:
            return []
        size = contents.tree.cost + addition.size
        result = await workers.writing(
            size, _write_again, self.path, descriptor, contents, addition.lines
        )
        read = {} if result.contents is None else result.contents.tree.by_id
        if result.contents is None or not all(entry.id in read for entry in addition.entries):
            reason = "another program changed the file at the same moment; read it and try again"
            raise WriteFailed(self.path, OSError(errno.EIO, reason))
        own = sorted(read[entry.id] for entry in addition.entries)
        self._state = result.state
        self.contents, self.status, self._trouble = result.contents, "ok", None
        self._tell("restored", first=own[0], cause=cause)
        self._tell("appended", first=own[0], count=own[-1] + 1 - own[0], cause=cause)
        return [self.tree.entries[index] for index in own]

    async def _write(
        self, descriptor: int, state: FileState, make: Make, cause: object
    ) -> Sequence[Outcome]:
        """Append the lines of `make` to the locked file with one write, and then to memory.

        Suspends only for very long lines. Raises WriteFailed if there is no space for all.
        """
        addition = await workers.writing(self._line_size, self.contents.made, make)
        if not addition.lines:
            return []
        framed = self.contents.framed(addition.lines)
        status = await workers.writing(len(framed), journal.append, self.path, descriptor, framed)
        if status.st_size == state.size + len(framed):
            OWN_WRITES.note(state, status)
            self._state = FileState.of(status)
            return self._take(addition, cause)
        growth = status.st_size - state.size
        entries = await self._find_own(addition.entries, state, growth, cause)
        outcomes: list[Outcome] = [each or self._lost() for each in entries]
        is_broken = entries[0] is None and any(entries)
        if is_broken and self._state and self.status == "ok":
            # Another program's line had no end yet, and the first line is now part of it. The
            # other entries continue the first one, so it is written again, now after them.
            try:
                again = await self._write(
                    descriptor, self._state, lambda: addition.lines[:1], cause
                )
            except WriteFailed as error:
                again = [error]
            outcomes[:1] = again
        return outcomes

    def _take(self, addition: Addition, cause: object) -> Sequence[Outcome]:
        """Add written lines to memory; for want of it, the whole file is read again.

        Raises nothing: the lines are in the file, so the append must not be refused.
        """
        try:
            added = self.contents.add(addition)
        except MemoryError:
            logger.warning("No memory for an appended entry; the file will be read again")
            self._state = None
            return addition.entries
        if added:
            self._tell("appended", count=len(added), cause=cause)
        return added

    def _lost(self) -> WriteFailed:
        """The error for a line that is not in the file although it was written."""
        reason = "another program was writing an unfinished line; try again"
        return WriteFailed(self.path, OSError(errno.EIO, reason))

    async def _find_own(
        self, written: Sequence[Entry], state: FileState, size: int, cause: object
    ) -> Sequence[Entry | None]:
        """Find written entries after a program without locks wrote before or after them.

        `size` is by how much the file has grown.

        None: it is not in the file, for example because the line before it had no end.
        """
        first = len(self.tree)
        growth = await workers.writing(
            size, reading.read_growth, self.path, self.contents, state.key
        )
        if growth is None:
            await self.refresh()
        else:
            self._state = growth.state
            self.contents.grow(growth.loaded, growth.tail)
            self._note(growth)
        entries, by_id = self.tree.entries, self.tree.by_id
        own = [by_id[each.id] for each in written if each.id in by_id]
        if growth is not None:
            # What one write has written lies together.
            begin, end = (own[0], own[-1] + 1) if own else (len(entries), len(entries))
            for start, stop, why in (
                (first, begin, None),
                (begin, end, cause),
                (end, len(entries), None),
            ):
                if stop > start:
                    self._tell("appended", first=start, count=stop - start, cause=why)
        return [entries[by_id[each.id]] if each.id in by_id else None for each in written]

    async def _migrate(self, *, first: bool) -> None:
        """Migrate the file on disk to format version 3, as the contents in memory are."""
        async with self._transcript_lock():
            await self._migrate_locked(first=first)

    async def _migrate_locked(self, *, first: bool) -> None:
        try:
            descriptor, _ = await lock(self.path, self._lock_timeout)
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
            self._state = result.state
            self._replace(result.contents, same=first)


def _create(path: str, contents: Contents, lines: Sequence[bytes]) -> os.stat_result:
    return journal.create(path, contents.lines_and(lines))


def _write_again(
    path: str, descriptor: int | None, contents: Contents, lines: Sequence[bytes]
) -> reading.Reading:
    if descriptor is None:
        # A missing directory was removed on purpose: do not create it again.
        journal.create(path, contents.lines_and(lines), directories=False)
    else:
        journal.fill(path, descriptor, contents.lines_and(lines))
    return reading.read(path)


def _migrate_file(path: str, descriptor: int) -> reading.Reading:
    journal.rewrite(path, descriptor, render)
    return reading.read(path)
