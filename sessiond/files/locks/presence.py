"""Publish which session files a client has open for writing, and find those of others.

This is information, not a lock: nothing waits for it, and nothing fails without it. In a directory
of the user, every client has a file, locked with `flock` for as long as it is connected, and a
directory with an empty mark for each session. So a question about one session costs one `stat` per
client, however many sessions are open. The file of a client contains the name of its program. The
system releases a lock when its process ends in any way, so a file that can be locked belonged to a
dead process; the process that finds it removes it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import secrets
import stat
from collections import Counter
from collections.abc import Callable

from sessiond.files.identity import OPEN_FLAGS, Key

# Process ids alone are not unique: they are reused, and each container has its own.
_NAME = r"(?P<owner>(?P<pid>[0-9]+)-[0-9a-f]{8})"
_OWNER = re.compile(_NAME + r"(\.lock)?")
_MARK = re.compile(r"(?P<device>[0-9a-f]+)-(?P<inode>[0-9a-f]+)")
_TRIES = 5
_LONGEST_NAME = 100

_log = logging.getLogger(__name__)


def runtime_directory() -> str:
    """The directory shared by all processes of a user; emptied when the system starts."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and os.path.isdir(runtime):
        return os.path.join(runtime, "sessiond")
    # Not TMPDIR, which may differ between processes.
    return f"/tmp/sessiond-{os.getuid()}"  # noqa: S108 - created and checked to be ours alone


class Presence:
    """The session files that this client and others have open for writing.

    Others know this client by `pid`: the process that was started for it, which in a shared daemon
    is not this one. If the directory cannot be used or does not belong to the user, no others are
    found, and this client is not visible to them. No method raises or blocks.
    """

    def __init__(self, directory: str | None = None, pid: int | None = None) -> None:
        self._directory = directory or runtime_directory()
        self._pid = pid or os.getpid()
        self._held: Counter[Key] = Counter()
        self._descriptor = -1
        self._owner = ""
        self.name = ""
        """The name of the client's program, published with its first file."""

    def hold(self, key: Key) -> None:
        """Publish a file. Calls are counted: each needs its `release`."""
        self._held[key] += 1
        try:
            self._tell(key)
        except BaseException:
            self.release(key)
            raise

    def _tell(self, key: Key) -> None:
        try:
            if not self._is_registered():
                self._register()
            try:
                self._mark(key)
            except FileNotFoundError:
                # New, or removed by a program that cleans up temporary directories.
                os.mkdir(self._path(self._owner), 0o700)
                for held in list(self._held):
                    self._mark(held)
        except OSError as error:
            _log.debug("cannot publish an open session: %s", error)

    def release(self, key: Key) -> None:
        """Undo one `hold`."""
        self._held[key] -= 1
        if self._held[key] <= 0:
            del self._held[key]
            if self._owner:
                _remove(self._mark_path(self._owner, key))

    def others(self, key: Key) -> list[int]:
        """Ids of the other processes that hold the file; costs one `stat` for each process."""
        return [pid for pid, _ in self._holders(key)]

    def writers(self, key: Key) -> dict[int, str]:
        """All processes that hold the file, that of this client first, with their programs' names.

        The name is empty if the program did not tell one.
        """
        own = {self._pid: _one_line(self.name)} if self._held[key] > 0 else {}
        return own | {pid: self._read_name(owner) for pid, owner in self._holders(key)}

    def snapshot(self) -> dict[Key, list[int]]:
        """All files that other processes hold, with the ids of these processes."""
        holders: dict[Key, list[int]] = {}
        for pid, owner in self._living(self._others()):
            for mark in filter(None, map(_MARK.fullmatch, _names(self._path(owner)))):
                key = int(mark["device"], 16), int(mark["inode"], 16)
                holders.setdefault(key, []).append(pid)
        return holders

    def close(self) -> None:
        """Withdraw all published files."""
        self._held.clear()
        self._forget()

    def _holders(self, key: Key) -> list[tuple[int, str]]:
        """The other processes that hold the file."""
        marked = [owner for owner in self._others() if os.path.lexists(self._mark_path(owner, key))]
        return self._living(marked)

    def _read_name(self, owner: str) -> str:
        """The name of another process's program; empty if it has ended or did not tell one."""
        try:
            descriptor = os.open(
                self._path(f"{owner}.lock"), os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS
            )
            with open(descriptor, encoding="utf-8", errors="replace") as file:
                return file.read(_LONGEST_NAME)
        except OSError:
            return ""

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)

    def _mark_path(self, owner: str, key: Key) -> str:
        return self._path(f"{owner}/{key[0]:x}-{key[1]:x}")

    def _others(self) -> list[str]:
        """The names of the other processes that have published something."""
        try:
            names = os.listdir(self._directory) if self._is_ours() else []
        except OSError:
            return []
        owners = {match["owner"] for match in map(_OWNER.fullmatch, names) if match}
        return sorted(owners - {self._owner})

    def _is_ours(self) -> bool:
        """Whether the directory is ours alone: in /tmp, another user may have created it first."""
        seen = os.lstat(self._directory)
        return (
            stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o022
        )

    def _living(self, owners: list[str]) -> list[tuple[int, str]]:
        """Those that live, by process id; removes the files of dead processes."""
        living = []
        for owner in owners:
            if self._is_alive(owner):
                living.append((int(owner.partition("-")[0]), owner))
            else:
                self._clear(owner)
        return sorted(living)

    def _is_alive(self, owner: str) -> bool:
        path = self._path(f"{owner}.lock")
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS)
        except OSError:
            return False
        try:
            # Shared, so that two processes that check at once do not find each other's lock.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        else:
            return False
        finally:
            os.close(descriptor)

    def _is_registered(self) -> bool:
        if not self._owner:
            return False
        try:
            named = os.stat(self._path(f"{self._owner}.lock"))
        except OSError:
            return False
        held = os.fstat(self._descriptor)
        return (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino)

    def _register(self) -> None:
        """Create the file of this process. Raises OSError."""
        self._forget()
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        if not self._is_ours():
            raise PermissionError(f"{self._directory} does not belong to this user alone")
        for _ in range(_TRIES):
            self._owner = f"{self._pid}-{secrets.token_hex(4)}"
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
            self._descriptor = os.open(self._path(f"{self._owner}.lock"), flags, 0o600)
            # Before it is locked, another process may take the new file for a dead process's.
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                _log.debug("cannot lock a new file: %s", error)
            else:
                if self._is_registered():
                    os.write(self._descriptor, _one_line(self.name).encode())
                    return
            self._forget()
        raise PermissionError(f"{self._directory} does not allow locks")

    def _forget(self) -> None:
        if self._descriptor >= 0:
            self._clear(self._owner)
            os.close(self._descriptor)
        self._owner, self._descriptor = "", -1

    def _clear(self, owner: str) -> None:
        """Remove all files of a process."""
        directory = self._path(owner)
        for name in _names(directory):
            _remove(f"{directory}/{name}")
        _remove(directory, os.rmdir)
        # Last, because it shows other processes whose files these are.
        _remove(self._path(f"{owner}.lock"))

    def _mark(self, key: Key) -> None:
        path = self._mark_path(self._owner, key)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | OPEN_FLAGS, 0o600))


def _one_line(name: str) -> str:
    """A name without characters that cannot be seen, and not too long."""
    return "".join(filter(str.isprintable, name))[:_LONGEST_NAME]


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _remove(path: str, remove: Callable[[str], None] = os.unlink) -> None:
    try:
        remove(path)
    except OSError as error:
        # Another process has removed it already, or there never was one.
        _log.debug("cannot remove %s: %s", path, error)
