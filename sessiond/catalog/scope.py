"""Sets of sessions: which files belong to them, and their summaries, read again on change."""

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
"""Called with the numbers of files done and of all files, and the sessions so far by path."""


@attrs.frozen
class SessionScope:
    """The sessions of a directory, or (`below`) of its subdirectories; with `cwd`, only of that."""

    directory: str
    below: bool = False
    cwd: str | None = None
    roots: tuple[str, ...] | None = None
    """Real directories that must contain the file after links are resolved; None: no limit."""

    def directories(self, faults: Faults) -> list[str]:
        """The directories that contain the files now."""
        return session_directories(self.directory, faults) if self.below else [self.directory]

    def files(self, faults: Faults) -> Iterable[str]:
        """The files that exist now, sessions or not; unreadable directories go into `faults`."""
        for directory in self.directories(faults):
            yield from session_files(directory, faults)

    def allows(self, path: str) -> bool:
        """Whether a path leads to a file inside the roots."""
        if self.roots is None:
            return True
        try:
            real = disk.realpath(path)
        except OSError:
            return False
        return any(real.startswith(f"{root.rstrip('/')}/") for root in self.roots)

    def holds(self, path: str) -> bool:
        """Whether a file with that path would belong to the scope, judged by the path alone."""
        folder, _, name = path.rpartition("/")
        if self.below:
            folder = folder.rpartition("/")[0]
        return folder == self.directory and name.endswith(SUFFIX)


@attrs.frozen
class Changed:
    """What changed about one file; `summary` is None if it was removed."""

    kind: Literal["added", "changed", "removed"]
    path: str
    summary: Summary | None = None


@attrs.frozen
class Listing:
    """The result of reading a scope. Immutable: workers take and return it."""

    scope: SessionScope
    sessions: dict[str, Summary] = attrs.field(factory=dict)
    others: dict[str, FileState] = attrs.field(factory=dict)
    """Files that are not sessions of the scope, kept so that they are read again only on change."""
    faults: tuple[Fault, ...] = ()
    """Why files and directories are missing; each reading tries them again."""

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
        """Read the same scope again. Blocking.

        `reported` lists files and directories that may have changed; None means all. Unchanged
        files are not read, and of a file that grew only the new part. `with_text` keeps the text of
        messages; a listing has it for all sessions or for none. Exceptions of `progress` propagate.
        The `store` caches summaries of earlier readings; it only saves time.
        """
        faults = Faults(self.faults)
        paths = self._paths(reported, faults)
        # The store does not keep texts.
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
        """Files to examine, the newest first: their names begin with times."""
        failed = {fault.path for fault in self.faults}
        if reported is not None and all(map(self.scope.holds, {*reported, *failed})):
            return sorted({*reported, *failed}, reverse=True)
        paths = {*self.scope.files(faults), *self.sessions}
        return sorted(paths, reverse=True)

    def _allowed(self, faults: Faults) -> tuple[Fault, ...]:
        """The faults of paths inside the roots; nothing outside of them is ever reported."""
        allowed = []
        for fault in faults:
            with faults.isolate(fault.path):
                if self.scope.allows(f"{fault.path}/any"):
                    allowed.append(fault)
        return tuple(allowed)

    def without(self, faults: Faults) -> Listing:
        """A copy without the files of `faults`, which the next reading tries again."""
        sessions = {path: item for path, item in self.sessions.items() if path not in faults}
        return attrs.evolve(self, sessions=sessions, faults=(*self.faults, *faults))

    def since(self, before: Listing) -> list[Changed]:
        """The changes from `before` to this listing, removals first."""
        old, new = before.sessions, self.sessions
        removed = [Changed("removed", path) for path in old if path not in new]
        return removed + [
            Changed("changed" if path in old else "added", path, summary)
            for path, summary in new.items()
            if old.get(path) is not summary
        ]


class _Reading:
    """One reading of a scope, while it examines the files."""

    def __init__(self, known: Listing, kept: SummaryCache, with_text: bool) -> None:
        self.sessions = dict(known.sessions)
        self.others = dict(known.others)
        self._scope = known.scope
        self._kept = kept
        self._with_text = with_text

    def look(self, path: str) -> Summary | None:
        """The current summary of a file; None if it is not a session of the scope.

        Raises as `summarise` does.
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
    """Sort by latest `modified`, then by descending path (as pi 1.5.2)."""
    return sorted(summaries, key=lambda item: (item.modified, item.path), reverse=True)
