"""Values that agents have compressed: unpacked only as far as they may be."""

import tracemalloc

import pytest
import zstandard

from sessiond.agents.zstd import unpack
from sessiond.runtime.errors import ReadFailed

MOST = 4 * 1024 * 1024


def packed(size: int, *, declared: bool) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=declared).compress(b"a" * size)


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("size", [0, 1, 100, MOST])
def test_what_fits_is_unpacked(size: int, declared: bool):
    assert unpack("/x", packed(size, declared=declared), size, MOST) == b"a" * size


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("size", [-1, 0, 8212, MOST, MOST + 1])
def test_what_has_another_size_takes_no_memory(size: int, declared: bool):
    immense = packed(200_000_000, declared=declared)
    tracemalloc.start()
    try:
        with pytest.raises(ReadFailed):
            unpack("/x", immense, size, MOST)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * MOST
