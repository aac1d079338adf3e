"""Check that there is memory for large values before libraries handle them.

msgspec and orjson do not check every large allocation: where one fails, the process ends with a
segmentation fault. That happens where the address space is limited, as by `ulimit -v`.
"""

from __future__ import annotations

import mmap

_SMALL = 256 * 1024


def require(size: int) -> None:
    """Raise MemoryError unless `size` bytes more can be allocated at this moment.

    Costs some microseconds for large sizes and nothing for small ones.
    """
    if size <= _SMALL:
        return
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, OverflowError):
        raise MemoryError from None
