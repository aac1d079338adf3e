"""What two sides must send to find how two sets of digests differ."""

import hashlib

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from sessiond.sync.digests import DigestSet, compare


def digest(number: int) -> bytes:
    return hashlib.blake2b(b"%d" % number, digest_size=16).digest()


def difference(here: DigestSet, there: DigestSet) -> tuple[set[str], set[str], int, int]:
    """Return what each has alone, the bytes that were sent, and the number of rounds."""
    pending, ours, theirs = [""], set[str](), set[str]()
    sent = rounds = 0
    while pending:
        rounds += 1
        parts = [there.part(each) for each in pending]
        sent += len(msgspec.msgpack.encode([pending, parts]))
        following = []
        for prefix, part in zip(pending, parts, strict=True):
            one, other, more = compare(prefix, here.part(prefix), part)
            ours, theirs = ours | set(one), theirs | set(other)
            following += more
        pending = following
    return ours, theirs, sent, rounds


@given(st.sets(st.integers(0, 400)), st.sets(st.integers(0, 400)))
def test_the_difference_is_that_of_the_sets(one: set[int], other: set[int]):
    here, there = DigestSet(map(digest, one)), DigestSet(map(digest, other))
    ours, theirs, _, _ = difference(here, there)
    assert ours == {digest(each).hex() for each in one - other}
    assert theirs == {digest(each).hex() for each in other - one}
    assert (here.total() == there.total()) == (one == other)
    assert all((digest(each).hex() in here) == (each in one) for each in range(400))


def test_one_entry_among_many_costs_little():
    """At most 10 kB may be sent for a session of 150 MB, which has about 100,000 entries."""
    many = set(range(100_000))
    here, there = DigestSet(map(digest, many)), DigestSet(map(digest, many - {77}))
    ours, theirs, sent, rounds = difference(here, there)
    assert (ours, theirs) == ({digest(77).hex()}, set())
    assert sent < 2500
    assert rounds < 7
