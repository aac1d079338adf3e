"""The lengths of transcripts in bytes, remembered because adding them up takes long."""

from __future__ import annotations

import threading
from collections import OrderedDict

import apsw
import attrs

from sessiond.agents.openclaw import values

_Key = tuple[int, int, str]
"""The device and the inode of a database, and the id of a session."""

_LENGTH = "The length of a line"
_MOST_KNOWN = 20_000
_SIZE = """
SELECT count(*) + coalesce(sum({length}), 0),
  (SELECT {length} FROM transcript_events WHERE session_id = ?1 AND seq = ?2)
FROM transcript_events WHERE session_id = ?1 AND seq > ?2
"""


@attrs.frozen
class Mark:
    """What tells one content of a transcript from another."""

    last_seq: int
    generation: str | None
    """Changes when the transcript is rewritten; None in databases that have none."""
    is_archived: bool = False

    def is_before(self, later: Mark) -> bool:
        """Whether rows were only added from this content to the later one."""
        return self.generation == later.generation and self.last_seq <= later.last_seq


class _KnownSizes:
    """A pure cache, bounded, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[_Key, tuple[Mark, int, int]] = OrderedDict()
        """For each transcript its content, its length and that of its last line."""

    def get(self, connection: apsw.Connection, length: str, key: _Key, mark: Mark) -> int:
        """The length of all lines with their line feeds; `length` is that of a row, in SQL."""
        with self._lock:
            known = self._known.get(key)
        if known is not None and known[0] == mark:
            return known[1]
        statement = _SIZE.format(length=length)

        def measured(after: int) -> tuple[int, int]:
            """The length of the lines after one, and that of this one."""
            added, last = next(connection.execute(statement, (key[2], after)))
            return values.count(added, _LENGTH), values.count(last or 0, _LENGTH)

        size = None
        if known is not None and known[0].is_before(mark):
            added, last = measured(known[0].last_seq)
            # The last line may have been replaced.
            size = known[1] + added if last == known[2] else None
        if size is None:
            size, _ = measured(-1)
        with self._lock:
            self._known[key] = mark, size, measured(mark.last_seq)[1]
            self._known.move_to_end(key)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        return size


known_sizes = _KnownSizes()
