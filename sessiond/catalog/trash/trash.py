"""Move sessions to the trash of the desktop, and restore them.

Send2Trash finds the trash of a platform and records the original path of a file as the Trash
specification of freedesktop.org says, but it cannot restore. This module reads the records of
Send2Trash and of any other program that follows the specification.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from urllib.parse import unquote_to_bytes

import attrs

from sessiond.catalog.discover import read_header
from sessiond.catalog.trash import move
from sessiond.errors import (
    AlreadyExists,
    PathNotAllowed,
    SessionNotFound,
    Unsupported,
    WriteFailed,
)
from sessiond.files import disk, journal
from sessiond.files.identity import open_regular
from sessiond.isolation import Faults
from sessiond.profiles import absolute

_SECONDS = 60
_INFO = ".trashinfo"


def to_trash(path: str, env: Mapping[str, str]) -> None:
    """Move a file to the trash.

    This process renames it if the trash in the user's home is on the same file system, because
    starting a program takes a hundred times as long. Else Send2Trash moves it, or the program
    `trash`, as pi does. With `--root` this process always moves it: a program would get a path, in
    which a link may be replaced meanwhile. Raises WriteFailed and leaves the file in place if no
    way works. Blocking.
    """
    home = _data_home(env)
    if disk.is_confined():
        move.move(path, home)
        return
    reasons = []
    if move.can_rename(path, home):
        try:
            move.move(path, home)
        except WriteFailed as error:
            reasons.append(str(error.data["strerror"]))
        else:
            return
    # In a child process: the library reads the environment when it is imported, and on some
    # desktops it loads a whole GUI toolkit.
    program = shutil.which("trash", path=env.get("PATH", ""))
    commands = [[sys.executable or "python3", "-P", "-m", "send2trash", "--", path]]
    if program is not None:
        commands.append([program, path])
    with move.alone(f"{home}/Trash"):
        for command in commands:
            reason = _run(command, {**env, "XDG_DATA_HOME": home})
            # A program may report an error although it moved the file (as pi).
            if reason is None or not disk.lexists(path):
                return
            reasons.append(reason)
    told = "; ".join(reasons)
    why = f"it cannot be moved to the trash ({told}); delete it permanently instead"
    raise WriteFailed(path, OSError(errno.EIO, why))


def _run(command: list[str], env: Mapping[str, str]) -> str | None:
    """Run a program; None if it succeeded, else its error message."""
    try:
        done = subprocess.run(  # noqa: S603 - a path is always one argument
            command,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return said[-1][:200] if said else f"exit code {done.returncode}"


def delete(path: str) -> None:
    """Delete a file permanently. Raises SessionNotFound and WriteFailed."""
    try:
        disk.unlink(path)
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


def _is_session(file: str) -> bool:
    with disk.unconfined():
        return stat.S_ISLNK(os.lstat(file).st_mode) or read_header(file) is not None


def _move_back(file: str, path: str) -> None:
    """Rename without replacing anything; copy if the file systems differ."""
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
        os.unlink(file)
    except OSError as error:
        raise WriteFailed(file, error) from None


def _copy_back(file: str, path: str) -> None:
    with disk.unconfined():
        descriptor = open_regular(file)
    try:
        seen = os.fstat(descriptor)
        mode = stat.S_IMODE(seen.st_mode)
        journal.create(path, journal.chunks(descriptor, 0), mode=mode)
        # Lists show this time for a session without messages.
        with disk.entry(path) as (directory, name):
            os.utime(name, ns=(seen.st_atime_ns, seen.st_mtime_ns), dir_fd=directory)
    except OSError as error:
        raise WriteFailed(path, error) from None
    finally:
        os.close(descriptor)


def trashed(path: str, env: Mapping[str, str], faults: Faults) -> Iterator[Trashed]:
    """What was deleted at `path`, as the trash directories record it."""
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


def remove(item: Trashed) -> None:
    """Delete a file in the trash permanently. Raises WriteFailed."""
    try:
        os.unlink(item.file)
        os.unlink(item.info)
    except OSError as error:
        raise WriteFailed(item.file, error) from None


def recorded(path: str, env: Mapping[str, str], faults: Faults) -> Iterator[Trashed]:
    """What is in the trash directories in which something deleted at `path` would be."""
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
    with disk.unconfined():
        descriptor = open_regular(path)
    with os.fdopen(descriptor, "rb") as file:
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
