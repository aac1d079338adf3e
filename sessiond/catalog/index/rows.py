"""Results of reading files, kept in the database by device and inode and not by path.

A row is a struct that has the state of the file when it was read. Whether it is still true of the
file is for the caller to decide. A fault of the database affects no answer: what is not kept is
read again.
"""

from __future__ import annotations

import itertools
import logging
import operator
import time
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

import msgspec

from sessiond.catalog.index.database import SearchCache, Unavailable
from sessiond.catalog.search.folding import encode
from sessiond.files.identity import FileState, Key

logger = logging.getLogger(__name__)

SETTLED_NS = 20_000_000
"""Nanoseconds. A file that changed less than this before it was read may change again within the
same clock tick and keep its times, so what was read of it is not stored."""

_TOGETHER = 256
"""Rows that are read with one statement, in a fifth of the time that one statement each takes."""

Table = Literal["summaries", "usage"]

_Row = TypeVar("_Row")


def signed(number: int) -> int:
    """An unsigned 64-bit number as SQLite stores it."""
    return number - 2**64 if number >= 2**63 else number


def is_settled(state: FileState) -> bool:
    """Whether any later change of a file just read will show in its times."""
    return time.time_ns() - max(state.ctime_ns, state.mtime_ns) > SETTLED_NS


def load(
    cache: SearchCache | None, table: Table, kind: type[_Row], keys: Iterable[Key]
) -> dict[Key, _Row]:
    """The rows of files with these devices and inodes. Blocking."""
    results: dict[Key, _Row] = {}
    decode = msgspec.msgpack.Decoder(kind).decode
    ordered = sorted(set(keys))
    if cache is None or not ordered:
        return results
    try:
        with cache.connection() as connection:
            for device, group in itertools.groupby(ordered, operator.itemgetter(0)):
                inodes = {signed(inode): inode for _, inode in group}
                for some in _batches(list(inodes)):
                    rows: Any = connection.execute(
                        f"SELECT inode, content FROM {table}"  # noqa: S608
                        f" WHERE device = ? AND inode IN ({','.join('?' * len(some))})",
                        (signed(device), *some),
                    )
                    for inode, content in rows:
                        results[device, inodes[inode]] = decode(content)
    except Unavailable:
        pass
    except Exception:
        logger.exception("Continuing without the catalogue cache")
    return results


def _batches(numbers: list[int]) -> Iterable[list[int]]:
    return (numbers[at : at + _TOGETHER] for at in range(0, len(numbers), _TOGETHER))


def save(
    cache: SearchCache | None, table: Table, readings: Iterable[tuple[str, FileState, object]]
) -> None:
    """Keep what was just read of files, each with its path and state. Blocking."""
    rows = []
    for path, state, value in readings:
        try:
            rows.append((*map(signed, state.key), encode(path), msgspec.msgpack.encode(value)))
        except (UnicodeEncodeError, OverflowError):
            # A lone surrogate in a text, or a number above 2^64: such a file is read again.
            continue
        except Exception:
            logger.exception("Cannot store what was read of %s", path)
    if cache is None or not rows:
        return
    try:
        with cache.connection(writing=True) as connection:
            connection.executemany(
                f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?)",  # noqa: S608
                rows,
            )
    except Unavailable:
        pass
    except Exception:
        logger.exception("Continuing without the catalogue cache")
