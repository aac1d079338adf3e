"""Whether a front and a daemon may look into each other: then both can reach the same files.

Linux lets a process look into another one of the same user and group only where no sandbox forbids
it: with Landlock, for example, only into processes of its own sandbox and of those within it (see
ptrace(2), "Ptrace access mode checking"). If each may look into the other, they are in the same
one. The mount namespace is compared as well, because it is not a matter of permission.
"""

from __future__ import annotations

import os
import sys

IS_KNOWN = sys.platform == "linux"
"""Whether the system tells; otherwise nothing is compared."""

_GUARDED = "auxv"
"""A file of each process that only those can open that may look into it."""


class Unseen(Exception):
    """One of the two processes may not look into the other; the text says so."""


def look(pid: int) -> int:
    """Open a process; the descriptor proves to it that this was possible. Raises Unseen."""
    try:
        if os.readlink(f"/proc/{pid}/ns/mnt") != os.readlink("/proc/self/ns/mnt"):
            raise Unseen("it sees other files")
        return os.open(f"/proc/{pid}/{_GUARDED}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        raise Unseen("it is in another sandbox") from None


def may_look(pid: int) -> bool:
    """Whether this process may look into another one; true where the system does not tell."""
    try:
        if IS_KNOWN:
            os.close(look(pid))
    except Unseen:
        return False
    return True


def check_proof(proof: int) -> None:
    """Check that `proof` was made by `look` for this process. Raises Unseen."""
    own = os.stat(f"/proc/{os.getpid()}/{_GUARDED}")
    try:
        # A descriptor that was opened as a path only cannot be read.
        is_open = bool(os.pread(proof, 1, 0))
        given = os.fstat(proof)
    except OSError:
        is_open, given = False, None
    if not is_open or given is None or (given.st_dev, given.st_ino) != (own.st_dev, own.st_ino):
        raise Unseen("it is in another sandbox")
