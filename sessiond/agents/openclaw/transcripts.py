"""Read a database: the states of transcripts, as those of files, their lines, and the entries.

OpenClaw only appends rows to a transcript, in the order of `seq`, except that it may rewrite the
whole; then it changes the transcript's `generation` in the same transaction. So the generation and
the last `seq` tell whether a transcript has changed, and the rows after a known one what was added.
"""

from __future__ import annotations

import os
import stat
from hashlib import blake2b

import apsw
import attrs

from sessiond.agents.database import Maker, columns, read
from sessiond.agents.openclaw.names import StoredTranscript
from sessiond.agents.translation import TranslatedReading
from sessiond.agents.zstd import unpack
from sessiond.files import disk
from sessiond.files.identity import FileState
from sessiond.runtime.errors import Unsupported

_MAKER = Maker("OpenClaw", "OpenClaw 2026.8 to 2026.9")
_NS_PER_MS = 1_000_000
_MOST_MS = 2**63 // _NS_PER_MS
"""Times of files have 64 bits in every cache."""
_MOST_PACKED_BYTES = 4 * 1024 * 1024
"""OpenClaw compresses no longer lines."""
_MOST_LENGTHS = 20_000
_COLD = "session_transcript_cold_archives"

# Reads only the ends of each session in the primary key, not all of its rows.
_IDS = """
WITH RECURSIVE ids(id) AS (
  SELECT min(session_id) FROM transcript_events
  UNION ALL
  SELECT (SELECT min(session_id) FROM transcript_events WHERE session_id > ids.id)
  FROM ids WHERE ids.id IS NOT NULL
)
SELECT id FROM ids WHERE id IS NOT NULL
"""
_COLD_IDS = """
SELECT session_id FROM session_transcript_cold_archives AS archive
WHERE (?1 IS NULL OR session_id = ?1)
AND NOT EXISTS (SELECT 1 FROM transcript_events WHERE session_id = archive.session_id)
"""
# As bytes, because damage can make a text that is not UTF-8; without a value there are none.
_ENTRIES = """
SELECT coalesce(CAST(session_key AS BLOB), x''), coalesce(CAST(entry_json AS BLOB), x'')
FROM session_nodes ORDER BY rowid
"""
_LAST = """
SELECT last.seq, last.created_at, {generation}
FROM transcript_events AS last
WHERE last.session_id = ?1
ORDER BY last.seq DESC LIMIT 1
"""
_GENERATION = """
(SELECT generation || ' ' || updated_at FROM transcript_rewrite_watermarks WHERE session_id = ?1)
"""
_SIZE = "SELECT count(*) + coalesce(sum({length}), 0) FROM transcript_events WHERE session_id = ?"
_LINES = """
SELECT seq, CAST(event_json AS BLOB), {packed}
FROM transcript_events WHERE session_id = ? AND seq >= ? ORDER BY seq
"""
_PACKED = "event_zstd, event_utf8_bytes"
_PACKED_LENGTH = (
    "CASE WHEN event_json IS NULL THEN event_utf8_bytes ELSE octet_length(event_json) END"
)


@attrs.frozen
class Mark:
    """A value that tells one content of a transcript from another."""

    last_seq: int
    generation: str | None
    """Changes when the transcript is rewritten; None in databases that have none."""

    def is_before(self, later: Mark) -> bool:
        """Whether rows were only added from this content to the later one."""
        return self.generation == later.generation and self.last_seq <= later.last_seq


@attrs.frozen
class ReadPlace:
    """How far a transcript was read: its content then, and its last line."""

    mark: Mark
    last_line: bytes = attrs.field(repr=False)


_lengths: dict[tuple[int, int, str], tuple[Mark, int]] = {}
"""Lengths of transcripts in bytes, a pure cache: to add them up takes long."""


def stat_transcript(transcript: StoredTranscript) -> os.stat_result | None:
    """The state of a transcript as that of a file; None if it is not in the database. Blocking.

    Raises as `database.read` does, also SessionNotFound if there is no database, and Unsupported
    for a transcript in OpenClaw's archive.
    """

    def work(connection: apsw.Connection) -> os.stat_result | None:
        reader = TranscriptReader(transcript.database, connection)
        state = reader.state(transcript.session_id)
        return None if state is None else state[1]

    return read(transcript.database, work, _MAKER)


def stat_transcripts(database: str) -> list[tuple[str, os.stat_result | None]]:
    """The paths of all transcripts of a database with their states. Blocking; raises likewise.

    None: `stat_transcript` raises the reason.
    """

    def work(connection: apsw.Connection) -> list[tuple[str, os.stat_result | None]]:
        reader = TranscriptReader(database, connection)
        states: list[tuple[str, os.stat_result | None]] = []
        for (session_id,) in connection.execute(_IDS).fetchall():
            path = StoredTranscript(database, str(session_id)).path
            try:
                state = reader.state(str(session_id))
            except apsw.CorruptError:
                states.append((path, None))
            else:
                if state is not None:
                    states.append((path, state[1]))
        cold = [StoredTranscript(database, session_id).path for session_id in reader.cold()]
        return states + [(path, None) for path in cold]

    return read(database, work, _MAKER)


def read_transcript(
    transcript: StoredTranscript, before: ReadPlace | None = None
) -> TranslatedReading | None:
    """The lines of a transcript, or if it only grew, those after what is known. Blocking.

    None if it is not in the database. Raises as `stat_transcript` does, and Unsupported if there
    are compressed lines and no package that unpacks them.
    """

    def work(connection: apsw.Connection) -> TranslatedReading | None:
        return TranscriptReader(transcript.database, connection).read(transcript, before)

    return read(transcript.database, work, _MAKER)


def read_entries(database: str) -> dict[str, bytes]:
    """The entry of each conversation as JSON, by its key. Blocking; raises as `database.read`."""

    def work(connection: apsw.Connection) -> dict[str, bytes]:
        is_new = connection.execute("PRAGMA user_version").get == 0
        if is_new and not columns(connection, "session_nodes"):
            # OpenClaw is just creating it.
            return {}
        rows = connection.execute(_ENTRIES)
        return {key.decode(errors="replace"): entry for key, entry in rows}

    return read(database, work, _MAKER)


class TranscriptReader:
    """Reads one database in one transaction."""

    def __init__(self, database: str, connection: apsw.Connection) -> None:
        status = disk.stat(database)
        self._database = database
        self._file = status.st_dev, status.st_ino
        self._owner = status.st_uid, status.st_gid
        self._connection = connection
        has = columns(connection, "transcript_events")
        is_packed = {"event_zstd", "event_utf8_bytes"} <= has
        marked = columns(connection, "transcript_rewrite_watermarks")
        has_generation = {"generation", "updated_at"} <= marked
        self._last = _LAST.format(generation=_GENERATION if has_generation else "NULL")
        self._size = _SIZE.format(
            length=_PACKED_LENGTH if is_packed else "octet_length(event_json)"
        )
        self._lines = _LINES.format(packed=_PACKED if is_packed else "NULL, NULL")

    def cold(self, session_id: str | None = None) -> list[str]:
        """The transcripts that OpenClaw has moved to its archive, or the one with this id."""
        if not columns(self._connection, _COLD):
            return []
        return [str(key) for (key,) in self._connection.execute(_COLD_IDS, (session_id,))]

    def state(self, session_id: str) -> tuple[Mark, os.stat_result] | None:
        """The mark and the state of a transcript; None if there is none. Raises Unsupported."""
        row = self._connection.execute(self._last, (session_id,)).fetchone()
        if row is None:
            if self.cold(session_id):
                raise Unsupported(
                    f"OpenClaw has moved {session_id} to its archive (`coldStorage`)",
                    self._database,
                    "open the conversation in OpenClaw, which restores it",
                )
            return None
        last_seq, created_at, generation = row
        mark = Mark(
            _integer(last_seq, "The number of a line", -1),
            None if generation is None else str(generation),
        )
        at_ms = _integer(created_at, "The time of a line", -_MOST_MS, _MOST_MS)
        return mark, self._stat(session_id, mark, at_ms)

    def _length(self, session_id: str, mark: Mark) -> int:
        key = (*self._file, session_id)
        kept, length = _lengths.get(key, (None, 0))
        if kept != mark:
            found = self._connection.execute(self._size, (session_id,)).get
            length = _integer(found, "The length of a line", 0)
            if len(_lengths) >= _MOST_LENGTHS:
                _lengths.clear()
            _lengths[key] = mark, length
        return length

    def _stat(self, session_id: str, mark: Mark, at_ms: int) -> os.stat_result:
        """A state that differs for every content: times have milliseconds, the rest is a digest."""
        inode = _digest(f"{self._file} {session_id}") >> 1
        digest = _digest(f"{mark.generation} {mark.last_seq}")
        changed_ns = at_ms * _NS_PER_MS
        modified_ns = changed_ns + digest % _NS_PER_MS
        changed_ns += (digest >> 32) % _NS_PER_MS
        mode, size = stat.S_IFREG | stat.S_IRUSR, self._length(session_id, mark)
        return os.stat_result(
            [mode, inode, self._file[0], 1, *self._owner, size, *[at_ms // 1000] * 3],
            {"st_atime_ns": modified_ns, "st_mtime_ns": modified_ns, "st_ctime_ns": changed_ns},
        )

    def read(
        self, transcript: StoredTranscript, before: ReadPlace | None
    ) -> TranslatedReading | None:
        state_now = self.state(transcript.session_id)
        if state_now is None:
            return None
        mark, status = state_now
        rows, grown = list[tuple[int, bytes]](), False
        if before is not None and before.mark.is_before(mark):
            rows = self._rows(transcript, before.mark.last_seq)
            grown = rows[:1] == [(before.mark.last_seq, before.last_line)]
        if not grown:
            rows = self._rows(transcript, -1)
        lines = [line for _, line in rows]
        return TranslatedReading(
            FileState.of(status),
            ReadPlace(mark, lines[-1] if lines else b""),
            lines[1:] if grown else lines,
            is_growth=grown,
        )

    def _rows(self, transcript: StoredTranscript, begin: int) -> list[tuple[int, bytes]]:
        """The numbers and the lines from the number `begin` on."""
        found = self._connection.execute(self._lines, (transcript.session_id, begin))
        rows = [
            (
                seq,
                unpack(transcript.path, packed, size, _MOST_PACKED_BYTES) if text is None else text,
            )
            for seq, text, packed, size in found
        ]
        # A line feed between the parts of a JSON value means the same as a space.
        return [(seq, line.replace(b"\n", b" ")) for seq, line in rows]


def _integer(value: object, what: str, least: int, most: int = 2**63) -> int:
    """The value, if it is an integer in this range, which damage can change."""
    if isinstance(value, int) and least <= value < most:
        return value
    raise apsw.CorruptError(f"{what} is not a number as OpenClaw writes it")


def _digest(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest)
