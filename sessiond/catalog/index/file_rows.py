"""What the store keeps of a file, found by its device and inode and not by its path."""

from __future__ import annotations

import contextlib
import itertools
import logging
import operator
import time
from collections.abc import Iterable, Sequence
from typing import Any, Self

import apsw

from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.search.folding import encode
from sessiond.files.identity import FileState, Key

logger = logging.getLogger(__name__)

SETTLED_NS = 20_000_000
"""Nanoseconds. A file that changed less than this before it was read may change again within the
same clock tick and keep its times, so what was read of it is not stored."""

_FLUSH_AT = 256

_TOGETHER = 256
"""Rows that are read with one statement."""


def signed(number: int) -> int:
    """An unsigned 64-bit number as SQLite stores it."""
    return number - 2**64 if number >= 2**63 else number


def is_settled(state: FileState) -> bool:
    """Whether any later change of a file just read will show in its times."""
    return time.time_ns() - max(state.ctime_ns, state.mtime_ns) > SETTLED_NS


class FileRows:
    """One table of the store during one reading of many files; as empty without a store.

    A row is opaque bytes. Whether it is still true of the file is for the caller to decide.
    """

    def __init__(self, store: Store | None, table: str) -> None:
        self._store = store
        self._find = f"SELECT inode, content FROM {table} WHERE device = ? AND inode IN "  # noqa: S608
        self._keep = f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?)"  # noqa: S608
        self._stack = contextlib.ExitStack()
        self._connection: apsw.Connection | None = None
        self._new: list[tuple[int, int, bytes, bytes]] = []
        self._ahead: dict[tuple[int, int], bytes | None] = {}
        """What `look_ahead` found; None: no row."""

    def __enter__(self) -> Self:
        if self._store is not None:
            with contextlib.suppress(Unavailable):
                self._connection = self._stack.enter_context(self._store.connection())
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._leave()

    def look_ahead(self, keys: Iterable[Key]) -> None:
        """Read the rows of many files together, for `find`, which may then be called once for each.

        That takes a fifth of the time, because rows of neighbouring inodes are on the same page.
        """
        self._ahead.clear()
        wanted = sorted({(signed(device), signed(inode)) for device, inode in keys})
        for device, group in itertools.groupby(wanted, operator.itemgetter(0)):
            inodes = [inode for _, inode in group]
            for at in range(0, len(inodes), _TOGETHER):
                self._look_up(device, inodes[at : at + _TOGETHER])

    def find(self, state: FileState) -> bytes | None:
        """The row of the file with this device and inode; None if there is none."""
        key = signed(state.device), signed(state.inode)
        if key not in self._ahead:
            self._look_up(key[0], [key[1]])
        return self._ahead.pop(key, None)

    def _look_up(self, device: int, inodes: Sequence[int]) -> None:
        if self._connection is None:
            return
        places = ",".join("?" * len(inodes))
        try:
            rows: Any = self._connection.execute(f"{self._find}({places})", (device, *inodes))
            found = dict(rows.fetchall())
        except Exception as error:  # noqa: BLE001 - a fault of the store must not affect a file
            self._leave(error)
            return
        self._ahead.update(((device, inode), found.get(inode)) for inode in inodes)

    def wants(self, state: FileState) -> bool:
        """Whether something that was just read of a file in this state can be stored."""
        return self._connection is not None and is_settled(state)

    def keep(self, path: str, state: FileState, content: bytes) -> None:
        """Store what was just read of a file, if `wants` says so."""
        device, inode = map(signed, state.key)
        self._new.append((device, inode, encode(path), content))
        if len(self._new) >= _FLUSH_AT:
            self._flush()

    def _flush(self) -> None:
        new, self._new = self._new, []
        if not new or self._connection is None:
            return
        try:
            _write(self._connection, self._keep, new)
        except Exception as error:  # noqa: BLE001 - a fault of the store must not affect a listing
            self._leave(error)

    def _leave(self, error: Exception | None = None) -> None:
        self._connection = None
        kind = None if error is None else type(error)
        if error is not None and not isinstance(error, apsw.Error):
            logger.error("Continuing without the catalogue cache", exc_info=error)
        with contextlib.suppress(Unavailable):
            # The store handles the error and closes the connection if needed.
            self._stack.__exit__(kind, error, None)


def _write(connection: apsw.Connection, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(statement, rows)
    connection.execute("COMMIT")
