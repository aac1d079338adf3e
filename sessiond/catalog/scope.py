"""A set of sessions that is kept current: which files belong to it, and what they say now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal

import attrs

from sessiond.catalog.discover import SUFFIX, is_of, session_directories, session_files
from sessiond.catalog.index.database import Store
from sessiond.catalog.index.summary_cache import SummaryCache
from sessiond.catalog.summaries import Summary, resume, summarise
from sessiond.files import disk
from sessiond.files.identity import FileState
from sessiond.isolation import Fault, Faults

Progress = Callable[[int, int, Mapping[str, Summary]], None]
"""Gets how many files were looked at, of how many, and the sessions found so far by path."""


@attrs.frozen
class SessionScope:
    """The sessions of a directory, or (`below`) of every directory in it; of one cwd, or of all."""

    directory: str
    below: bool = False
    cwd: str | None = None
    roots: tuple[str, ...] | None = None
    """Real directories that a file must lie in, links followed; None: anywhere."""

    def directories(self, faults: Faults) -> list[str]:
        """The directories that hold the files, as they are now."""
        return session_directories(self.directory, faults) if self.below else [self.directory]

    def files(self, faults: Faults) -> Iterable[str]:
        """The files, sessions or not, as they are now; `faults` gets directories that fail."""
        for directory in self.directories(faults):
            yield from session_files(directory, faults)

    def allows(self, path: str) -> bool:
        """Whether a name leads to a file inside the roots."""
        if self.roots is None:
            return True
        try:
            real = disk.realpath(path)
        except OSError:
            return False
        return any(real.startswith(f"{root.rstrip('/')}/") for root in self.roots)

    def holds(self, path: str) -> bool:
        """Whether a file of that name would belong to it, by its place alone."""
        folder, _, name = path.rpartition("/")
        if self.below:
            folder = folder.rpartition("/")[0]
        return folder == self.directory and name.endswith(SUFFIX)


@attrs.frozen
class Changed:
    """What became of one file; `summary` is None for one that is gone."""

    kind: Literal["added", "changed", "removed"]
    path: str
    summary: Summary | None = None


@attrs.frozen
class Listing:
    """A scope as it was read: a value, which workers take and return."""

    scope: SessionScope
    sessions: dict[str, Summary] = attrs.field(factory=dict)
    others: dict[str, FileState] = attrs.field(factory=dict)
    """Files that are no sessions (of that cwd), so that they are not read for every change."""
    faults: tuple[Fault, ...] = ()
    """Why files and directories are missing; they are tried again with every reading."""

    def newest_first(self) -> list[Summary]:
        return newest_first(self.sessions.values())

    def read(
        self,
        reported: Collection[str] | None = None,
        *,
        with_text: bool = False,
        progress: Progress | None = None,
        store: Store | None = None,
    ) -> Listing:
        """The same scope as it is now. Blocking.

        `reported` says where something may have changed: files, or directories as a whole; None is
        everywhere. What has not changed is not read, and of what has grown only the growth.
        `with_text` keeps the text of messages; a listing has it for all sessions or for none. What
        `progress` raises comes out. The `store` knows files from earlier, which changes nothing but
        the time it takes.
        """
        faults = Faults(self.faults)
        paths = self._paths(reported, faults)
        # The store holds no lists of texts.
        with SummaryCache(None if with_text else store) as kept:
            reading = _Reading(self, kept, with_text)
            for number, path in enumerate(paths, 1):
                summary: Summary | None = None
                with faults.isolate(path):
                    summary = reading.look(path)
                if summary is None:
                    reading.sessions.pop(path, None)
                else:
                    reading.sessions[path] = summary
                if progress is not None:
                    progress(number, len(paths), reading.sessions)
        return Listing(self.scope, reading.sessions, reading.others, self._allowed(faults))

    def _paths(self, reported: Collection[str] | None, faults: Faults) -> list[str]:
        """Files to look at, the newest names first; names begin with times."""
        failed = {fault.path for fault in self.faults}
        if reported is not None and all(map(self.scope.holds, {*reported, *failed})):
            return sorted({*reported, *failed}, reverse=True)
        found = {*self.scope.files(faults), *self.sessions}
        return sorted(found, reverse=True)

    def _allowed(self, faults: Faults) -> tuple[Fault, ...]:
        """Of what lies outside the roots nothing is told, not even that it failed."""
        found = []
        for fault in faults:
            with faults.isolate(fault.path):
                if self.scope.allows(f"{fault.path}/any"):
                    found.append(fault)
        return tuple(found)

    def without(self, faults: Faults) -> Listing:
        """The same without the files that failed afterwards, which are tried again as well."""
        sessions = {path: item for path, item in self.sessions.items() if path not in faults}
        return attrs.evolve(self, sessions=sessions, faults=(*self.faults, *faults))

    def since(self, before: Listing) -> list[Changed]:
        """What has changed from `before` to this, removals first."""
        old, new = before.sessions, self.sessions
        removed = [Changed("removed", path) for path in old if path not in new]
        return removed + [
            Changed("changed" if path in old else "added", path, summary)
            for path, summary in new.items()
            if old.get(path) is not summary
        ]


class _Reading:
    """One reading of a scope: what is found while its files are looked at."""

    def __init__(self, known: Listing, kept: SummaryCache, with_text: bool) -> None:
        self.sessions = dict(known.sessions)
        self.others = dict(known.others)
        self._scope = known.scope
        self._kept = kept
        self._with_text = with_text

    def look(self, path: str) -> Summary | None:
        """The summary of a file as it is now; None if it is no session of the scope.

        Raises what reading it raises.
        """
        known, other = self.sessions.get(path), self.others.pop(path, None)
        seen = disk.stat(path)
        if known is not None and known.state.matches(seen):
            return known
        state = FileState.of(seen)
        if other == state:
            self.others[path] = state
            return None
        summary = self._read(path, known, state)
        if summary is None or not self._belongs(summary):
            self.others[path] = state
            return None
        return summary

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


def newest_first(summaries: Iterable[Summary]) -> list[Summary]:
    """Latest `modified` first; of the same time, later names first (as pi 1.5.2)."""
    return sorted(summaries, key=lambda item: (item.modified, item.path), reverse=True)
