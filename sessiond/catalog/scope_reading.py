"""One reading of the files of a scope: which are sessions, and their summaries.

Some of the summaries are those of an earlier reading, of this process or of another one.
"""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Collection, Iterable, Mapping

import msgspec

from sessiond.agents.sessions import stat_session
from sessiond.catalog.discover import is_of
from sessiond.catalog.index import rows
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.rows import is_settled
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary, resume, summarise
from sessiond.catalog.usage.count import FileUsage, UsageCounter
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
        self._present: list[str] = []
        """The known files that were compared."""
        self._seen: dict[str, os.stat_result] = {}

    def load(self) -> None:
        """Read what the cache has of the files that were compared and must be examined."""
        keys = [(seen.st_dev, seen.st_ino) for seen in self._seen.values()]
        self._stored = rows.load(self._cache, "summaries", Summary, keys)

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
        for path, seen in files:
            total += 1
            known = sessions.get(path)
            state = others.get(path) if known is None else known.state
            if state is not None:
                present.append(path if known is None else known.path)
            if seen is None:
                changed.append((0, path))
                continue
            if (
                state is None
                or state.ctime_ns != seen.st_ctime_ns
                or state.size != seen.st_size
                or state.inode != seen.st_ino
                or state.device != seen.st_dev
                or state.mtime_ns != seen.st_mtime_ns
            ):
                if not modes.S_ISLNK(seen.st_mode):
                    self._seen[path] = seen
                changed.append((seen.st_mtime_ns, path))
        return total

    def missing(self) -> Collection[str]:
        """The known files that were not compared."""
        if len(self._present) == len(self.sessions) + len(self.others):
            return ()
        return {*self.sessions, *self.others}.difference(self._present)

    def look(self, path: str) -> None:
        """Examine a file. Raises as `summarise` does; the file then counts as no session."""
        known, other = self.sessions.pop(path, None), self.others.pop(path, None)
        try:
            self._look(path, known, other)
        except SessionNotFound:
            if known is not None:
                self._outdated.append(known.state.key)
            raise
        finally:
            found = self.sessions.get(path), self.others.get(path)
            self.is_changed |= found[0] is not known or found[1] != other

    def _look(self, path: str, known: Summary | None, other: FileState | None) -> None:
        seen = self._seen.pop(path, None) or self._stat(path)
        if known is not None and known.state.matches(seen):
            self.sessions[path] = known
            return
        state = FileState.of(seen)
        summary = None if other == state else self._read(path, known, state)
        if summary is None or not self._belongs(summary):
            self.others[path] = state
        else:
            self.sessions[path] = summary

    def _stat(self, path: str) -> os.stat_result:
        seen = stat_session(path)
        if seen is None:
            raise SessionNotFound(path)
        return seen

    def _read(self, path: str, known: Summary | None, state: FileState) -> Summary | None:
        stored = self._stored.get(state.key)
        if known is None and stored is not None:
            # It may have been stored under another name of the file.
            known = msgspec.structs.replace(stored, path=path)
        if known is not None and known.state == state:
            return known
        # One reading makes both that is kept of a file.
        counter = UsageCounter() if known is None and self._cache is not None else None
        if known is not None:
            summary = resume(known)
        else:
            summary = summarise(path, with_text=self._with_text, counter=counter)
        if known is not None and (summary is None or summary.header is not known.header):
            # It has not only grown.
            self._outdated.append(known.state.key)
        if summary is not None and is_settled(summary.state):
            self._new.append((path, summary.state, summary))
            if counter is not None:
                usage = counter.total(summary.state)
                usage.offset, usage.unended, usage.tail = (
                    summary.offset,
                    summary.unended,
                    summary.tail,
                )
                self._usages.append((path, usage.state, usage))
        return summary

    def _belongs(self, summary: Summary) -> bool:
        scope = self._scope
        wanted = scope.cwd_at(summary.path)
        if wanted is not None:
            key = wanted, summary.header.cwd
            is_own = self._is_own.get(key)
            if is_own is None:
                is_own = self._is_own[key] = is_of(summary.header, wanted)
            if not is_own and wanted not in summary.directories:
                return False
        return scope.allows(summary.path)
