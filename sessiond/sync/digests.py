"""Find the entries that one of two replicas lacks, without sending what both have.

Digests make a tree by their hexadecimal digits. Both sides compare the sums of the sixteen parts of
a part, and go down only where they differ, so what is sent grows with the difference. The idea is
that of Merkle trees.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import msgspec

FANOUT = 16
_SUM_BYTES = 8
_DIGITS = "0123456789abcdef"
_AFTER = "g"
"""Sorts after all digits."""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """A part of a set of digests: all that begin with some digits."""

    members: list[str] | None
    """Its digests; None: they are more than sixteen."""
    sums: list[bytes]
    """The sums of the parts below it; empty if there are members."""


class DigestSet:
    """The digests of the entries of a replica, each as 32 hexadecimal digits."""

    def __init__(self, digests: Iterable[bytes]) -> None:
        self._sorted = sorted({each.hex() for each in digests})

    def __contains__(self, item: str) -> bool:
        at = bisect_left(self._sorted, item)
        return self._sorted[at : at + 1] == [item]

    def part(self, prefix: str) -> Part:
        """Return the part of the digests that begin with `prefix`."""
        members = self._below(prefix)
        if len(members) <= FANOUT:
            return Part(list(members), [])
        return Part(None, [_sum(self._below(prefix + digit)) for digit in _DIGITS])

    def total(self) -> bytes:
        """Return the sum of all."""
        return _sum(self._sorted)

    def _below(self, prefix: str) -> Sequence[str]:
        start = bisect_left(self._sorted, prefix)
        return self._sorted[start : bisect_left(self._sorted, prefix + _AFTER, start)]


def _sum(members: Sequence[str]) -> bytes:
    """Return a sum of digests in which their order does not count."""
    total = 0
    for each in members:
        total ^= int(each, 16)
    # The first digits of all members of a part are the same.
    return len(members).to_bytes(4, "big") + total.to_bytes(16, "big")[-_SUM_BYTES:]


def compare(prefix: str, here: Part, there: Part) -> tuple[list[str], list[str], list[str]]:
    """Compare two parts: return the digests that only one side has, and the parts to ask for next.

    Parts that are asked for next are empty if both sides have named their members.
    """
    if here.members is not None and there.members is not None:
        ours, theirs = set(here.members), set(there.members)
        return sorted(ours - theirs), sorted(theirs - ours), []
    pairs = zip(_DIGITS, _sums(prefix, here), _sums(prefix, there), strict=True)
    return [], [], [prefix + digit for digit, one, other in pairs if one != other]


def _sums(prefix: str, part: Part) -> list[bytes]:
    if part.members is None:
        # Another program may have sent fewer.
        return (part.sums + [b""] * FANOUT)[:FANOUT]
    return [
        _sum([each for each in part.members if each.startswith(prefix + digit)])
        for digit in _DIGITS
    ]
