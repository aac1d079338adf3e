"""Which other sessiond processes have a session file open for writing.

Advice, and no lock: nothing waits for it, and nothing fails without it. Every process has one file
in a directory of the user's, held under `flock` for as long as it lives, and beside it an empty
file for each session. The system gives a lock back however a process ends, so a file that can be
locked belonged to a dead one, and who finds it clears it away.
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

# Numbers of processes alone are not unique: they are used again, and containers count for
# themselves.
_NAME = r"(?P<owner>(?P<pid>[0-9]+)-[0-9a-f]{8})"
_OWNER = re.compile(_NAME + r"\.lock")
_MARK = re.compile(r"(?P<device>[0-9a-f]+)-(?P<inode>[0-9a-f]+)-" + _NAME)
_TRIES = 5

_log = logging.getLogger(__name__)


def runtime_directory() -> str:
    """Where the processes of one user find one another: gone with the next start of the system."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/") and os.path.isdir(runtime):
        return os.path.join(runtime, "sessiond")
    # Not TMPDIR, which may be another one for each process.
    return f"/tmp/sessiond-{os.getuid()}"  # noqa: S108 - made and checked to be ours alone


class Presence:
    """The session files this process and others have open.

    Where the directory cannot be used or is not the user's own, nothing is known of others, and
    they know nothing of us. No method raises or blocks.
    """

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory or runtime_directory()
        self._held: Counter[Key] = Counter()
        self._descriptor = -1
        self._owner = ""

    def hold(self, key: Key) -> None:
        """Let others know; counted, each needs its `release`."""
        self._held[key] += 1
        try:
            self._tell(key)
        except BaseException:
            self.release(key)
            raise

    def _tell(self, key: Key) -> None:
        try:
            # Whoever tidies up temporary directories may have taken our files, too.
            for missing in (key,) if self._is_registered() else self._register():
                self._mark(missing)
        except OSError as error:
            _log.debug("cannot tell others of an open session: %s", error)

    def release(self, key: Key) -> None:
        """Undo one `hold`."""
        self._held[key] -= 1
        if self._held[key] <= 0:
            del self._held[key]
            if self._owner:
                _remove(self._path(_mark_name(key, self._owner)))

    def others(self, key: Key) -> list[int]:
        """Numbers of the other processes that hold the file; some microseconds if there is none."""
        prefix = _mark_name(key, "")
        return self._living([name for name in self._names() if name.startswith(prefix)]).get(
            key, []
        )

    def writers(self, key: Key) -> list[int]:
        """Numbers of all processes that hold the file, this one first."""
        others = self.others(key)
        return [os.getpid(), *others] if self._held[key] > 0 else others

    def snapshot(self) -> dict[Key, list[int]]:
        """All files that other processes hold, in one look."""
        return self._living(self._names())

    def close(self) -> None:
        """Give everything back."""
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
        """In a directory for everybody, somebody else may have been first."""
        seen = os.lstat(self._directory)
        return (
            stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o022
        )

    def _living(self, names: list[str]) -> dict[Key, list[int]]:
        """What is in use by whom; what the dead have left behind is removed."""
        alive: dict[str, bool] = {self._owner: False}
        found: dict[Key, list[int]] = {}
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
                found.setdefault((int(device, 16), int(inode, 16)), []).append(int(pid))
            elif owner != self._owner:
                _remove(self._path(name))
        return {key: sorted(pids) for key, pids in found.items()}

    def _is_alive(self, owner: str) -> bool:
        path = self._path(f"{owner}.lock")
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | OPEN_FLAGS)
        except OSError:
            return False
        try:
            # Shared, so that two who look at the same time do not take each other for the owner.
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
        """Become known; all keys have to be marked then. Raises OSError."""
        self._forget()
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        if not self._is_ours():
            raise PermissionError(f"{self._directory} is not the user's alone")
        for _ in range(_TRIES):
            self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | OPEN_FLAGS
            self._descriptor = os.open(self._path(f"{self._owner}.lock"), flags, 0o600)
            # Somebody may come in between and take the new file for that of a dead process.
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
        # Somebody else was quicker.
        _log.debug("cannot remove %s: %s", path, error)
