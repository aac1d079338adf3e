"""The usage of files, from the store and from the files that changed since."""

from __future__ import annotations

import logging
from typing import Self

import msgspec

from sessiond.catalog.index.database import Store
from sessiond.catalog.index.file_rows import FileRows
from sessiond.catalog.search.folding import decode, encode
from sessiond.catalog.usage.count import FileUsage, Part, read_usage
from sessiond.files.identity import FileState

logger = logging.getLogger(__name__)


class _UsageRecord(msgspec.Struct, array_like=True, gc=False):
    size: int
    mtime_ns: int
    ctime_ns: int
    offset: int
    unended: bool
    tail: bytes
    models: list[tuple[bytes, bytes]]
    parts: list[Part]
    keys: bytes
    entries: bytes


_DECODER = msgspec.msgpack.Decoder(_UsageRecord)


class UsageCache:
    """The usage of many files during one request; without a store every file is read."""

    def __init__(self, store: Store | None) -> None:
        self._rows = FileRows(store, "usage")

    def __enter__(self) -> Self:
        self._rows.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._rows.__exit__(*raised)

    def usage(self, path: str, state: FileState) -> FileUsage:
        """The usage of the file that was in `state` a moment ago. Raises as `read_usage` does."""
        content = self._rows.find(state)
        known = None if content is None else _decoded(content, state)
        if known is not None and known.state == state:
            return known
        found = read_usage(path, known)
        if self._rows.wants(found.state):
            try:
                self._rows.keep(path, found.state, _encoded(found))
            except OverflowError:
                # A sum of absurd numbers that a file holds.
                logger.info("The usage of %s cannot be stored", path)
        return found


def _encoded(usage: FileUsage) -> bytes:
    state = usage.state
    return msgspec.msgpack.encode(
        _UsageRecord(
            size=state.size,
            mtime_ns=state.mtime_ns,
            ctime_ns=state.ctime_ns,
            offset=usage.offset,
            unended=usage.unended,
            tail=usage.tail,
            models=[(encode(provider), encode(model)) for provider, model in usage.models],
            parts=usage.parts,
            keys=usage.keys,
            entries=usage.entries,
        )
    )


def _decoded(content: bytes, state: FileState) -> FileUsage | None:
    try:
        row = _DECODER.decode(content)
    except msgspec.DecodeError:
        return None
    return FileUsage(
        state=FileState(state.device, state.inode, row.size, row.mtime_ns, row.ctime_ns),
        offset=row.offset,
        unended=row.unended,
        tail=row.tail,
        models=[(decode(provider), decode(model)) for provider, model in row.models],
        parts=row.parts,
        keys=row.keys,
        entries=row.entries,
    )
