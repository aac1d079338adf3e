"""One reading of the files of a scope: which are sessions, and their summaries.

Some of the summaries are those of an earlier reading, of this process or of another one.
"""

from __future__ import annotations

import itertools
import os
import stat as modes
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, Self

from sessiond.agents.sessions import stat_session
from sessiond.catalog.discover import is_of
from sessiond.catalog.index.database import Store
from sessiond.catalog.index.file_rows import is_settled
from sessiond.catalog.kept.kept_lists import FEW, KeptLists
from sessiond.catalog.kept.summary_cache import SummaryCache
from sessiond.catalog.summaries import Summary, resume, summarise
from sessiond.errors import SessionNotFound
from sessiond.files.identity import FileState

_SHARE = 16
"""A kept list is written again when more than one of so many of its sessions have changed."""

_AHEAD = 2048
"""Files whose summaries are read together from the store; each takes about 1 kB."""


class Scope(Protocol):
    """Which files belong to a list."""

    @property
    def key(self) -> str: ...
    @property
    def cwd(self) -> str | None: ...
    def allows(self, path: str) -> bool: ...


class Known(Protocol):
    """What an earlier reading found."""

    @property
    def scope(self) -> Scope: ...
    @property
    def sessions(self) -> Mapping[str, Summary]: ...
    @property
    def others(self) -> Mapping[str, FileState]: ...


class ScopeReading:
    """Sessions and other files of a scope while they are examined; a context for `look`."""

    def __init__(self, known: Known, store: Store | None, *, with_text: bool) -> None:
        self.sessions = dict(known.sessions)
        self.others = dict(known.others)
        self.is_changed = False
        """Whether anything differs from what was known."""
        self._scope = known.scope
        # The store does not keep texts.
        self._rows = SummaryCache(None if with_text else store)
        self._lists = None if store is None or with_text else KeptLists.beside(store.path)
        self._recalled: dict[str, Summary] | None = None
        """The summaries of the kept list; None without `recall`."""
        self._outside: dict[str, Summary] = {}
        """Those of sessions that do not belong to the scope."""
        self._unsettled: set[str] = set()
        """Files that changed so recently that what was read of them must not be kept."""
        self._is_own: dict[str | None, bool] = {}
        """Whether sessions with this working directory belong to the scope."""
        self._with_text = with_text
        self._present: list[str] = []
        """The known files that were compared."""
        self._seen: dict[str, os.stat_result] = {}

    def __enter__(self) -> Self:
        self._rows.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._rows.__exit__(*raised)

    def recall(self) -> None:
        """Begin with the kept list of the scope instead of an earlier reading."""
        if self._lists is None:
            return
        self._recalled = {}
        for summary in self._lists.load(self._scope.key):
            path = summary.path
            try:
                belongs = self._belongs(summary)
            except Exception:  # noqa: BLE001, S112 - the file is examined, which reports its fault
                continue
            self._recalled[path] = summary
            if belongs:
                self.sessions[path] = summary
            else:
                self.others[path] = summary.state
                self._outside[path] = summary
            self.is_changed = True

    def keep(self) -> None:
        """Keep the list of the scope, if much of it is new or a session of it no longer exists.

        Does nothing unless the reading began with `recall`. All files must have been examined.
        """
        if self._lists is None or self._recalled is None:
            return
        found = [
            summary
            for summary in itertools.chain(self._outside.values(), self.sessions.values())
            if summary.path not in self._unsettled
        ]
        new = sum(self._recalled.get(summary.path) is not summary for summary in found)
        gone = self._recalled.keys() - self.sessions.keys() - self.others.keys()
        if gone or new > max(FEW, len(found) // _SHARE):
            self._lists.save(self._scope.key, found)

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

    def in_turn(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield paths to `look` at; what the store has of them is read together."""
        for at in range(0, len(paths), _AHEAD):
            some = paths[at : at + _AHEAD]
            seen = [self._seen[path] for path in some if path in self._seen]
            self._rows.look_ahead([(each.st_dev, each.st_ino) for each in seen])
            yield from some

    def look(self, path: str) -> None:
        """Examine a file. Raises as `summarise` does; the file then counts as no session."""
        known, other = self.sessions.pop(path, None), self.others.pop(path, None)
        outside = self._outside.pop(path, None)
        try:
            self._look(path, known, other, outside)
        finally:
            found = self.sessions.get(path), self.others.get(path)
            self.is_changed |= found[0] is not known or found[1] != other

    def _look(
        self, path: str, known: Summary | None, other: FileState | None, outside: Summary | None
    ) -> None:
        seen = self._seen.pop(path, None) or self._stat(path)
        if known is not None and known.state.matches(seen):
            self.sessions[path] = known
            return
        state = FileState.of(seen)
        if other is not None and other == state:
            summary = outside
        else:
            summary = self._read(path, known or outside, state)
        if summary is None or not self._belongs(summary):
            self.others[path] = state
            if summary is not None:
                self._outside[path] = summary
        else:
            self.sessions[path] = summary

    def _stat(self, path: str) -> os.stat_result:
        seen = stat_session(path)
        if seen is None:
            raise SessionNotFound(path)
        return seen

    def _read(self, path: str, known: Summary | None, state: FileState) -> Summary | None:
        if known is None or (self._recalled is not None and path in self._recalled):
            # The database may have a newer summary than the kept list.
            known = self._rows.find(path, state) or known
        if known is not None and known.state == state:
            return known
        summary = resume(known) if known else summarise(path, with_text=self._with_text)
        if summary is not None:
            self._rows.keep(summary)
            if not is_settled(summary.state):
                self._unsettled.add(path)
        return summary

    def _belongs(self, summary: Summary) -> bool:
        scope = self._scope
        if scope.cwd is not None:
            cwd = summary.header.cwd
            is_own = self._is_own.get(cwd)
            if is_own is None:
                is_own = self._is_own[cwd] = is_of(summary.header, scope.cwd)
            if not is_own:
                return False
        return scope.allows(summary.path)
