"""Check other processes of this machine, and prepare this one."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

_SWITCH_SECONDS = 0.0005
_STATE, _THREADS = 0, 17
"""Fields of `/proc/<pid>/stat`, counted after the name of the program."""


def is_alive(pid: int) -> bool:
    """Whether a process runs, also one that we may not signal.

    A zombie, which has ended but was not waited for by its parent, does not run.
    """
    try:
        os.kill(pid, 0)
    except PermissionError:
        pass
    except (ProcessLookupError, OverflowError):
        return False
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name is in parentheses and may contain any characters.
            fields = file.read().rpartition(b")")[2].split()
        # The first thread of a process may have ended while others run.
        return fields[_STATE] in (b"Z", b"X", b"x") and int(fields[_THREADS]) <= 1
    except (OSError, ValueError, IndexError):
        # The system has no such file, or access to the process is denied.
        return False


def ancestors(pid: int) -> Iterator[int]:
    """Yield a process and those that started it, as far as the system tells."""
    while pid > 1:
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    """Return the id of the parent; 0 if it is not known."""
    if pid == os.getpid():
        return os.getppid()
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def processes_writing(key: tuple[int, int]) -> set[int]:
    """Return the other processes that have a file open for writing, by device and inode.

    As far as the system says: those of other users are not examined.
    """
    processes: set[int] = set()
    for name in filter(str.isdigit, _names("/proc")):
        numbers = _names(f"/proc/{name}/fd") if int(name) != os.getpid() else []
        if any(_writes(name, number, key) for number in numbers):
            processes.add(int(name))
    return processes


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _writes(process: str, number: str, key: tuple[int, int]) -> bool:
    try:
        state = os.stat(f"/proc/{process}/fd/{number}")
        if (state.st_dev, state.st_ino) != key:
            return False
        with open(f"/proc/{process}/fdinfo/{number}", encoding="ascii") as file:
            text = file.read()
        flags = dict(line.split(":", 1) for line in text.splitlines()[:4])["flags"]
        return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, ValueError, KeyError):
        return False


def prepare_process() -> None:
    """Prepare a process that serves: its threads, and the garbage collector.

    `__main__` turned the collector off for the imports. What was imported is never freed, so that
    it need not be visited again.
    """
    # The event loop must get the interpreter soon while a worker thread computes.
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()
    gc.enable()


def resident_bytes() -> int:
    """Return the resident memory; 0 if the system does not provide it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
