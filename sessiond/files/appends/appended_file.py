"""Write entries to the end of a locked session file, and then to memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from sessiond.errors import WriteFailed
from sessiond.files import journal, reading, workers
from sessiond.files.appends.kept_file import KeptFile, OpenFiles
from sessiond.files.followed_file import FollowedFile
from sessiond.files.identity import FileState
from sessiond.files.locks.lock_file import is_transcript
from sessiond.files.session_document import Make
from sessiond.format.entries import Entry


class AppendedFile(FollowedFile):
    """A followed file that entries are appended to."""

    def __init__(
        self,
        path: str,
        *,
        seen: os.stat_result | None,
        open_files: OpenFiles | None,
    ) -> None:
        super().__init__(path, seen=seen)
        self._kept = KeptFile(open_files)
        self._has_lock_file = bool(path) and is_transcript(path)
        self._line_size = 0

    @property
    def takes_several(self) -> bool:
        return (
            self._kept.is_open
            and self.status == "ok"
            and not self._has_lock_file
            and self.contents.takes_lines
        )

    async def append_several(
        self, lines: Sequence[bytes], cause: object = None
    ) -> Sequence[Entry | WriteFailed]:
        """Append entries with one write: see `SessionDocument.append_several`.

        Nothing is written if the file is not as it was last seen, or cannot be locked or written
        at once; the first entries only, if there is no space for more. Suspends only if another
        program replaces the file at the same moment.
        """
        state = self._state
        try:
            entries = self.contents.entries_of(lines)
        except ValueError:
            # Appended alone, the line that is no entry gets its error.
            return ()
        descriptor = self._kept.try_lock(self.path, state)
        if descriptor is None or state is None:
            return ()
        done = False
        try:
            count, seen = _append_lines(descriptor, lines, state.size)
            if count < len(lines):
                lines, entries = lines[:count], entries[:count]
            added: Sequence[Entry | WriteFailed]
            if seen.st_size == state.size + sum(map(len, lines)) + count:
                added = self._add(entries, lines, seen, cause)
            else:
                added = await self._find_several(descriptor, entries, lines, state, cause)
            done = True
        finally:
            if done:
                self._kept.unlock()
            else:
                self._kept.close()
        return added

    def _add(
        self, entries: Sequence[Entry], lines: Sequence[bytes], seen: os.stat_result, cause: object
    ) -> Sequence[Entry]:
        """Add written lines to memory; `seen` is the `stat` of the file afterwards."""
        # The file is the same, so `state` need not look for another key.
        self._state = FileState.of(seen)
        added = list(map(self.contents.add, entries, lines))
        if added:
            self._tell("appended", count=len(added), cause=cause)
        return added

    async def _find_several(
        self,
        descriptor: int,
        entries: Sequence[Entry],
        lines: Sequence[bytes],
        state: FileState,
        cause: object,
    ) -> Sequence[Entry | WriteFailed]:
        found = [each or self._lost() for each in await self._find_own(entries, state, cause)]
        is_broken = len(found) > 1 and isinstance(found[0], WriteFailed)
        if is_broken and isinstance(found[1], Entry) and self._state and self.status == "ok":
            # Another program's line had no end yet, and the first line is now part of it. The
            # other entries continue the first one, so it is written again, now after them.
            try:
                found[0] = await self._write(descriptor, self._state, lambda: lines[0], cause)
            except WriteFailed as error:
                found[0] = error
        return found

    async def _write(self, descriptor: int, state: FileState, make: Make, cause: object) -> Entry:
        """Append a line to the locked file; suspends only for a very long line."""
        made = await workers.writing(self._line_size, self.contents.made, make)
        if isinstance(made, Entry):
            return made
        line, data, entry = made
        size = len(data)
        seen = await workers.writing(size, journal.append, self.path, descriptor, data, state.size)
        if seen.st_size == state.size + size:
            return self._add([entry], [line], seen, cause)[0]
        own = (await self._find_own([entry], state, cause))[0]
        if own is None:
            raise self._lost()
        return own

    def _lost(self) -> WriteFailed:
        """The error for a line that is not in the file although it was written."""
        reason = "another program was writing an unfinished line; try again"
        return WriteFailed(self.path, OSError(errno.EIO, reason))

    async def _find_own(
        self, written: Sequence[Entry], state: FileState, cause: object
    ) -> Sequence[Entry | None]:
        """Find written entries after a program without locks wrote before or after them.

        None: it is not in the file, for example because the line before it had no end.
        """
        first = len(self.tree)
        growth = await workers.writing(0, reading.read_growth, self.path, self.contents, state.key)
        if growth is None:
            await self.refresh()
        else:
            self.state = growth.state
            self.contents.grow(growth.loaded, growth.tail)
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


def _append_lines(descriptor: int, lines: Sequence[bytes], size: int) -> tuple[int, os.stat_result]:
    """Append as many of these lines as there is space for to the file of `size` bytes.

    The lines have no newline at the end. With one write; of a line that does not fit, nothing is
    left. Returns the number of lines in the file, and the `stat` of the file afterwards.
    """
    data = b"\n".join((*lines, b""))
    count = len(lines)
    try:
        written = os.write(descriptor, data)
    except OSError:
        count = written = 0
    if 0 < written < len(data):
        whole = data.rfind(b"\n", 0, written) + 1
        count = data.count(b"\n", 0, whole)
        journal.take_back(descriptor, size + whole, written - whole)
    return count, os.fstat(descriptor)
