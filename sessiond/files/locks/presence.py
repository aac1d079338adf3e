"""Publish which session files this process has open for writing, and find those of others.

This is information, not a lock: nothing waits for it, and nothing fails without it. Every process
has one file in a directory of the user, locked with `flock` for as long as the process lives, and
an empty mark file for each session. The system releases a lock when its process ends in any way,
so a file that can be locked belonged to a dead process; the process that finds it removes it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import secrets
import stat
from collections import Counter

from sessiond.files.identity import OPEN_FLAGS

Key = tuple[int, int]
"""Device and inode, as in `FileState.key`."""

# Process ids alone are not unique: they are reused, and each container has its own.
_NAME = r"(?P<owner>(?P<pid>[0-9]+)-[0-9a-f]{8})"
_OWNER = re.compile(_NAME + r"\.lock")
_MARK = re.compile(r"(?P<device>[0-9a-f]+)-(?P<inode>[0-9a-f]+)-" + _NAME)
_TRIES = 5

_log = logging.getLogger(__name__)


def runtime_directory() -> str:
    """The directory shared by all processes of a user; emptied when the system starts."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and os.path.isdir(runtime):
        return os.path.join(runtime, "sessiond")
    # Not TMPDIR, which may differ between processes.
    return f"/tmp/sessiond-{os.getuid()}"  # noqa: S108 - created and checked to be ours alone


class Presence:
    """The session files that this process and others have open for writing.

    If the directory cannot be used or does not belong to the user, no other processes are found,
    and this process is not visible to them. No method raises or blocks.
    """

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory or runtime_directory()
        self._held: Counter[Key] = Counter()
        self._descriptor = -1
        self._owner = ""

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
            # A program that cleans up temporary directories may have removed our files.
            for missing in (key,) if self._is_registered() else self._register():
                self._mark(missing)
        except OSError as error:
            _log.debug("cannot publish an open session: %s", error)

    def release(self, key: Key) -> None:
        """Undo one `hold`."""
        self._held[key] -= 1
        if self._held[key] <= 0:
            del self._held[key]
            if self._owner:
                _remove(self._path(_mark_name(key, self._owner)))

    def others(self, key: Key) -> list[int]:
        """Ids of the other processes that hold the file; takes microseconds if there is none."""
        prefix = _mark_name(key, "")
        return self._living([name for name in self._names() if name.startswith(prefix)]).get(
            key, []
        )

    def writers(self, key: Key) -> list[int]:
        """Ids of all processes that hold the file, this one first."""
        others = self.others(key)
        return [os.getpid(), *others] if self._held[key] > 0 else others

    def snapshot(self) -> dict[Key, list[int]]:
        """All files that other processes hold, with the ids of these processes."""
        return self._living(self._names())

    def close(self) -> None:
        """Withdraw all published files."""
        if self._owner:
            for key in self._held:
                _remove(self._path(_mark_name(key, self._owner)))
        self._held.clear()
        self._forget()

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._directory) if self._is_ours() else []
        except OSError:
            return []

    def _is_ours(self) -> bool:
        """Whether the directory is ours alone: in /tmp, another user may have created it first."""
        seen = os.lstat(self._directory)
        return (
            stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o022
        )

    def _living(self, names: list[str]) -> dict[Key, list[int]]:
        """The files in use, with process ids; removes the files of dead processes."""
        alive: dict[str, bool] = {self._owner: False}
        holders: dict[Key, list[int]] = {}
        for name in names:
            mark = _MARK.fullmatch(name)
            parts = mark or _OWNER.fullmatch(name)
            if not parts:
                continue
            owner = parts["owner"]
            if owner not in alive:
                alive[owner] = self._is_alive(owner)
            if not mark:
                continue
            device, inode, pid = mark["device"], mark["inode"], mark["pid"]
            if alive[owner]:
                holders.setdefault((int(device, 16), int(inode, 16)), []).append(int(pid))
            elif owner != self._owner:
                _remove(self._path(name))
        return {key: sorted(pids) for key, pids in holders.items()}

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
            _remove(path)
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

    def _register(self) -> list[Key]:
        """Create the file of this process; returns the keys to be marked again. Raises OSError."""
        self._forget()
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        if not self._is_ours():
            raise PermissionError(f"{self._directory} does not belong to this user alone")
        for _ in range(_TRIES):
            self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
            self._descriptor = os.open(self._path(f"{self._owner}.lock"), flags, 0o600)
            # Before it is locked, another process may take the new file for a dead process's.
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                _log.debug("cannot lock a new file: %s", error)
            else:
                if self._is_registered():
                    return list(self._held)
            self._forget()
        raise PermissionError(f"{self._directory} does not allow locks")

    def _forget(self) -> None:
        if self._descriptor >= 0:
            _remove(self._path(f"{self._owner}.lock"))
            os.close(self._descriptor)
        self._owner, self._descriptor = "", -1

    def _mark(self, key: Key) -> None:
        path = self._path(_mark_name(key, self._owner))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | OPEN_FLAGS, 0o600))


def _mark_name(key: Key, owner: str) -> str:
    return f"{key[0]:x}-{key[1]:x}-{owner}"


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        # Another process has removed it already.
        _log.debug("cannot remove %s: %s", path, error)
