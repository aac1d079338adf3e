"""The summaries of the store."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from typing import Self

import msgspec

from sessiond.catalog.index.database import Store
from sessiond.catalog.index.file_rows import FileRows
from sessiond.catalog.search.folding import decode, encode
from sessiond.catalog.summaries import Summary
from sessiond.files.identity import FileState, Key
from sessiond.format.header import Header, parse_header

logger = logging.getLogger(__name__)


_HeaderMembers = tuple[str, int, str, str | None, str | None, str | None, str | None, str | None]
"""The members of `Header` without `raw`, in their order."""


class _Row(msgspec.Struct, array_like=True, gc=False):
    size: int
    mtime_ns: int
    ctime_ns: int
    header: bytes
    members: _HeaderMembers | None
    """Those of the header, so that it need not be parsed again; None for a rare one."""
    name: bytes | None
    message_count: int
    first_message: bytes
    latest: float
    offset: int
    unended: bool
    tail: bytes
    created: float = math.nan
    """Unknown in rows of earlier versions."""


_DECODER = msgspec.msgpack.Decoder(_Row)


class SummaryCache:
    """The store's summaries during one listing; behaves as empty without a store."""

    def __init__(self, store: Store | None) -> None:
        self._rows = FileRows(store, "summaries")

    def __enter__(self) -> Self:
        self._rows.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._rows.__exit__(*raised)

    def look_ahead(self, keys: Iterable[Key]) -> None:
        """Read the stored summaries of many files together, for `find`."""
        self._rows.look_ahead(keys)

    def find(self, path: str, state: FileState) -> Summary | None:
        """The stored summary of the file with this path and identity; None if there is none.

        Its `state` shows whether the file has changed since; then `resume` updates it.
        """
        content = self._rows.find(state)
        return None if content is None else _summary(path, state, content)

    def keep(self, summary: Summary) -> None:
        """Store a summary that was just read."""
        if not self._rows.wants(summary.state):
            return
        try:
            content = _encoded(summary)
        except Exception:
            logger.exception("Cannot store %s in the catalogue cache", summary.path)
        else:
            self._rows.keep(summary.path, summary.state, content)


def _encoded(summary: Summary) -> bytes:
    state = summary.state
    return msgspec.msgpack.encode(
        _Row(
            size=state.size,
            mtime_ns=state.mtime_ns,
            ctime_ns=state.ctime_ns,
            header=bytes(summary.header.raw),
            members=_members(summary.header),
            name=None if summary.name is None else encode(summary.name),
            message_count=summary.message_count,
            first_message=encode(summary.first_message),
            latest=summary.latest,
            offset=summary.offset,
            unended=summary.unended,
            tail=summary.tail,
            created=summary.created,
        )
    )


def _members(header: Header) -> _HeaderMembers | None:
    # Lone surrogates cannot be stored as text, and the type of a number must not change.
    if b"\\u" in header.raw or type(header.version) is not int or not header.is_known:
        return None
    members: _HeaderMembers = msgspec.structs.astuple(header)[:-1]
    return members


def _header(row: _Row) -> Header | None:
    return parse_header(row.header) if row.members is None else Header(*row.members, row.header)


def _summary(path: str, state: FileState, content: bytes) -> Summary | None:
    try:
        row = _DECODER.decode(content)
        header = _header(row)
    except (msgspec.DecodeError, ValueError):
        return None
    if header is None:
        return None
    summary = Summary(
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
        created=row.created,
        modified=row.latest if row.latest > 0 else row.created,
    )
    if math.isnan(row.created):
        summary.date()
    return summary
