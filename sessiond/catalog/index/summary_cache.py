"""Summaries in the store, found by the device and inode of a file and not by its path."""

from __future__ import annotations

import contextlib
import logging
import time
import zlib
from collections.abc import Iterable
from typing import Self

import apsw
import msgspec

from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.search.folding import decode, encode
from sessiond.catalog.summaries import Summary
from sessiond.files.identity import FileState
from sessiond.format.header import parse_header

logger = logging.getLogger(__name__)

SETTLED_NS = 20_000_000
"""Nanoseconds. A file that changed less than this before it was read may change again within the
same clock tick and keep its times, so its summary is not stored."""

_FLUSH_AT = 256
_FIND = "SELECT checksum, summary FROM summaries WHERE device = ? AND inode = ?"
_KEEP = "INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)"


class _Row(msgspec.Struct, array_like=True, gc=False):
    size: int
    mtime_ns: int
    ctime_ns: int
    header: bytes
    name: bytes | None
    message_count: int
    first_message: bytes
    latest: float
    offset: int
    unended: bool
    tail: bytes


_DECODER = msgspec.msgpack.Decoder(_Row)


def signed(number: int) -> int:
    """An unsigned 64-bit number as SQLite stores it."""
    return number - 2**64 if number >= 2**63 else number


def is_settled(state: FileState) -> bool:
    """Whether any later change of a file just read will show in its times."""
    return time.time_ns() - max(state.ctime_ns, state.mtime_ns) > SETTLED_NS


class SummaryCache:
    """The store's summaries during one listing; behaves as empty without a store."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._stack = contextlib.ExitStack()
        self._connection: apsw.Connection | None = None
        self._new: list[tuple[int, int, bytes, int, bytes]] = []

    def __enter__(self) -> Self:
        if self._store is not None:
            with contextlib.suppress(Unavailable):
                self._connection = self._stack.enter_context(self._store.connection())
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
        self._leave()

    def find(self, path: str, state: FileState) -> Summary | None:
        """The stored summary of the file with this path and identity; None if there is none.

        Its `state` shows whether the file has changed since; then `resume` updates it.
        """
        if self._connection is None:
            return None
        key = signed(state.device), signed(state.inode)
        try:
            row = self._connection.execute(_FIND, key).fetchone()
            return None if row is None else _summary(path, state, *row)
        except Exception as error:  # noqa: BLE001 - a fault of the store must not affect a file
            self._leave(error)
            return None

    def keep(self, summary: Summary) -> None:
        """Store a summary that was just read."""
        if self._connection is None or not is_settled(summary.state):
            return
        try:
            raw = _encoded(summary)
            device, inode = map(signed, summary.state.key)
            self._new.append((device, inode, encode(summary.path), zlib.crc32(raw), raw))
        except Exception:
            logger.exception("Cannot store %s in the catalogue cache", summary.path)
        if len(self._new) >= _FLUSH_AT:
            self._flush()

    def _flush(self) -> None:
        new, self._new = self._new, []
        if not new or self._connection is None:
            return
        try:
            write(self._connection, new)
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


def write(connection: apsw.Connection, rows: Iterable[tuple[object, ...]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(_KEEP, rows)
    connection.execute("COMMIT")


def _encoded(summary: Summary) -> bytes:
    state = summary.state
    return msgspec.msgpack.encode(
        _Row(
            size=state.size,
            mtime_ns=state.mtime_ns,
            ctime_ns=state.ctime_ns,
            header=bytes(summary.header.raw),
            name=None if summary.name is None else encode(summary.name),
            message_count=summary.message_count,
            first_message=encode(summary.first_message),
            latest=summary.latest,
            offset=summary.offset,
            unended=summary.unended,
            tail=summary.tail,
        )
    )


def _summary(path: str, state: FileState, checksum: int, raw: bytes) -> Summary | None:
    if zlib.crc32(raw) != checksum:
        return None
    try:
        row = _DECODER.decode(raw)
        header = parse_header(row.header)
    except (msgspec.DecodeError, ValueError):
        return None
    if header is None:
        return None
    return Summary(
        path=path,
        header=header,
        state=FileState(state.device, state.inode, row.size, row.mtime_ns, row.ctime_ns),
        name=None if row.name is None else decode(row.name),
        message_count=row.message_count,
        first_message=decode(row.first_message),
        latest=row.latest,
        offset=row.offset,
        unended=row.unended,
        tail=row.tail,
    )
