"""Sets of sessions: which files belong to them, and their summaries, read again on change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

import attrs

from sessiond.agents.sessions import (
    file_of,
    further_places,
    is_session_name,
    place_of,
    places_beside,
    places_near,
    places_with,
)
from sessiond.catalog.discover import session_directories, session_files
from sessiond.catalog.summaries import Summary
from sessiond.files import disk
from sessiond.runtime.isolation import Faults

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
    archive: str | None = None
    """A directory of more sessions, if it exists."""
    respelled: tuple[str, ...] = ()
    """Directories of the same working directory with its name composed or decomposed."""

    @property
    def parts(self) -> tuple[SessionScope, ...]:
        """The scopes of single agents."""
        return (self,)

    def directories(self, faults: Faults) -> list[str]:
        """The directories that contain the files now."""
        directories = [self.directory]
        for _ in range(self.below):
            directories = [
                each for above in directories for each in session_directories(above, faults)
            ]
        further = []
        if self.archive is not None and disk.isdir(self.archive):
            further.append(self.archive)
        for each in directories:
            with faults.isolate(each):
                further += further_places(each)
        further += filter(disk.exists, self.respelled)
        if self.cwd is not None and not self.below:
            with faults.isolate(self.directory):
                further += places_near(self.directory)
        return [*(directories if self.below else places_with(self.directory)), *further]

    @property
    def beside(self) -> list[str]:
        """Where further sessions of the same agent lie, or would lie."""
        return [] if self.below else [*places_beside(self.directory), *self.respelled]

    @property
    def watched(self) -> list[tuple[str, bool]]:
        """The directories to watch, and whether with the directories below it.

        A database may appear where there is none yet.
        """
        places = dict.fromkeys((self.directory, *self.beside))
        archive = [] if self.archive is None else [(self.archive, False)]
        return [*((place, bool(self.below)) for place in places), *archive]

    def cwd_at(self, path: str) -> str | None:  # noqa: ARG002
        """Return the working directory that a session at a path must have; None: any."""
        return self.cwd

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
        folder, name = place_of(path), os.path.basename(path)
        if not is_session_name(name):
            return False
        if folder == self.archive:
            return True
        for _ in range(self.below):
            folder = folder.rpartition("/")[0]
        return folder in (self.directory, *self.beside)


@attrs.frozen
class AgentsScope(SessionScope):
    """The sessions of all agents of a gateway; `directory` has a directory of each agent."""

    below: int = 2

    def directories(self, faults: Faults) -> list[str]:
        return _of_agents(session_directories(self.directory, faults))

    def holds(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        above, _, place = folder.removeprefix(f"{self.directory}/").partition("/")
        sessions = _sessions_of(f"{self.directory}/{above}")
        is_of_agent = bool(place) and folder in (sessions, *places_beside(sessions))
        return is_of_agent and is_session_name(name)


@attrs.frozen
class SeveralScopes(SessionScope):
    """The sessions of several agents, each with a scope of its own."""

    directory: str = ""
    several: tuple[SessionScope, ...] = ()

    @property
    def parts(self) -> tuple[SessionScope, ...]:
        return self.several

    def directories(self, faults: Faults) -> list[str]:
        return [each for part in self.parts for each in part.directories(faults)]

    @property
    def beside(self) -> list[str]:
        return []

    @property
    def watched(self) -> list[tuple[str, bool]]:
        return list(dict.fromkeys(each for part in self.parts for each in part.watched))

    def holds(self, path: str) -> bool:
        return any(part.holds(path) for part in self.parts)

    def cwd_at(self, path: str) -> str | None:
        return next((part.cwd for part in self.parts if part.holds(path)), None)


def _sessions_of(agent: str) -> str:
    """Where the sessions of an agent with this directory are."""
    return f"{agent}/sessions"


def _of_agents(agents: Iterable[str]) -> list[str]:
    """Return the directories and databases of sessions of agents with these directories."""
    places = map(_sessions_of, agents)
    return [directory for place in places for directory in places_with(place)]
