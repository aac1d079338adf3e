"""Publish which session files a client has open for writing, and find those of others.

This is information, not a lock: nothing waits for it, and nothing fails without it. In a directory
of the user, every client that has a session open has a file, locked with `flock`. It begins with a
line with the name of the client's program; then a line is appended whenever a session is opened
(`+device:inode`) or closed (`-device:inode`), and the last one counts. The system releases a lock
when its process ends in any way, so a file that can be locked belonged to a dead process; the
process that finds it removes it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import stat
from collections import Counter

from sessiond.files.identity import OPEN_FLAGS, Key

# Process ids alone are not unique: they are reused, and each container has its own.
_NAME = re.compile(r"([0-9]+)-[0-9a-f]{8}\.open")
_LINE = re.compile(rb"([+-])([0-9a-f]+):([0-9a-f]+)\n")
_LONGEST_NAME = 100
_MOST_LINES = 1000
"""With more than that, and twice the open sessions, a file is begun again."""

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
        self._path = ""
        self._lines = 0
        self.name = ""
        """The name of the client's program, published with its first session."""

    def hold(self, key: Key) -> None:
        """Publish a file. Calls are counted: each needs its `release`."""
        self._held[key] += 1
        try:
            self._publish(b"+", key)
        except BaseException:
            self.release(key)
            raise

    def release(self, key: Key) -> None:
        """Undo one `hold`."""
        self._held[key] -= 1
        if self._held[key] <= 0:
            del self._held[key]
            if self._held:
                self._publish(b"-", key)
            else:
                self._forget()

    def others(self, key: Key) -> list[int]:
        """Ids of the other processes that hold the file; reads a small file for each process."""
        return [pid for pid, _ in self._holders(key)]

    def writers(self, key: Key) -> dict[int, str]:
        """All processes that hold the file, that of this client first, with their programs' names.

        The name is empty if the program did not tell one.
        """
        own = {self._pid: _one_line(self.name).decode()} if self._held[key] > 0 else {}
        return own | dict(self._holders(key))

    def snapshot(self) -> dict[Key, list[int]]:
        """All files that other processes hold, with the ids of these processes."""
        holders: dict[Key, list[int]] = {}
        for pid, _, lines in self._others():
            last = {(device, inode): sign for sign, device, inode in _LINE.findall(lines)}
            for (device, inode), sign in last.items():
                if sign == b"+":
                    holders.setdefault((int(device, 16), int(inode, 16)), []).append(pid)
        return holders

    def close(self) -> None:
        """Withdraw all published files."""
        self._held.clear()
        self._forget()

    def _publish(self, sign: bytes, key: Key) -> None:
        try:
            is_long = self._lines > _MOST_LINES + 2 * len(self._held)
            if self._is_registered() and not is_long:
                os.write(self._descriptor, sign + _line(key))
                self._lines += 1
            else:
                # New, too long, or removed by a program that cleans up temporary directories.
                self._register()
        except OSError as error:
            _log.debug("cannot publish an open session: %s", error)

    def _holders(self, key: Key) -> list[tuple[int, str]]:
        """The other processes that hold the file, and their programs' names."""
        line = _line(key)
        return [
            (pid, name)
            for pid, name, lines in self._others()
            if lines.rfind(b"+" + line) > lines.rfind(b"-" + line)
        ]

    def _others(self) -> list[tuple[int, str, bytes]]:
        """The living others: process id, name of the program, and lines; removes files of dead."""
        try:
            names = os.listdir(self._directory) if self._is_ours() else []
        except OSError:
            return []
        marks = []
        for match in filter(None, map(_NAME.fullmatch, names)):
            path = os.path.join(self._directory, match[0])
            if path != self._path:
                name, newline, lines = _read(path).partition(b"\n")
                if newline:
                    marks.append((int(match[1]), name.decode(errors="replace"), lines))
        return sorted(marks)

    def _is_ours(self) -> bool:
        """Whether the directory is ours alone: in /tmp, another user may have created it first."""
        status = os.lstat(self._directory)
        return (
            stat.S_ISDIR(status.st_mode)
            and status.st_uid == os.getuid()
            and not status.st_mode & 0o022
        )

    def _is_registered(self) -> bool:
        """Whether this client has a file that still has its name."""
        try:
            status = os.stat(self._path)
        except OSError:
            return False
        return os.path.samestat(status, os.fstat(self._descriptor))

    def _register(self) -> None:
        """Create the file of this client with what it holds. Raises OSError."""
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        if not self._is_ours():
            raise PermissionError(f"{self._directory} does not belong to this user alone")
        path = os.path.join(self._directory, f"{self._pid}-{os.urandom(4).hex()}.open")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | OPEN_FLAGS
        # Under another name until it is locked: others take a file without a lock for a dead one.
        descriptor = os.open(f"{path}.new", flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lines = [b"+" + _line(key) for key in self._held]
            os.write(descriptor, b"".join([_one_line(self.name), b"\n", *lines]))
            os.rename(f"{path}.new", path)
        except BaseException:
            os.close(descriptor)
            _remove(f"{path}.new")
            raise
        self._forget()
        self._path, self._descriptor, self._lines = path, descriptor, len(lines)

    def _forget(self) -> None:
        if self._descriptor >= 0:
            _remove(self._path)
            os.close(self._descriptor)
        self._path, self._descriptor = "", -1


def _read(path: str) -> bytes:
    """The marks that a living process has published; removes the file of a dead one."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS)
    except OSError:
        return b""
    try:
        # Shared, so that two processes that look at once do not find each other's lock.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    else:
        _remove(path)
        return b""
    finally:
        os.close(descriptor)


def _line(key: Key) -> bytes:
    """The text that follows a sign; a line that was written in part equals no other one."""
    return b"%x:%x\n" % key


def _one_line(name: str) -> bytes:
    """A name without characters that cannot be seen, and not too long."""
    return "".join(filter(str.isprintable, name))[:_LONGEST_NAME].encode()


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        # Another process has removed it already.
        _log.debug("cannot remove %s: %s", path, error)
