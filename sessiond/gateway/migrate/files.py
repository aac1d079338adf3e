"""Read and empty the legacy sessions directory, which gateways used before agents had their own.

Nothing is overwritten, no symbolic link is followed, and all files stay in the state directory.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat

import attrs

from sessiond.errors import ReadFailed, SessionNotFound, WriteFailed
from sessiond.files import disk, journal
from sessiond.files.identity import FileState, OpenedFile
from sessiond.gateway.config.file import json5
from sessiond.gateway.config.layout import STORE_NAME
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.store.entry import encoded
from sessiond.gateway.store.snapshot import Items, StoreProblem, StoreSnapshot, parse

_LOCK = ".lock"
_STORE_LOCK = STORE_NAME + _LOCK


@attrs.frozen
class LegacyPlaces:
    """Absolute paths of the legacy directory and of its replacements."""

    state_dir: str
    target: str
    """The sessions directory of the agent that gets the sessions."""
    store_path: str

    @property
    def directory(self) -> str:
        """The legacy directory."""
        return posixpath.join(self.state_dir, "sessions")

    @property
    def legacy_store(self) -> str:
        return posixpath.join(self.directory, STORE_NAME)

    def is_link(self) -> bool:
        """Whether the legacy directory is a symbolic link."""
        return disk.islink(self.directory)

    def is_legacy(self) -> bool:
        """Whether the legacy directory exists and contains no current store or transcripts."""
        try:
            if not stat.S_ISDIR(disk.lstat(self.directory).st_mode):
                return False
        except OSError:
            return False
        today = (os.path.dirname(self.store_path), self.target)
        return not any(_is_within(path, self.directory) for path in today)


@attrs.frozen
class LegacyStore:
    """The content of a legacy `sessions.json`."""

    items: Items = attrs.field(factory=dict)
    problems: tuple[StoreProblem, ...] = ()
    state: FileState | None = None
    """None if there is no such file."""
    trouble: StoreProblem | None = None
    """Why the store is ignored and not changed."""


def read(path: str) -> LegacyStore:
    """Read a legacy store, which may be JSON5. Blocking."""
    if disk.islink(path):
        return _unreadable(path, ReadFailed(path, OSError(errno.ELOOP, "Is a symbolic link")))
    try:
        with OpenedFile(path) as (descriptor, state):
            snapshot = _parsed(path, journal.read_from(descriptor, 0))
    except SessionNotFound:
        return LegacyStore()
    except ReadFailed as error:
        return _unreadable(path, error)
    except ValueError as error:
        message = f"{path} is not a JSON or JSON5 object ({error}); it is not changed"
        return LegacyStore(trouble=StoreProblem("corruptStore", message, path=path))
    return LegacyStore(snapshot.items, snapshot.problems, state)


def _unreadable(path: str, error: ReadFailed) -> LegacyStore:
    message = f"{error.message}; it is not changed"
    return LegacyStore(trouble=StoreProblem("unreadableStore", message, path=path))


def _parsed(path: str, text: bytes) -> StoreSnapshot:
    snapshot = parse(path, text, StoreSnapshot())
    if snapshot.damaged is None:
        # The bytes are kept exactly.
        return snapshot
    value = json5(text)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return parse(path, encoded(value), StoreSnapshot())


@attrs.define
class LegacyFiles:
    """The files of a legacy directory beside its store."""

    moves: dict[str, str] = attrs.field(factory=dict)
    """Files to move, with their new paths."""
    kept: list[str] = attrs.field(factory=list)
    """Paths that are not files, or whose name is taken in the target."""
    stuck: dict[str, str] = attrs.field(factory=dict)
    """Files that cannot be moved, and why."""


def survey(places: LegacyPlaces) -> LegacyFiles:
    """List the directory. Raises ReadFailed."""
    files = LegacyFiles()
    refusal = _refusal(places)
    try:
        names = sorted(disk.listdir(places.directory))
    except OSError as error:
        raise ReadFailed(places.directory, error) from None
    for name in names:
        path, target = (posixpath.join(base, name) for base in (places.directory, places.target))
        if name in {STORE_NAME, _STORE_LOCK}:
            continue
        if name.endswith(_LOCK) or not _is_file(path) or disk.lexists(target):
            files.kept.append(path)
        elif refusal is not None:
            files.stuck[path] = refusal
        else:
            files.moves[path] = target
    return files


def _refusal(places: LegacyPlaces) -> str | None:
    """Why no file can be moved; None if they can."""
    if not _is_within(places.target, places.state_dir):
        return f"{places.target} is outside the state directory"
    there = places.target
    while not disk.exists(there):
        there = os.path.dirname(there)
    if disk.stat(there).st_dev != disk.stat(places.directory).st_dev:
        return f"{places.target} is on another file system"
    return None


def relocated(places: LegacyPlaces, files: LegacyFiles, session_file: str) -> str | None:
    """The new path of a transcript that is moved, now or earlier; None if its path stays valid."""
    given = trim(session_file)
    if not given or "\0" in given:
        return None
    source = posixpath.normpath(posixpath.join(places.directory, given))
    folder, name = posixpath.split(source)
    target = posixpath.join(places.target, name)
    if folder != posixpath.normpath(places.directory):
        return None
    was_moved = disk.lexists(target) and not disk.lexists(source)
    if source not in files.moves and not was_moved:
        return None
    is_beside = posixpath.dirname(places.store_path) == places.target
    return None if is_beside and not given.startswith("/") else target


def move(places: LegacyPlaces, files: LegacyFiles) -> list[str]:
    """Move the files; their new paths. Failures are in `stuck` or `kept` afterwards.

    Blocking.
    """
    moved = []
    try:
        if files.moves:
            disk.makedirs(places.target, journal.DIRECTORY_MODE)
    except OSError as error:
        files.stuck |= dict.fromkeys(files.moves, WriteFailed(places.target, error).message)
        return []
    for source, target in files.moves.items():
        try:
            _move(source, target)
        except FileExistsError:
            files.kept.append(source)
        except FileNotFoundError:
            continue
        except OSError as error:
            files.stuck[source] = WriteFailed(source, error).message
        else:
            moved.append(target)
    return moved


def _move(source: str, target: str) -> None:
    try:
        # Unlike a rename, a link never replaces a file that has appeared meanwhile.
        disk.link(source, target)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:
        # The file system has no hard links.
        if disk.lexists(target):
            raise FileExistsError(target) from None
        disk.rename(source, target)
    else:
        disk.unlink(source)


def remove_store(path: str, state: FileState) -> None:
    """Remove a legacy store. Raises WriteFailed, also if the file has been replaced."""
    try:
        if not state.matches(disk.lstat(path)):
            raise WriteFailed(path, OSError(errno.EBUSY, "Another process changed it meanwhile"))
        disk.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WriteFailed(path, error) from None


def leftover_name(places: LegacyPlaces, now: int) -> str:
    """A free name for the directory."""
    while disk.lexists(path := f"{places.directory}.legacy-{now}"):
        now += 1
    return path


def put_aside(places: LegacyPlaces, now: int, *, rename: bool) -> str | None:
    """Remove the directory if it is empty, else rename it if `rename` is set; its new name.

    Raises WriteFailed.
    """
    try:
        disk.rmdir(places.directory)
    except FileNotFoundError:
        return None
    except OSError:
        if not rename:
            return None
    else:
        return None
    path = leftover_name(places, now)
    try:
        disk.rename(places.directory, path)
    except OSError as error:
        raise WriteFailed(places.directory, error) from None
    return path


def everything(places: LegacyPlaces) -> list[str]:
    """The paths in the directory, without the lock of its store."""
    names = sorted(disk.listdir(places.directory))
    return [posixpath.join(places.directory, name) for name in names if name != _STORE_LOCK]


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(disk.lstat(path).st_mode)
    except OSError:
        return False


def _is_within(path: str, directory: str) -> bool:
    real, base = disk.realname(path), disk.realname(directory)
    return real == base or real.startswith(f"{base.rstrip('/')}/")
