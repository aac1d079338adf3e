"""Where the files of one agent's sessions lie: in the agent's directories, or in a folder.

A folder has `AGENT/ID.jsonl`, and subagents in `AGENT/ID/`. Its files are read whatever their names
are, so that the conflict copies of a file synchroniser count as replicas of their sessions.
"""

from __future__ import annotations

import itertools
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, unquote

import attrs

from sessiond.agents.agent import Agent
from sessiond.agents.directories import Directories
from sessiond.agents.registry import AGENTS
from sessiond.agents.sessions import SUFFIX, further_places
from sessiond.agents.source import PACKED
from sessiond.agents.translation import DatabaseTranslation
from sessiond.catalog import trash
from sessiond.catalog.discover import session_directories
from sessiond.files import disk, journal
from sessiond.runtime.errors import InvalidParams, Unsupported, WriteFailed
from sessiond.runtime.home import absolute, with_tilde
from sessiond.runtime.isolation import Faults
from sessiond.sync.side import Item, Ref

TRASH = "trash"
_CONFLICT = re.compile(r"\.sync-conflict-[0-9]{8}-|conflicted copy")
"""The names that Syncthing, and Dropbox and Nextcloud, give to conflict copies."""
_SUFFIXES = (SUFFIX, SUFFIX + PACKED)


def agents_to_sync(names: Sequence[str]) -> list[Agent]:
    """Return the agents with these names, or all that keep a file for each session.

    Raises InvalidParams.
    """
    for name in names:
        if name not in AGENTS:
            raise InvalidParams(f"no agent is called {name!r}", "$.agents")
        if not _has_files(AGENTS[name]):
            raise InvalidParams(f"{name} keeps no files that can be synced", "$.agents")
    return [each for each in AGENTS.values() if _has_files(each) and each.name in (names or AGENTS)]


def _has_files(agent: Agent) -> bool:
    """Return whether an agent keeps its sessions in files that nobody else must agree to."""
    return not (agent.has_gateway or isinstance(agent.translation, DatabaseTranslation))


@attrs.frozen
class SessionFile:
    """A file of a session."""

    path: str
    status: os.stat_result
    part: str = ""
    """Its path below the session that it belongs to; empty for the session itself."""
    main: str = ""
    """The path of that session; that of the file itself."""
    cwd: str | None = None
    """Its neutral working directory, if the path tells; else that in the file counts."""
    place: str = ""


class Shelf(ABC):
    """The files of an agent in one place. Everything here blocks."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    @property
    def has_entries(self) -> bool:
        """Whether the sessions are files of entries, which others may write, too."""
        return not self.agent.is_read_only

    def _is_copy(self, name: str) -> bool:  # noqa: ARG002
        """Return whether a name is that of a conflict copy that cannot be united with its file."""
        return False

    @abstractmethod
    def files(self, faults: Faults) -> Iterator[SessionFile]:
        """Yield the files that may be sessions, each session before its parts."""

    @abstractmethod
    def trashed(self, faults: Faults) -> Iterator[SessionFile]:
        """Yield the sessions in the trash."""

    @abstractmethod
    def target(self, item: Item) -> str:
        """Return the path of a new session. Raises Unsupported if none can be there."""

    @abstractmethod
    def delete(self, path: str, ref: Ref) -> None:
        """Move a session to the trash. Raises SessiondError."""

    def neutral(self, directory: str) -> str:
        """Return a working directory as other machines can read it."""
        return directory

    def local(self, directory: str) -> str:
        """Return a neutral working directory as it is here."""
        return directory

    def _with_parts(
        self, directory: str, names: Iterable[str], faults: Faults, **more: str | None
    ) -> Iterator[SessionFile]:
        """Yield the sessions with these names in a directory, and what lies below each."""
        every = sorted(names)
        folders = set(every)
        for name in every:
            suffix = next((each for each in _SUFFIXES if name.endswith(each)), None)
            if suffix is None or self._is_copy(name):
                continue
            path = f"{directory}/{name}"
            files: list[SessionFile] = []
            with faults.isolate(path):
                status = _stat(path)
                if status is not None:
                    files.append(SessionFile(path, status, main=path, **more))  # type: ignore[arg-type]
                    if name.removesuffix(suffix) in folders:
                        files += self._parts(path, path.removesuffix(suffix))
            yield from files

    def _parts(self, main: str, directory: str) -> Iterator[SessionFile]:
        pending = [directory] if disk.isdir(directory) and not disk.islink(directory) else []
        while pending:
            place = pending.pop()
            for name in sorted(disk.listdir(place)):
                path = f"{place}/{name}"
                if name.startswith(".") or disk.islink(path) or self._is_copy(name):
                    continue
                if disk.isdir(path):
                    pending.append(path)
                elif not self.has_entries or name.endswith(SUFFIX):
                    status = _stat(path)
                    if status is not None:
                        part = path[len(directory) + 1 :]
                        yield SessionFile(path, status, part, main)


def _stat(path: str) -> os.stat_result | None:
    """Return the `stat` of a regular file; None for anything else."""
    try:
        return disk.stat(path) if disk.is_file(path) else None
    except FileNotFoundError:
        return None


def part_path(main: str, part: str) -> str:
    """Return the path of a part of a session. Raises Unsupported for one that leads elsewhere."""
    _check_relative(part)
    suffix = next((each for each in _SUFFIXES if main.endswith(each)), "")
    return f"{main.removesuffix(suffix)}/{part}"


def _check_relative(path: str) -> None:
    names = path.split("/")
    if any(each in ("", ".", "..") or each.startswith(".") or "\0" in each for each in names):
        raise Unsupported(f"{path!r} is not a path below a session", path, "Rename the file")


class AgentShelf(Shelf):
    """The directories of an agent."""

    def __init__(self, where: Directories, env: Mapping[str, str]) -> None:
        super().__init__(where.agent)
        self.where = where
        self._env = env
        self._home = absolute("~", env)

    def files(self, faults: Faults) -> Iterator[SessionFile]:
        bases = [self.where.sessions_dir]
        for _ in range(self.where.depth):
            bases = [each for above in bases for each in session_directories(above, faults)]
        archive = self.where.archive_dir
        for base in [*bases, *([archive] if archive else [])]:
            if not disk.isdir(base):
                continue
            with faults.isolate(base):
                names = disk.listdir(base)
                yield from self._with_parts(base, names, faults, place=self._place(base))
                for place in self._further(base, set(names)):
                    with faults.isolate(place):
                        names = disk.listdir(place)
                        yield from self._with_parts(place, names, faults, place=self._place(place))

    def _further(self, base: str, names: set[str]) -> Iterator[str]:
        """Yield directories of sessions below another one, without those of subagents."""
        if self.has_entries:
            return
        for place in further_places(base):
            if f"{place[len(base) + 1 :].partition('/')[0]}{SUFFIX}" not in names:
                yield place

    def _place(self, directory: str) -> str:
        if self.has_entries or self.agent.directory_of("/", {}) is not None:
            return ""
        return os.path.relpath(directory, self.where.agent_dir)

    def trashed(self, faults: Faults) -> Iterator[SessionFile]:
        if not self.has_entries:
            return
        try:
            items = list(trash.sessions_below(self.where.listed_dir, self._env, faults))
        except Unsupported:
            # The trash of macOS cannot be read.
            return
        for item in items:
            with faults.isolate(item.file), disk.unconfined():
                status = _stat(item.file)
                if status is not None:
                    yield SessionFile(item.file, status, main=item.file)

    def target(self, item: Item) -> str:
        cwd = self.local(item.cwd) or self._home
        if self.has_entries:
            return self.where.new_path(cwd, item.ref.session, item.created)
        directory = self.agent.directory_of(cwd, self._env)
        if directory is not None:
            path = os.path.join(self.where.sessions_dir, directory, item.ref.session)
        else:
            path = os.path.join(self.where.agent_dir, item.place, item.ref.session)
            _check_relative(item.place)
        _check_relative(item.ref.session)
        check_name(self.agent, item)
        return path

    def delete(self, path: str, ref: Ref) -> None:
        if not self.has_entries:
            raise Unsupported(f"{self.agent.name} alone deletes {ref}", path, "Delete it there")
        trash.to_trash(path, self._env)

    def neutral(self, directory: str) -> str:
        return with_tilde(directory, self._home)

    def local(self, directory: str) -> str:
        return absolute(directory, self._env) if directory.startswith("~") else directory


def check_name(agent: Agent, item: Item) -> None:
    """Raise Unsupported if an agent that alone writes its sessions would not read such a file."""
    translation = agent.translation
    above = agent.directory_of("/", {})
    where = agent.sessions_dir("/x", None) if above is not None else f"/x/{item.place}"
    path = "/".join([where, *([] if above is None else [above]), item.ref.session])
    if "/" in item.ref.session or translation is None or not translation.holds(path):
        raise Unsupported(f"{agent.name} reads no file with this name", item.ref.session, "Rename")


class FolderShelf(Shelf):
    """A folder that several machines may use."""

    def __init__(self, agent: Agent, folder: str) -> None:
        super().__init__(agent)
        self._root = f"{folder}/{agent.name}"
        self._trash = f"{folder}/{TRASH}/{agent.name}"

    def _is_copy(self, name: str) -> bool:
        return not self.has_entries and _CONFLICT.search(name) is not None

    def files(self, faults: Faults) -> Iterator[SessionFile]:
        yield from self._below(self._root, faults)

    def trashed(self, faults: Faults) -> Iterator[SessionFile]:
        for each in self._below(self._trash, faults):
            if not each.part:
                yield each

    def _below(self, root: str, faults: Faults) -> Iterator[SessionFile]:
        """Yield the sessions of a folder, which lie in it, or in folders that name a place."""
        pending = [root] if disk.isdir(root) else []
        while pending:
            place = pending.pop()
            with faults.isolate(place):
                names = disk.listdir(place)
                yield from self._with_parts(place, names, faults, **self._about(root, place))
                if not self.has_entries:
                    pending += [
                        path
                        for name in sorted(names)
                        if not name.startswith(".") and f"{name}{SUFFIX}" not in names
                        if disk.isdir(path := f"{place}/{name}") and not disk.islink(path)
                    ]

    def _about(self, root: str, place: str) -> dict[str, str | None]:
        """Return what the place of a file says: a working directory, or the same place there."""
        relative = "" if place == root else place[len(root) + 1 :]
        if self.has_entries:
            return {}
        if self.agent.directory_of("/", {}) is not None:
            return {"cwd": unquote(relative)}
        return {"place": relative}

    def target(self, item: Item) -> str:
        if self.has_entries:
            return f"{self._root}/{quote(item.ref.session, safe='')}{SUFFIX}"
        check_name(self.agent, item)
        _check_relative(item.ref.session)
        if self.agent.directory_of("/", {}) is not None:
            return f"{self._root}/{quote(item.cwd, safe='~') or '~'}/{item.ref.session}"
        _check_relative(item.place)
        return f"{self._root}/{item.place}/{item.ref.session}"

    def delete(self, path: str, ref: Ref) -> None:
        stem = os.path.basename(path).removesuffix(SUFFIX)
        try:
            disk.makedirs(self._trash, journal.DIRECTORY_MODE)
            for number in itertools.count(1):
                # The same session may have been deleted before.
                place = f"{self._trash}/{stem}" + (f".{number}" if number > 1 else "")
                if not disk.lexists(place + SUFFIX) and not disk.lexists(place):
                    break
            parts = path.removesuffix(SUFFIX)
            if disk.isdir(parts):
                disk.rename_exclusively(parts, place)
            journal.move(path, place + SUFFIX)
        except OSError as error:
            raise WriteFailed(str(ref), error) from None
