"""Linux's `openat2`: open a path without following any symbolic link on the way."""

from __future__ import annotations

import errno
import os
import struct
import sys

_NUMBER = 437
"""The same on all architectures of Linux that Python runs on."""
_AT_FDCWD = -100
_NO_MAGIC_LINKS = 0x02
_NO_SYMBOLIC_LINKS = 0x04
_HOW = struct.Struct("QQQ")
"""As in <linux/openat2.h>: flags, mode, resolve."""

_refused = False
"""Whether the system does not have or does not permit the call."""

try:
    import ctypes

    _syscall = ctypes.CDLL(None, use_errno=True).syscall
except (ImportError, OSError, AttributeError):
    _refused = True
else:
    _refused = sys.platform != "linux"
    _syscall.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    )
    _syscall.restype = ctypes.c_long


def open_without_links(path: str, flags: int) -> int | None:
    """Open an absolute path; None if it contains a link or cannot be opened.

    Also None on systems without the call.
    """
    global _refused  # noqa: PLW0603 - learned once for the process
    if _refused or "\0" in path:
        return None
    how = _HOW.pack(flags, 0, _NO_SYMBOLIC_LINKS | _NO_MAGIC_LINKS)
    descriptor: int = _syscall(_NUMBER, _AT_FDCWD, os.fsencode(path), how, len(how))
    if descriptor >= 0:
        return descriptor
    # Sandboxes that do not know the call fail with EPERM.
    _refused = ctypes.get_errno() in {errno.ENOSYS, errno.EPERM}
    return None
