"""Other processes of this machine."""

from __future__ import annotations

import os

_STATE, _THREADS = 0, 17
"""Places in `/proc/<pid>/stat`, counted behind the name of the program."""


def is_alive(pid: int) -> bool:
    """Whether a process with that number runs; one that may not be signalled does.

    One that has ended and whose parent has not asked for its exit code does not.
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
            # The name stands in parentheses and may hold anything.
            fields = file.read().rpartition(b")")[2].split()
        # The first thread of a process may have ended while others run.
        return fields[_STATE] in (b"Z", b"X", b"x") and int(fields[_THREADS]) <= 1
    except (OSError, ValueError, IndexError):
        # There is no such file on this system, or the process may not be looked at.
        return False
