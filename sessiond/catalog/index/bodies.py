"""The texts in the database, compressed in groups, which take two thirds of the space.

What was said and what was done have groups of their own, because most searches need only the first.
"""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import apsw
import msgspec

GROUP = 4
"""A group has the texts of a kind whose ids begin alike, `id >> GROUP`: at most 16."""

_decode = msgspec.msgpack.Decoder(dict[int, str]).decode


def in_groups(texts: Mapping[int, str]) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the ids of groups with their texts, which come in the order of their ids."""
    for group, some in itertools.groupby(texts, lambda number: number >> GROUP):
        yield group, {number: texts[number] for number in some}


def read_groups(
    connection: apsw.Connection, kinds: Collection[str], first: int, last: int
) -> Iterator[tuple[int, bytes]]:
    """Yield the ids and packed texts of the groups of kinds, from one group to another."""
    every = " UNION ALL ".join(
        f"SELECT id, body FROM {kind}_bodies WHERE id BETWEEN ?1 AND ?2"  # noqa: S608
        for kind in kinds
    )
    rows: Iterator[Any] = connection.execute(f"{every} ORDER BY id", (first, last))
    yield from rows


def write_groups(
    connection: apsw.Connection, kind: str, first: int, last: int, texts: Mapping[int, str]
) -> None:
    """Put texts by their ids in place of the groups from one to another."""
    connection.execute(
        f"DELETE FROM {kind}_bodies WHERE id BETWEEN ? AND ?",  # noqa: S608
        (first, last),
    )
    connection.executemany(
        f"INSERT INTO {kind}_bodies VALUES (?, ?)",  # noqa: S608
        ((group, _packed(some)) for group, some in in_groups(texts)),
    )


def _packed(texts: Mapping[int, str]) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(texts), 1)


def texts_of(body: bytes, parts: Iterable[bytes] = ()) -> Mapping[int, str]:
    """Return the texts of a packed group by their ids; none if it lacks one of the parts."""
    texts = _unpacked(body)
    # Most groups lack one, and finding that in all texts at once takes a tenth of the time.
    return _decode(texts) if all(part in texts for part in parts) else {}


@functools.lru_cache(maxsize=4)
def _unpacked(body: bytes) -> bytes:
    # A search for several words asks for the same group several times.
    return zlib.decompress(body)
