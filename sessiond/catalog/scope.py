"""Sets of sessions: which files belong to them, and their summaries, read again on change."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

import attrs

from sessiond.agents.many_readings import many_readings
from sessiond.agents.sessions import (
    file_of,
    is_session_name,
    places_beside,
    places_with,
)
from sessiond.catalog.discover import session_directories, session_files, stat_sessions
from sessiond.catalog.index.database import Store
from sessiond.catalog.kept.scope_reading import ScopeReading
from sessiond.catalog.summaries import Summary
from sessiond.files import disk
from sessiond.files.identity import FileState
from sessiond.isolation import Fault, Faults

Progress = Callable[[int, int, Mapping[str, Summary]], None]
"""Called with the numbers of files done and of all files, and the sessions so far by path."""


@attrs.frozen
class SessionScope:
    """The sessions of a directory, or of directories below it; with `cwd`, only of that."""

    directory: str
    below: int = 0
    """How many directories lie between the directory and a session."""
    cwd: str | None = None
    roots: tuple[str, ...] | None = None
    """Real directories that must contain the file after links are resolved; None: no limit."""

    def directories(self, faults: Faults) -> list[str]:
        """The directories that contain the files now."""
        if not self.below:
            return places_with(self.directory)
        found = [self.directory]
        for _ in range(self.below):
            found = [each for above in found for each in session_directories(above, faults)]
        return found

    @property
    def key(self) -> str:
        """The same for all scopes with the same directories, and different for others."""
        return f"{self.below} below {self.directory}"

    @property
    def beside(self) -> list[str]:
        """Where further sessions of the same agent lie, or would lie."""
        return [] if self.below else places_beside(self.directory)

    def files(self, faults: Faults) -> Iterable[str]:
        """The files that exist now, sessions or not; unreadable directories go into `faults`."""
        for directory in self.directories(faults):
            yield from session_files(directory, faults)

    def allows(self, path: str) -> bool:
        """Whether a path leads to a file inside the roots."""
        if self.roots is None:
            return True
        try:
            real = disk.realpath(file_of(path))
        except OSError:
            return False
        return any(real.startswith(f"{root.rstrip('/')}/") for root in self.roots)

    def holds(self, path: str) -> bool:
        """Whether a file with that path would belong to the scope, judged by the path alone."""
        folder, _, name = path.rpartition("/")
        for _ in range(self.below):
            folder = folder.rpartition("/")[0]
        return folder in (self.directory, *self.beside) and is_session_name(name)


@attrs.frozen
class AgentsScope(SessionScope):
    """The sessions of all agents of a gateway; `directory` has a directory of each agent."""

    below: int = 2

    @property
    def key(self) -> str:
        return f"agents in {self.directory}"

    def directories(self, faults: Faults) -> list[str]:
        return _of_agents(session_directories(self.directory, faults))

    def holds(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        above, _, place = folder.removeprefix(f"{self.directory}/").partition("/")
        sessions = _sessions_of(f"{self.directory}/{above}")
        is_of_agent = bool(place) and folder in (sessions, *places_beside(sessions))
        return is_of_agent and is_session_name(name)


def _sessions_of(agent: str) -> str:
    """Where the sessions of an agent with this directory are."""
    return f"{agent}/sessions"


def _of_agents(agents: Iterable[str]) -> list[str]:
    """Return the directories and databases of sessions of agents with these directories."""
    places = map(_sessions_of, agents)
    return [directory for place in places for directory in places_with(place)]


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

    @functools.cached_property
    def _newest_first(self) -> list[Summary]:
        return newest_first(self.sessions.values())

    def newest_first(self) -> Sequence[Summary]:
        return self._newest_first

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
        reading = ScopeReading(self, store, with_text=with_text)
        failed = {fault.path for fault in self.faults}
        if reported is not None and all(map(self.scope.holds, {*reported, *failed})):
            paths = sorted({*reported, *failed}, reverse=True)
            total = max(len(paths), len(self.sessions) + len(self.others))
        else:
            if not self.sessions and not self.others:
                reading.recall()
            total, paths = self._scan(reading, faults)
        if paths:
            with many_readings(), reading:
                for number, path in enumerate(reading.in_turn(paths), total - len(paths) + 1):
                    with faults.isolate(path):
                        reading.look(path)
                    if progress is not None:
                        progress(number, total, reading.sessions)
        elif progress is not None:
            progress(total, total, reading.sessions)
        reading.keep()
        allowed = self._allowed(faults)
        if not reading.is_changed and allowed == self.faults:
            return self
        return Listing(self.scope, reading.sessions, reading.others, allowed)

    def _scan(self, reading: ScopeReading, faults: Faults) -> tuple[int, list[str]]:
        """The number of files, and those that must be examined one by one.

        Those that were written last are examined first, so that partial results begin with them.
        """
        changed: list[tuple[int, str]] = []
        total = 0
        for directory in self.scope.directories(faults):
            total += reading.compare(stat_sessions(directory, faults), changed)
        # Sessions of a directory that cannot be read now may still be there.
        missing = reading.missing()
        changed += [(0, path) for path in missing]
        return total + len(missing), [path for _, path in sorted(changed, reverse=True)]

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


def newest_first(summaries: Iterable[Summary]) -> list[Summary]:
    """Sort by latest `modified`, then by descending path (as pi 1.5.2)."""
    return sorted(summaries, key=lambda item: (item.modified, item.path), reverse=True)
