"""Linux's `openat2`: opening a path without following any symbolic link on the way."""

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
"""Whether this system has no such call, or does not let us call it."""

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
    """A descriptor of an absolute path; None if it has a link in it or cannot be opened at all.

    None as well where the system has no such call.
    """
    global _refused  # noqa: PLW0603 - learned once for the process
    if _refused or "\0" in path:
        return None
    how = _HOW.pack(flags, 0, _NO_SYMBOLIC_LINKS | _NO_MAGIC_LINKS)
    found: int = _syscall(_NUMBER, _AT_FDCWD, os.fsencode(path), how, len(how))
    if found >= 0:
        return found
    # Sandboxes that do not know the call answer EPERM.
    _refused = ctypes.get_errno() in {errno.ENOSYS, errno.EPERM}
    return None
