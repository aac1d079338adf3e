"""Where the socket, the lock and the log of a shared daemon are."""

from __future__ import annotations

import binascii
import os
import stat
import sys
from collections.abc import Mapping, Sequence

from sessiond import __version__
from sessiond.shared.front.arguments import ENGINE, setting

LONGEST_PATH = 103
"""Longest path of a socket in bytes: the limit of macOS, which is below the 107 of Linux."""

_HANDSHAKE = "3"
"""Version of the messages between front and daemon (`wire.py`)."""

_ACCESS = ("CapEff:", "NoNewPrivs:", "Seccomp:")
"""Lines of /proc/self/status. What they do not tell, such as Landlock, `sight.py` examines."""


_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
"""The directory of `sessiond`."""


def _build() -> str:
    """Identify the installed files: by the list of their digests that was installed with them.

    Empty in a checkout, which has no such list.
    """
    site = os.path.dirname(_PACKAGE)
    try:
        with open(f"{site}/sessiond-{__version__}.dist-info/RECORD", "rb") as record:
            return f"{binascii.crc32(record.read()):08x}"
    except OSError:
        return ""


BUILD = _build()
"""Which build this process runs, even if another one with the same version replaces it later."""


class Refused(Exception):
    """The daemon cannot be shared; the text says why."""


class Place:
    """The files of one shared daemon, in a directory that only this user can enter."""

    def __init__(self, directory: str, agreement: str) -> None:
        self.directory = directory
        self.agreement = agreement
        """The settings that all clients of the daemon have in common. The daemon compares it once
        more."""
        digest = binascii.crc32(agreement.encode("utf-8", "surrogateescape"))
        self._name = os.path.join(directory, f"{__version__}-{digest:08x}")

    @property
    def socket(self) -> str:
        return self._name + ".sock"

    @property
    def lock(self) -> str:
        """Locked by the daemon for as long as it takes clients, and by the front that starts it."""
        return self._name + ".lock"

    @property
    def log(self) -> str:
        return self._name + ".log"


def find(arguments: Sequence[str], env: Mapping[str, str], *, create: bool = True) -> Place:
    """Return the place for these settings. Raises Refused.

    Its directory is created if it is missing; if not `create`, it is refused then.
    """
    return Place(private_directory(env, create=create), agreement(arguments, env))


def agreement(arguments: Sequence[str], env: Mapping[str, str]) -> str:
    """Describe what all clients of a daemon must have in common.

    That is the program itself, the settings of the engine, what says where the catalogue's database
    and the marks of open sessions are, the time zone, in which the daemon counts days, how names of
    files are decoded, and which files the system allows: a container or a sandbox must not see
    those outside, or miss its own.
    """
    parts = [
        *(
            _HANDSHAKE,
            __version__,
            BUILD,
            sys.executable,
            _PACKAGE,
        ),
        *(setting(name, arguments, env) for name in ENGINE),
        *(env.get(name, "") for name in ("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "TZ")),
        sys.getfilesystemencoding(),
        *_access(),
    ]
    return "\n".join(parts)


def _access() -> list[str]:
    """Describe which files this process can reach, apart from its user."""
    top = os.stat("/")
    groups = [os.getegid(), *sorted(os.getgroups())]
    facts = [f"{top.st_dev}:{top.st_ino}", ",".join(map(str, groups))]
    try:
        facts.append(os.readlink("/proc/self/ns/mnt"))
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            facts += [line.strip() for line in status if line.startswith(_ACCESS)]
    except OSError:
        # Not Linux, or a sandbox without /proc, which other processes have.
        facts.append("")
    return facts


def private_directory(env: Mapping[str, str], *, create: bool = True) -> str:
    """Return the directory for sockets, created if it is missing and `create`. Raises Refused.

    It is `sessiond` in XDG_RUNTIME_DIR, else a directory of this user among the temporary ones.
    A directory that another user owns or can change is refused: its socket may be a trap.
    """
    runtime = env.get("XDG_RUNTIME_DIR", "")
    directory = os.path.join(runtime, "sessiond")
    longest = LONGEST_PATH - len(f"/{__version__}-00000000.sock")
    if not _is_directory(runtime) or len(os.fsencode(directory)) > longest:
        # Not TMPDIR, which may differ between the programs that start sessiond.
        directory = f"/tmp/sessiond-{os.getuid()}"  # noqa: S108 - checked below
    try:
        if create:
            os.makedirs(directory, mode=0o700, exist_ok=True)
        state = os.lstat(directory)
    except OSError as error:
        raise Refused(f"{directory}: {error.strerror}") from error
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid():
        raise Refused(f"{directory} is not a directory of this user")
    if state.st_mode & 0o077:
        raise Refused(f"{directory} can be entered by other users; its mode must be 0700")
    return directory


def _is_directory(path: str) -> bool:
    return path.startswith("/") and os.path.isdir(path)
