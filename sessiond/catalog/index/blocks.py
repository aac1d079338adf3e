"""Keep the words of segments in blocks; segments that no block has yet are waiting."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import apsw

from sessiond.catalog.index.database import Store
from sessiond.catalog.index.words import MOST, BlockBuilder, WordBlock
from sessiond.catalog.message_text import Alive

_SHIFT = 16
"""Ids of parts are `block number << SHIFT | part`."""

_LEAST = 256
"""Segments that wait until a block is made of them; a search looks into each of them."""

_SMALL = MOST // 2
_MOST_SMALL = 8
"""Blocks with less than half of the segments they may have, until they are joined."""


def numbers(connection: apsw.Connection) -> list[int]:
    """Return the numbers of all blocks."""
    rows: Any = connection.execute("SELECT number FROM blocks ORDER BY number").fetchall()
    return [number for (number,) in rows]


def block(connection: apsw.Connection, number: int) -> WordBlock | None:
    """Return a block, to be used within a transaction; None if it is gone."""
    if connection.execute("SELECT 1 FROM blocks WHERE number = ?", (number,)).fetchone() is None:
        return None
    return WordBlock(functools.partial(_part, connection, number))


def _part(connection: apsw.Connection, block: int, part: int) -> bytes:
    row: Any = connection.execute(
        "SELECT content FROM parts WHERE id = ?", (block << _SHIFT | part,)
    ).fetchone()
    return b"" if row is None else row[0]


def waiting(connection: apsw.Connection) -> list[int]:
    """The segments that no block has."""
    rows = connection.execute("SELECT segment FROM placed WHERE block = 0")
    return [number for (number,) in rows]


def merge(store: Store, alive: Alive, least: int = _LEAST) -> bool:
    """Make a block if at least so many segments wait; whether there may be more to do.

    Raises Unavailable, and whatever `alive` raises.
    """
    with store.connection() as connection:
        numbers = waiting(connection)[:MOST]
        if len(numbers) < least:
            return False
        builder = BlockBuilder()
        for number in numbers:
            alive()
            row: Any = connection.execute(
                "SELECT body FROM segments WHERE id = ?", (number,)
            ).fetchone()
            if row is not None:
                builder.add(number, row[0])
    return save(store, builder)


def save(store: Store, builder: BlockBuilder) -> bool:
    """Write a block; whether its segments were still waiting. Raises Unavailable."""
    with store.connection(writing=True) as connection:
        number: int = connection.execute(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'blocks'), 0) + 1"
        ).get
        before = connection.total_changes()
        # A segment that was filled up since is longer.
        connection.executemany(
            "UPDATE placed SET block = ? WHERE segment = ? AND block = 0 AND size = ?",
            ((number, segment, size) for segment, size in builder.segments),
        )
        if connection.total_changes() == before:
            return False
        connection.execute("INSERT INTO blocks VALUES (?, ?)", (number, len(builder.segments)))
        connection.executemany(
            "INSERT INTO parts VALUES (?, ?)",
            ((number << _SHIFT | part, content) for part, content in builder.parts()),
        )
        tidy(connection)
    return True


def tidy(connection: apsw.Connection) -> None:
    """Dissolve blocks with few segments, within a transaction of the caller."""
    rows: Any = connection.execute(
        "SELECT number, blocks.size, count(segment) FROM blocks"
        " LEFT JOIN (SELECT segment, block FROM placed WHERE block > 0) ON block = number"
        " GROUP BY number"
    ).fetchall()
    sparse = [number for number, size, live in rows if 2 * live < size]
    small = [number for number, size, live in rows if 2 * live >= size and size < _SMALL]
    if len(small) < _MOST_SMALL:
        small = []
    for number in itertools.chain(sparse, small):
        dissolve(connection, number)


def dissolve(connection: apsw.Connection, number: int) -> None:
    """Remove a block, whose segments wait for another one, within a transaction of the caller."""
    connection.execute("UPDATE placed SET block = 0 WHERE block = ?", (number,))
    connection.execute("DELETE FROM blocks WHERE number = ?", (number,))
    connection.execute(
        "DELETE FROM parts WHERE id BETWEEN ? AND ?",
        (number << _SHIFT, (number + 1 << _SHIFT) - 1),
    )
