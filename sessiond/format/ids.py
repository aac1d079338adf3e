"""Make ids and timestamps as pi does."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import random
import re
import time
from collections.abc import Container, Iterable

_random = random.Random()  # noqa: S311 - ids are no secrets
"""Seeded by the system. Asking the system for each id takes longer than the rest of making one."""


def new_entry_id(taken: Container[str]) -> str:
    """Return 8 hexadecimal digits that are not `taken`; a UUID after 100 attempts (as pi)."""
    for _ in range(100):
        entry_id = f"{_random.getrandbits(32):08x}"
        if entry_id not in taken:
            return entry_id
    return new_session_id()


def derived_id(session_id: str, line: int, taken: Container[str]) -> str:
    """Return an id for the entry on a line, which is the same whenever it is asked for."""
    seed = base = f"{session_id}:{line}"
    attempt = 0
    while True:
        entry_id = hashlib.sha256(seed.encode(errors="surrogatepass")).hexdigest()[:8]
        if entry_id not in taken:
            return entry_id
        attempt += 1
        seed = f"{base}:{attempt}"


def new_session_id() -> str:
    """Return a UUID of version 7, which sorts by time (as pi since 0.67.1)."""
    return uuid7(time.time_ns() // 1_000_000, os.urandom(10))


def uuid7(ms: int, random: bytes) -> str:
    """Return the version 7 UUID for a time in epoch milliseconds and 10 random bytes."""
    digits = (
        ms.to_bytes(6, "big")
        + bytes((0x70 | random[0] & 0x0F, random[1], 0x80 | random[2] & 0x3F))
        + random[3:10]
    ).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def iso_now() -> str:
    """Return the current time as `new Date().toISOString()` does."""
    seconds, ms = divmod(time.time_ns() // 1_000_000, 1000)
    return f"{_to_the_second(seconds)}.{ms:03}Z"


@functools.lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


_SHORTEST_ID = 8
_TIMED_ID = 13


def short_ids(ids: Iterable[str], *, are_some: bool = False) -> dict[str, str]:
    """Return the shortest unique prefix of each id, with at least 8 characters.

    `are_some`: there are other sessions. Then it has at least the 13 characters of an id that say
    when it was made, to the millisecond (UUID version 7).
    """
    least = _TIMED_ID if are_some else _SHORTEST_ID
    ordered = sorted(set(ids))
    # Only neighbours in the order of ids can begin with the same characters for longest.
    shared = [_shared(*pair, least) for pair in itertools.pairwise(ordered)]
    return {
        session_id: session_id[: max(least, before + 1, after + 1)]
        for session_id, before, after in zip(ordered, [0, *shared], [*shared, 0], strict=False)
    }


_RANDOM_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def short_entry_id(entry_id: str) -> str:
    """Return the beginning of an id that is random from the start (UUID version 4), else all of it.

    Eight of its digits are as good as an id of pi.
    """
    return entry_id[:8] if _RANDOM_UUID.fullmatch(entry_id) else entry_id


def _shared(one: str, other: str, least: int) -> int:
    """Return the length of the common prefix; 0 if it is shorter than `least`."""
    if one[:least] != other[:least]:
        return 0
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
