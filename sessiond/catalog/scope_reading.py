"""One reading of the files of a scope: which are sessions, and their summaries.

Some of the summaries are those of an earlier reading, of this process or of another one.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from sessiond.agents.sessions import file_of, stat_session
from sessiond.catalog.discover import is_of
from sessiond.catalog.index import rows
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.rows import is_settled
from sessiond.catalog.reading_processes import ReadingProcesses, processes_for, read_all
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary, resume, summarise
from sessiond.catalog.usage.count import FileUsage
from sessiond.files.identity import FileState, Key
from sessiond.runtime.errors import SessionNotFound


class ScopeReading:
    """Sessions and other files of a scope while they are examined."""

    def __init__(
        self,
        scope: SessionScope,
        sessions: Mapping[str, Summary],
        others: Mapping[str, FileState],
        cache: SearchCache | None,
        *,
        with_text: bool,
    ) -> None:
        """Begin with the sessions and other files of an earlier reading."""
        self.sessions = dict(sessions)
        self.others = dict(others)
        self.is_changed = False
        """Whether anything differs from what was known."""
        self._scope = scope
        # The cache keeps no texts.
        self._cache = None if with_text else cache
        self._stored: dict[Key, Summary] = {}
        self._new: list[tuple[str, FileState, Summary]] = []
        """The rows to keep."""
        self._usages: list[tuple[str, FileState, FileUsage]] = []
        """The usage of these files, which the same reading has counted."""
        self._outdated: list[Key] = []
        """Files that are gone, or in which other text is now than was read before."""
        self._is_own: dict[tuple[str, str | None], bool] = {}
        """Whether sessions with the second working directory belong where the first is wanted."""
        self._with_text = with_text
        self._ahead: ReadingProcesses | None = None
        self._present: list[str] = []
        """The known files that were compared."""
        self._seen: dict[str, os.stat_result] = {}

    def load(self) -> None:
        """Read what the cache has of the files that were compared and must be examined."""
        keys = [(status.st_dev, status.st_ino) for status in self._seen.values()]
        self._stored = rows.load(self._cache, "summaries", Summary, keys)

    @contextmanager
    def reading_ahead(self, paths: Iterable[str]) -> Iterator[None]:
        """Within the block, let other processes read these files if there is much to read."""
        new = [
            (path, status.st_size)
            for path in paths
            if (status := self._seen.get(path)) is not None
            and path not in self.sessions
            and path not in self.others
            and (status.st_dev, status.st_ino) not in self._stored
            and file_of(path) == path
        ]
        processes = processes_for(sum(size for _, size in new))
        if self._cache is None or not processes:
            yield
            return
        with ReadingProcesses((path for path, _ in new), processes) as self._ahead:
            yield
        self._ahead = None

    def save(self) -> None:
        """Keep what was read, and remove what is no longer in the files."""
        if self._outdated and self._cache is not None:
            # Rarely needed.
            from sessiond.catalog.index.indexer import forget_if_possible

            forget_if_possible(self._cache, self._outdated)
        rows.save(self._cache, "summaries", self._new)
        rows.save(self._cache, "usage", self._usages)

    def compare(
        self, files: Iterable[tuple[str, os.stat_result | None]], changed: list[tuple[int, str]]
    ) -> int:
        """Compare files with what is known of them; returns their number.

        Those that must be examined are added to `changed`, with the time of their modification.
        The `stat` of a link is its own, which is never that of a known file. One loop without
        calls, because it runs for each of thousands of files whenever they are listed.
        """
        sessions, others, present = self.sessions, self.others, self._present
        total = 0
        for path, status in files:
            total += 1
            before = sessions.get(path)
            state = others.get(path) if before is None else before.state
            if state is not None:
                present.append(path if before is None else before.path)
            if status is None:
                changed.append((0, path))
                continue
            if (
                state is None
                or state.ctime_ns != status.st_ctime_ns
                or state.size != status.st_size
                or state.inode != status.st_ino
                or state.device != status.st_dev
                or state.mtime_ns != status.st_mtime_ns
            ):
                if not modes.S_ISLNK(status.st_mode):
                    self._seen[path] = status
                changed.append((status.st_mtime_ns, path))
        return total

    def missing(self) -> Collection[str]:
        """The known files that were not compared."""
        if len(self._present) == len(self.sessions) + len(self.others):
            return ()
        return {*self.sessions, *self.others}.difference(self._present)

    def look(self, path: str) -> None:
        """Examine a file. Raises as `summarise` does; the file then counts as no session."""
        before, other = self.sessions.pop(path, None), self.others.pop(path, None)
        try:
            self._look(path, before, other)
        except SessionNotFound:
            if before is not None:
                self._outdated.append(before.state.key)
            raise
        finally:
            after = self.sessions.get(path), self.others.get(path)
            self.is_changed |= after[0] is not before or after[1] != other

    def _look(self, path: str, before: Summary | None, other: FileState | None) -> None:
        status = self._seen.pop(path, None) or self._stat(path)
        if before is not None and before.state.matches(status):
            self.sessions[path] = before
            return
        state = FileState.of(status)
        summary = None if other == state else self._read(path, before, state)
        if summary is None or not self._belongs(summary):
            self.others[path] = state
        else:
            self.sessions[path] = summary

    def _stat(self, path: str) -> os.stat_result:
        status = stat_session(path)
        if status is None:
            raise SessionNotFound(path)
        return status

    def _read(self, path: str, before: Summary | None, state: FileState) -> Summary | None:
        stored = self._stored.get(state.key)
        if before is None and stored is not None:
            # It may have been stored under another name of the file.
            before = msgspec.structs.replace(stored, path=path)
        if before is not None and before.state == state:
            return before
        usage = None
        if before is not None:
            summary = resume(before)
        elif self._cache is not None:
            summary, usage = (self._ahead and self._ahead.take(path)) or read_all(path)
        else:
            summary = summarise(path, with_text=self._with_text)
        if before is not None and (summary is None or summary.header is not before.header):
            # It has not only grown.
            self._outdated.append(before.state.key)
        if summary is not None and is_settled(summary.state):
            self._new.append((path, summary.state, summary))
            if usage is not None:
                self._usages.append((path, usage.state, usage))
        return summary

    def _belongs(self, summary: Summary) -> bool:
        scope = self._scope
        required = scope.cwd_at(summary.path)
        if required is not None:
            key = required, summary.header.cwd
            is_own = self._is_own.get(key)
            if is_own is None:
                is_own = self._is_own[key] = is_of(summary.header, required)
            if not is_own and required not in summary.directories:
                return False
        return scope.allows(summary.path)
