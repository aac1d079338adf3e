"""Resolve the paths in requests and enforce `--root`."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import attrs

from sessiond.agents.directories import Directories, directories
from sessiond.agents.registry import AGENTS
from sessiond.agents.sessions import translation_of
from sessiond.files import disk
from sessiond.runtime.errors import PathNotAllowed, PathTooLong, Unsupported
from sessiond.runtime.home import absolute
from sessiond.text.spelling import forms

if TYPE_CHECKING:
    # Not at run time: what opens sessions needs no lists.
    from sessiond.catalog.scope import SessionScope


class Roots:
    """The directories that must contain every path (`--root`); None allows all paths."""

    def __init__(self, roots: Iterable[str] | None) -> None:
        self._roots = None if roots is None else [disk.realname(root) for root in roots]

    @property
    def real(self) -> tuple[str, ...] | None:
        """The directories with symbolic links resolved; None: all paths are allowed."""
        return None if self._roots is None else tuple(self._roots)

    def check(self, path: str) -> None:
        """Raise PathNotAllowed for a path outside the roots, after resolving symbolic links.

        If the path does not exist yet, its existing part is resolved.
        """
        if not self.allow(path):
            raise PathNotAllowed(path)

    def allow(self, path: str) -> bool:
        """Whether the path is inside the roots that confine this context, links resolved."""
        try:
            disk.realpath(path)
        except PathNotAllowed:
            return False
        except OSError as error:
            # No file can have such a name; of other errors learns whoever opens it.
            return error.errno != errno.EINVAL
        return True


class Places:
    """The directories of a connection (see `initialize`), and paths resolved with them."""

    def __init__(self, directories: Directories, roots: Roots, env: Mapping[str, str]) -> None:
        self.directories = directories
        self.others: Sequence[Directories] = ()
        """The directories of other agents, whose sessions are listed, too."""
        self.roots = roots
        self._env = env

    def path(self, given: str) -> str:
        """Resolve a path from a request: absolute, `~` expanded. Raises PathNotAllowed.

        A relative path starts at the client's working directory.
        """
        path = absolute(given, self._env)
        self.roots.check(path)
        return path

    def cwd(self, given: str | None) -> str:
        """Resolve a working directory as pi does; None: the client's own."""
        return absolute("." if given is None else given, self._env)

    def cwd_of(self, header_cwd: str | None) -> str:
        """Resolve the working directory in a header; one that is too long stays as it is.

        No directory has such a name, but the session can still be read.
        """
        try:
            return self.cwd(header_cwd)
        except PathTooLong:
            return header_cwd or ""

    def directory(self, cwd: str, given: str | None) -> tuple[str, str | None]:
        """Return the session directory, and the cwd to filter its sessions by (None: no filter).

        Sessions in the default directory of a working directory are not filtered; those in other
        directories are (as in pi 1.6.0).
        """
        default = self.directories.default_dir(cwd)
        if given is None:
            self.roots.check(default)
            return default, cwd if self.directories.one_for_all else None
        directory = self.path(given)
        same = directory == default and not self.directories.one_for_all
        return directory, None if same else cwd

    def output(self, given: str) -> str:
        """Resolve the path of a file that is no session. Raises PathNotAllowed."""
        return self.path(given)

    def default_directory(self, cwd: str) -> str:
        """The session directory of a working directory if none is given."""
        return self.directories.default_dir(cwd)

    def check_creating(self, directory: str) -> None:
        """Raise Unsupported for a new session where the agent would not read it."""
        where = self.directories
        own = where.sessions_dir
        if where.agent.is_read_only and (directory == own or directory.startswith(f"{own}/")):
            raise Unsupported(
                f"{where.agent.name} alone writes the sessions in {own}",
                directory,
                "name another directory (`sessionDir`), or copy a session to another agent",
            )

    def new_path(self, directory: str, session_id: str, timestamp: str) -> str:
        """The path of a new session in a session directory."""
        return os.path.join(directory, self.directories.file_name(session_id, timestamp))

    def sessions_in(self, cwd: str, given: str | None, *, exact: bool = True) -> SessionScope:
        """The sessions of a working directory; `given`: in this session directory.

        Not `exact`: all sessions of its directory, of which other working directories may have the
        same name.

        Without it, a gateway's are those of all agents. Raises PathNotAllowed.
        """
        if given is None and self.others:
            return self._several(lambda each: each.sessions_in(cwd, None, exact=exact))
        agents = self._agents_dir if given is None else None
        if agents is not None:
            return self._of_agents(agents, cwd)
        directory, only = self.directory(cwd, given)
        scope = self.sessions_of(directory, cwd if exact else only)
        if not exact or given is not None or scope.below:
            return scope
        spellings = map(self.directories.default_dir, forms(cwd))
        return attrs.evolve(scope, respelled=tuple(each for each in spellings if each != directory))

    def sessions_of(self, directory: str, cwd: str | None = None) -> SessionScope:
        """The sessions of a session directory; with `cwd` only those of a working directory."""
        from sessiond.catalog.scope import SessionScope

        where = self.directories
        if directory == where.sessions_dir and where.one_for_all:
            return self._all_of(cwd)
        return SessionScope(directory, cwd=cwd, roots=self.roots.real)

    def _all_of(self, cwd: str | None = None) -> SessionScope:
        """All sessions of the agent; with `cwd` only those of a working directory."""
        from sessiond.catalog.scope import SessionScope

        where = self.directories
        return SessionScope(
            where.sessions_dir,
            below=where.depth,
            cwd=cwd,
            roots=self.roots.real,
            archive=where.archive_dir,
        )

    def everything(self) -> SessionScope:
        """All sessions of the agent, or of all that are listed. Raises PathNotAllowed."""
        if self.others:
            return self._several(Places.everything)
        where, agents = self.directories, self._agents_dir
        if agents is not None:
            return self._of_agents(agents)
        self.roots.check(where.sessions_dir)
        return self._all_of()

    def _several(self, scope_of: Callable[[Places], SessionScope]) -> SessionScope:
        """Return the sessions of all agents together; those outside the roots are left out."""
        from sessiond.catalog.scope import SeveralScopes

        parts = []
        for where in (self.directories, *self.others):
            with suppress(PathNotAllowed):
                parts.append(scope_of(Places(where, self.roots, self._env)))
        return SeveralScopes(several=tuple(parts), roots=self.roots.real)

    def kept_directories(self) -> set[str]:
        """The directories of all agents, in which no other file is replaced; links resolved."""
        every = [self.directories, *self.others]
        every += [directories(agent, self._env) for agent in AGENTS.values()]
        named = {name for each in every for name in (each.agent_dir, each.listed_dir)}
        return {*named, *map(disk.realname, named)}

    def agent_of(self, path: str) -> str | None:
        """Return the name of the agent whose session a path names.

        None if it cannot be told, or if it is the only one of this client.
        """
        for where in (self.directories, *self.others) if self.others else ():
            if where.holds(path):
                return where.agent.name
        translation = translation_of(path)
        if translation is None or translation is self.directories.agent.translation:
            return None
        return next(each.name for each in AGENTS.values() if each.translation is translation)

    @property
    def listed_dir(self) -> str:
        """The directory of all sessions that lists show."""
        return self._agents_dir or self.directories.sessions_dir

    @property
    def _agents_dir(self) -> str | None:
        """The directory of all agents, if it is in the roots; else lists show one agent."""
        agents = self.directories.agents_dir
        return agents if agents is not None and self.roots.allow(agents) else None

    def _of_agents(self, directory: str, cwd: str | None = None) -> SessionScope:
        from sessiond.catalog.scope import AgentsScope

        return AgentsScope(directory, cwd=cwd, roots=self.roots.real)
