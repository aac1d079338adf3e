"""Run a program for which the system allows only few inotify watches.

    python few_watches.py <watches> <program> [argument...]

The limit belongs to a user namespace of its own, in which every user keeps its number, so that no
other process is affected. Exits with 1 where the system allows no such namespace.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_LIMIT = Path("/proc/sys/user/max_inotify_watches")


def limit(watches: int) -> None:
    """Move this process into a new user namespace with that limit. Raises OSError."""
    users = "0 0 65536" if os.geteuid() == 0 else f"{os.geteuid()} {os.geteuid()} 1"
    ready, moved = os.pipe()
    process = os.getpid()
    # Only a process outside may say which users there are inside.
    helper = os.fork()
    if helper == 0:
        code = 1
        try:
            os.close(moved)
            os.read(ready, 1)
            Path(f"/proc/{process}/uid_map").write_text(users)
            if os.geteuid() == 0:
                Path(f"/proc/{process}/gid_map").write_text(users)
            code = 0
        finally:
            os._exit(code)
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    os.close(ready)
    os.close(moved)
    if os.waitpid(helper, 0)[1]:
        raise OSError("the users of the namespace cannot be set")
    _LIMIT.write_text(str(watches))


if __name__ == "__main__":
    limit(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - the command of our caller
