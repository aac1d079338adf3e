"""The descriptors of a client's streams, as the daemon uses them."""

from __future__ import annotations

import os
import stat


def private(descriptor: int, flags: int) -> int:
    """Return a descriptor of the same pipe or terminal that shares no flags with other processes.

    O_NONBLOCK belongs to what the front inherited from its parent, and the parent may use it as
    well. Where the system cannot open it again, and for sockets and files, `descriptor` itself is
    returned. `flags` are os.O_RDONLY or os.O_WRONLY. Takes possession of `descriptor`.
    """
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISFIFO(mode) and not (stat.S_ISCHR(mode) and os.isatty(descriptor)):
        return descriptor
    try:
        again = os.open(f"/proc/self/fd/{descriptor}", flags | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return descriptor
    os.close(descriptor)
    return again
