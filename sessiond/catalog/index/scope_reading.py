"""One reading of the files of a scope: which are sessions, and their summaries."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol, Self

from sessiond.catalog.discover import is_of
from sessiond.catalog.index.database import Store
from sessiond.catalog.index.summary_cache import SummaryCache
from sessiond.catalog.summaries import Summary, resume, summarise
from sessiond.errors import SessionNotFound
from sessiond.files import disk
from sessiond.files.identity import FileState
from sessiond.files.openclaw.session_files import stat_session

_AHEAD = 2048
"""Files whose summaries are read together from the store; each takes about 1 kB."""


class Scope(Protocol):
    """Which files belong to a list."""

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
    @property
    def elsewhere(self) -> Collection[str]: ...


class ScopeReading:
    """Sessions and other files of a scope while they are examined; a context for `look`."""

    def __init__(self, known: Known, store: Store | None, *, with_text: bool) -> None:
        self.sessions = dict(known.sessions)
        self.others = dict(known.others)
        self.elsewhere = set(known.elsewhere)
        """See `Listing.elsewhere`; also files that no longer exist."""
        self.is_changed = False
        """Whether anything differs from what was known."""
        self._scope = known.scope
        # The store does not keep texts.
        self._kept = SummaryCache(None if with_text else store)
        self._with_text = with_text
        self._seen: dict[str, os.stat_result] = {}

    def __enter__(self) -> Self:
        self._kept.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._kept.__exit__(*raised)

    def is_unchanged(self, path: str, seen: os.stat_result) -> bool:
        """Whether a file in this state is known; then it need not be looked at.

        `seen` is not that of a link.
        """
        if seen.st_nlink != 1:
            self.elsewhere.add(path)
        known = self.sessions.get(path)
        state = self.others.get(path) if known is None else known.state
        if state is not None and state.matches(seen):
            return True
        self._seen[path] = seen
        return False

    def in_turn(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield paths to `look` at; what the store has of them is read together."""
        for at in range(0, len(paths), _AHEAD):
            some = paths[at : at + _AHEAD]
            seen = [self._seen[path] for path in some if path in self._seen]
            self._kept.look_ahead([(each.st_dev, each.st_ino) for each in seen])
            yield from some

    def look(self, path: str) -> None:
        """Examine a file. Raises as `summarise` does; the file then counts as no session."""
        known, other = self.sessions.pop(path, None), self.others.pop(path, None)
        try:
            self._look(path, known, other)
        finally:
            found = self.sessions.get(path), self.others.get(path)
            self.is_changed |= found[0] is not known or found[1] != other

    def _look(self, path: str, known: Summary | None, other: FileState | None) -> None:
        seen = self._seen.pop(path, None) or self._stat(path)
        if known is not None and known.state.matches(seen):
            self.sessions[path] = known
            return
        state = FileState.of(seen)
        summary = None if other is not None and other == state else self._read(path, known, state)
        if summary is None or not self._belongs(summary):
            self.others[path] = state
        else:
            self.sessions[path] = summary

    def _stat(self, path: str) -> os.stat_result:
        if disk.islink(path):
            # Before the target is examined, because it may be missing.
            self.elsewhere.add(path)
        seen = stat_session(path)
        if seen is None:
            raise SessionNotFound(path)
        if seen.st_nlink != 1:
            self.elsewhere.add(path)
        return seen

    def _read(self, path: str, known: Summary | None, state: FileState) -> Summary | None:
        if known is None:
            known = self._kept.find(path, state)
        if known is not None and known.state == state:
            return known
        summary = resume(known) if known else summarise(path, with_text=self._with_text)
        if summary is not None:
            self._kept.keep(summary)
        return summary

    def _belongs(self, summary: Summary) -> bool:
        cwd = self._scope.cwd
        if cwd is not None and not is_of(summary.header, cwd):
            return False
        return self._scope.allows(summary.path)
