"""Check other processes of this machine."""

from __future__ import annotations

import os
from pathlib import Path

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


def resident_bytes() -> int:
    """Return the resident memory; 0 if the system does not provide it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
