"""Kept lists: the summaries of all sessions of a scope, in one file of the user's cache.

A new process begins with such a list as if it had read it itself. It examines every file again, so
a summary counts only while its file has the identity, size and times that the summary has. A list
is not written for every change: what is newer has a row in the database (`summary_cache.py`).

The rows alone would do. With lists a new process shows its first list of 3,000 sessions in two
thirds of the time; `python dev/bench/run.py catalogue` measures it ("the same in a new process").
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

import attrs
import msgspec
from xxhash import xxh3_128_hexdigest

from sessiond.catalog.summaries import Summary
from sessiond.files.kept.checked_files import CheckedFiles

logger = logging.getLogger(__name__)

FEW = 64
"""Sessions that are read from the database as fast."""

_MAGIC = b"sessiond list 1\n"
_TOTAL_BYTES = 256 * 1024 * 1024
"""Limit of all lists together; about 150,000 sessions."""


class _KeptList(msgspec.Struct, array_like=True):
    scope: bytes
    sessions: list[Summary]


_decode = msgspec.msgpack.Decoder(_KeptList).decode


@attrs.frozen
class KeptLists:
    """The lists in a directory, which is made with the first one. Blocking; never raises."""

    directory: str

    @classmethod
    def beside(cls, database: str) -> KeptLists:
        """Those that belong to a database of the catalogue."""
        return cls(f"{os.path.dirname(database)}/lists")

    @property
    def _files(self) -> CheckedFiles:
        return CheckedFiles(self.directory, ".list", _MAGIC, _TOTAL_BYTES)

    def load(self, scope: str) -> list[Summary]:
        """The sessions that a scope with this key had."""
        key = scope.encode("utf-8", "surrogatepass")
        try:
            body = self._files.load(xxh3_128_hexdigest(key))
            kept = None if body is None else _decode(body)
        except Exception:
            logger.exception("The kept list of the sessions %s cannot be used", scope)
            return []
        return [] if kept is None or kept.scope != key else kept.sessions

    def save(self, scope: str, sessions: Iterable[Summary]) -> None:
        """Keep the list of a scope with this key; a list of few sessions is only removed."""
        key = scope.encode("utf-8", "surrogatepass")
        name = xxh3_128_hexdigest(key)
        try:
            rows = [row for row in map(_encoded, sessions) if row is not None]
            if len(rows) < FEW:
                self._files.remove(name)
            else:
                self._files.save(name, msgspec.msgpack.encode((key, rows)))
        except Exception:
            logger.exception("The list of the sessions %s cannot be kept", scope)

    def clear(self) -> None:
        """Remove all lists."""
        self._files.clear()


def _encoded(summary: Summary) -> msgspec.Raw | None:
    """A summary as bytes; None for a rare one, which only the database keeps."""
    try:
        return msgspec.Raw(msgspec.msgpack.encode(summary))
    except (UnicodeEncodeError, OverflowError):
        # Lone surrogates, in a text or in a path that is not UTF-8, and very large numbers.
        return None
