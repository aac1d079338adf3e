"""Move sessions to the trash, and restore them.

On Linux this module follows the Trash specification
(https://specifications.freedesktop.org/trash-spec/latest/), and reads the records of
any other program that does. Elsewhere Send2Trash knows the trash of the platform. Everything here
blocks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from urllib.parse import quote_from_bytes, unquote_to_bytes

import attrs

from sessiond.agents.runs import directory_of_runs
from sessiond.agents.source import directories_below
from sessiond.catalog.discover import read_header
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary, summarise
from sessiond.files import disk, journal
from sessiond.files.durable import settle
from sessiond.files.identity import OPEN_FLAGS, FileState, chunks
from sessiond.format.header import Header, new_header_line, parse_header
from sessiond.runtime.errors import (
    AlreadyExists,
    PathNotAllowed,
    SessionNotFound,
    Unsupported,
    WriteFailed,
)
from sessiond.runtime.home import absolute
from sessiond.runtime.isolation import Faults

_INFO = ".trashinfo"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS


def to_trash(path: str, env: Mapping[str, str]) -> None:
    """Move a session to the trash, with those of its subagents; a link itself is moved.

    The file is renamed into the trash in the user's home or into that of its file system, so that
    nothing is lost that a program is appending. Raises PathNotAllowed, SessionNotFound and
    WriteFailed, and leaves the file in place; on macOS also Unsupported with `--root`, because the
    library gets a path in which a link may be replaced meanwhile.
    """
    if sys.platform == "darwin":
        _by_library(path)
        return
    try:
        disk.lstat(path)
        runs = directory_of_runs(path)
        if runs is not None:
            # The subagents of a session go with it.
            _by_specification(runs, env)
        try:
            _by_specification(path, env)
        except BaseException:
            if runs is not None:
                _restore_runs(runs, env)
            raise
    except FileNotFoundError:
        raise SessionNotFound(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        why = f"it cannot be moved to the trash ({error.strerror}); delete it permanently instead"
        raise WriteFailed(path, OSError(error.errno, why)) from None


def _by_specification(path: str, env: Mapping[str, str]) -> None:
    (home, _), *others = _trash_directories(path, env)
    try:
        _rename(path, home, None)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        for trash, top in others:
            with contextlib.suppress(OSError):
                _rename(path, trash, top)
                return
        raise


def _rename(path: str, trash: str, base: str | None) -> None:
    with _recorded(trash, path, base) as file, disk.entry(path) as (directory, name):
        os.rename(name, file, src_dir_fd=directory)


@contextlib.contextmanager
def _recorded(trash: str, path: str, base: str | None) -> Iterator[str]:
    """Record the path of a file and yield its path in the trash; take the record back on failure.

    The recorded path is relative to `base`, if given. Raises OSError.
    """
    for directory in (trash, f"{trash}/info", f"{trash}/files"):
        os.makedirs(directory, mode=0o700, exist_ok=True)
    if os.lstat(trash).st_uid != os.getuid():
        raise PermissionError(errno.EACCES, "the trash belongs to another user", trash)
    place = path
    if base is not None:
        directory = disk.realname(os.path.dirname(path))
        place = os.path.relpath(os.path.join(directory, os.path.basename(path)), base)
    info, file = _record(trash, place)
    try:
        # Without the record nothing finds the file again.
        with disk.unconfined():
            settle(info)
        yield file
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(info)
        raise


def _record(trash: str, path: str) -> tuple[str, str]:
    """Record the path of a file; return the paths of the record and of the file in the trash."""
    text = (
        f"[Trash Info]\nPath={quote_from_bytes(os.fsencode(path))}\n"
        f"DeletionDate={time.strftime('%Y-%m-%dT%H:%M:%S')}\n"
    )
    stem, suffix = os.path.splitext(os.path.basename(path))
    number = 1
    while True:
        name = f"{stem}{suffix}" if number == 1 else f"{stem} {number}{suffix}"
        info, file = f"{trash}/info/{name}.trashinfo", f"{trash}/files/{name}"
        number += 1
        if os.path.lexists(file):
            continue
        try:
            descriptor = os.open(info, _NEW, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as out:
            out.write(text.encode())
        return info, file


def _by_library(path: str) -> None:
    if disk.is_confined():
        message = "With --root, sessions cannot be moved to the trash on macOS"
        raise Unsupported(message, path, "Delete it permanently")
    import send2trash

    try:
        send2trash.send2trash(path)
    except OSError as error:
        # Whatever it says, a file that is gone was moved.
        if not disk.lexists(path):
            return
        why = f"it cannot be moved to the trash ({error}); delete it permanently instead"
        raise WriteFailed(path, OSError(errno.EIO, why)) from None


def delete(path: str) -> None:
    """Delete a session permanently, with those of its subagents.

    Raises SessionNotFound and WriteFailed.
    """
    try:
        runs = directory_of_runs(path)
        disk.unlink(path)
        for place in reversed([] if runs is None else list(directories_below(runs))):
            for name in disk.listdir(place):
                if not disk.isdir(f"{place}/{name}") or disk.islink(f"{place}/{name}"):
                    disk.unlink(f"{place}/{name}")
            disk.rmdir(place)
    except FileNotFoundError:
        raise SessionNotFound(path) from None
    except PathNotAllowed:
        raise
    except OSError as error:
        raise WriteFailed(path, error) from None


@attrs.frozen(order=True)
class Trashed:
    """A file in a trash; ordered by the time of deletion."""

    deleted: str
    """Local time, `YYYY-MM-DDThh:mm:ss`."""
    recorded_ns: int
    """Modification time of the record; orders files deleted in the same second."""
    file: str
    info: str
    origin: str
    """Where it was."""


def restore(path: str, env: Mapping[str, str]) -> None:
    """Move the session that was last deleted at `path` back to it. Blocking.

    Never replaces a file: raises AlreadyExists. Raises SessionNotFound if no trash contains such a
    session, WriteFailed, and Unsupported on macOS, whose trash has no readable records.
    """
    if disk.lexists(path):
        raise AlreadyExists(path)
    if sys.platform == "darwin":
        message = "On macOS only the Finder can restore sessions from the trash"
        raise Unsupported(message, path, "Restore it with the Finder")
    faults = Faults()
    sessions = []
    for item in trashed(path, env, faults):
        with faults.isolate(item.file):
            if _is_session(item.file):
                sessions.append(item)
    if not sessions:
        missing = SessionNotFound(path)
        missing.message = f"No session that was deleted from {path} is in the trash"
        raise missing
    latest = max(sessions)
    _move_back(latest.file, path)
    try:
        os.unlink(latest.info)
    except OSError as error:
        # A record without a file does no harm: trash programs ignore it.
        if error.errno != errno.ENOENT:
            raise WriteFailed(latest.info, error) from None
    if path.endswith(".jsonl"):
        _restore_runs(path.removesuffix(".jsonl"), env)


def _restore_runs(directory: str, env: Mapping[str, str]) -> None:
    """Move the subagents of a session back, if they were deleted with it. Raises WriteFailed."""
    every = trashed(directory, env, Faults())
    items = [item for item in every if os.path.isdir(item.file)]
    if not items or disk.lexists(directory):
        return
    latest = max(items)
    try:
        with disk.entry(directory) as (above, name):
            os.rename(latest.file, name, dst_dir_fd=above)
        settle(directory)
        os.unlink(latest.info)
    except OSError as error:
        raise WriteFailed(directory, error) from None


def _is_session(file: str) -> bool:
    """Whether a file in the trash is a session, or a link, which is never followed there."""
    if _is_link(file):
        return True
    with disk.unconfined():
        return read_header(file) is not None


def _is_link(file: str) -> bool:
    return stat.S_ISLNK(os.lstat(file).st_mode)


def _move_back(file: str, path: str) -> None:
    """Move a file out of the trash without replacing anything; copy if the file systems differ."""
    try:
        disk.makedirs(os.path.dirname(path), journal.DIRECTORY_MODE)
        with disk.entry(path) as (directory, name):
            os.link(file, name, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        raise AlreadyExists(path) from None
    except PathNotAllowed:
        raise
    except OSError:
        _copy_back(file, path)
    try:
        settle(path)
        os.unlink(file)
    except OSError as error:
        raise WriteFailed(file, error) from None


def _copy_back(file: str, path: str) -> None:
    try:
        if _is_link(file):
            disk.symlink(os.readlink(file), path)
            return
        descriptor = _open(file)
        try:
            status = os.fstat(descriptor)
            mode = stat.S_IMODE(status.st_mode)
            # Lists show the time of the file for a session without messages.
            journal.create(path, chunks(descriptor, 0), mode=mode, times=status, settled=True)
        finally:
            os.close(descriptor)
    except FileExistsError:
        raise AlreadyExists(path) from None
    except OSError as error:
        raise WriteFailed(path, error) from None


def _open(file: str) -> int:
    """Open a file of a trash, and no link, which may lead outside of `--root`. Raises OSError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "Not a regular file", file)
    return descriptor


def trashed(path: str, env: Mapping[str, str], faults: Faults) -> Iterator[Trashed]:
    """Everything that was deleted at `path`, as the trash directories record it."""
    for item in recorded(path, env, faults):
        is_same = False
        with faults.isolate(item.info):
            is_same = _is_same_place(item.origin, path)
        if is_same:
            yield item


def sessions_below(directory: str, env: Mapping[str, str], faults: Faults) -> Iterator[Trashed]:
    """Sessions in the trash that were deleted somewhere below `directory`."""
    for item in recorded(f"{directory}/session", env, faults):
        if os.path.normpath(item.origin).startswith(directory.rstrip("/") + "/"):
            is_session = False
            with faults.isolate(item.file):
                is_session = _is_session(item.file)
            if is_session:
                yield item


@attrs.frozen
class TrashedSummary:
    """A session in a trash, with the summary of its file."""

    item: Trashed
    summary: Summary

    @property
    def deleted(self) -> float | None:
        """When it was deleted, in epoch milliseconds; None if the record has no valid time."""
        try:
            return datetime.fromisoformat(self.item.deleted).timestamp() * 1000
        except (ValueError, OverflowError, OSError):
            return None


def summaries(scope: SessionScope, env: Mapping[str, str], faults: Faults) -> list[TrashedSummary]:
    """Return the sessions in the trash that were deleted from a scope, the latest first.

    Raises Unsupported on macOS, whose trash has no readable records.
    """
    if sys.platform == "darwin":
        message = "On macOS only the Finder shows what is in the trash"
        raise Unsupported(message, scope.directory, "Look into the trash with the Finder")
    items: list[TrashedSummary] = []
    for part in scope.parts:
        for item in sessions_below(part.directory, env, faults):
            with faults.isolate(item.file):
                summary = _summary(item)
                if summary is not None and part.cwd in (None, summary.header.cwd):
                    summary.date()
                    summary.path = item.origin
                    items.append(TrashedSummary(item, summary))
    return sorted(items, key=lambda each: each.item, reverse=True)


def _summary(item: Trashed) -> Summary | None:
    """Return the summary of a file in the trash; that of a link has nothing but its name."""
    status = os.lstat(item.file)
    if stat.S_ISLNK(status.st_mode):
        return Summary(item.file, _nameless(item.origin), FileState.of(status))
    with disk.unconfined():
        return summarise(item.file)


def _nameless(path: str) -> Header:
    """Return the header of a session that is not read: its id is the name of the file."""
    name = os.path.splitext(os.path.basename(path))[0]
    header = parse_header(new_header_line(name, "", ""))
    assert header is not None, "it was just made"  # noqa: S101
    return header


def remove(file: str) -> None:
    """Delete a file in a trash permanently, with its record. Raises WriteFailed."""
    files, name = os.path.split(file)
    try:
        os.unlink(file)
        os.unlink(f"{os.path.dirname(files)}/info/{name}{_INFO}")
    except OSError as error:
        raise WriteFailed(file, error) from None


def recorded(path: str, env: Mapping[str, str], faults: Faults) -> Iterator[Trashed]:
    """The contents of the trash directories in which something deleted at `path` would be."""
    for directory, top in _trash_directories(path, env):
        names: list[str] = []
        with faults.isolate(directory):
            # In a shared directory, another user may have created this one.
            if os.lstat(directory).st_uid == os.getuid():
                names = os.listdir(f"{directory}/info")
        for name in names:
            if not name.endswith(_INFO):
                continue
            info = f"{directory}/info/{name}"
            file = f"{directory}/files/{name.removesuffix(_INFO)}"
            item: Trashed | None = None
            with faults.isolate(info):
                members = _read_info(info)
                written = os.stat(info).st_mtime_ns
                origin = os.path.join(top, members.get("Path", ""))
                if os.path.lexists(file):
                    deleted = members.get("DeletionDate", "")
                    item = Trashed(deleted, written, file, info, origin)
            if item is not None:
                yield item


def _read_info(path: str) -> dict[str, str]:
    """The members of a record; the first of duplicates counts, as the specification says."""
    with os.fdopen(_open(path), "rb") as file:
        lines = file.read(64 * 1024).splitlines()
    members: dict[str, str] = {}
    if not lines or lines[0].strip() != b"[Trash Info]":
        return members
    for line in lines[1:]:
        name, _, value = line.partition(b"=")
        decoded = os.fsdecode(unquote_to_bytes(value.strip()))
        members.setdefault(os.fsdecode(name.strip()), decoded)
    return members


def _is_same_place(one: str, other: str) -> bool:
    """Whether both paths name the same entry of the same directory, after links are resolved."""
    if os.path.basename(one) != os.path.basename(other):
        return False
    return disk.realname(os.path.dirname(one)) == disk.realname(os.path.dirname(other))


def _trash_directories(path: str, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Trash directories, each with the base directory of the relative paths in its records."""
    home = _data_home(env)
    yield f"{home}/Trash", home
    top = disk.realname(os.path.dirname(path))
    while not os.path.ismount(top):
        top = os.path.dirname(top)
    shared = os.path.join(top, ".Trash")
    try:
        mode = os.lstat(shared).st_mode
    except OSError:
        mode = 0
    if stat.S_ISDIR(mode) and mode & stat.S_ISVTX:
        yield f"{shared}/{os.getuid()}", top
    yield os.path.join(top, f".Trash-{os.getuid()}"), top


def _data_home(env: Mapping[str, str]) -> str:
    given = env.get("XDG_DATA_HOME", "")
    return given if given.startswith("/") else absolute("~/.local/share", env)
