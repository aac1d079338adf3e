"""Read the transcripts of a database: their state, as that of files, and their lines.

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

from sessiond.agents.openclaw import connection as connections
from sessiond.agents.openclaw import values
from sessiond.agents.openclaw.archived import Archive, archived
from sessiond.agents.openclaw.names import StoredTranscript
from sessiond.agents.openclaw.packed import unpack
from sessiond.agents.openclaw.sizes import Mark, known_sizes
from sessiond.agents.translation import TranslatedReading
from sessiond.errors import Unsupported
from sessiond.files import disk
from sessiond.files.identity import FileState

_NS_PER_MS = 1_000_000
_TIME = "The time of a line"

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
_MARK = """
SELECT last.seq, last.created_at, {generation}
FROM transcript_events AS last
WHERE last.session_id = ?1
ORDER BY last.seq DESC LIMIT 1
"""
_GENERATION = """
(SELECT generation || ' ' || updated_at FROM transcript_rewrite_watermarks WHERE session_id = ?1)
"""
_LATEST = """
SELECT seq, created_at FROM transcript_events WHERE session_id = ? ORDER BY seq DESC LIMIT ?
"""
_LINES = """
SELECT seq, CAST(event_json AS BLOB), {packed}
FROM transcript_events WHERE session_id = ? AND seq >= ? ORDER BY seq
"""
_PACKED = "event_zstd, event_utf8_bytes"
_PACKED_LENGTH = (
    "CASE WHEN event_json IS NULL THEN event_utf8_bytes ELSE octet_length(event_json) END"
)


@attrs.frozen
class ReadPlace:
    """How far a transcript was read: its content then, and its last line."""

    mark: Mark
    last_line: bytes = attrs.field(repr=False)


@attrs.frozen
class _Columns:
    """The parts of the statements that depend on the version of the schema."""

    generation: str
    length: str
    packed: str

    @classmethod
    def of(cls, connection: apsw.Connection) -> _Columns:
        has = connections.columns(connection, "transcript_events")
        is_packed = {"event_zstd", "event_utf8_bytes"} <= has
        marked = connections.columns(connection, "transcript_rewrite_watermarks")
        return cls(
            _GENERATION if {"generation", "updated_at"} <= marked else "NULL",
            _PACKED_LENGTH if is_packed else "octet_length(event_json)",
            _PACKED if is_packed else "NULL, NULL",
        )


def stat_transcript(transcript: StoredTranscript) -> os.stat_result | None:
    """The state of a transcript as that of a file; None if it is not in the database. Blocking.

    Raises as `connection.read` does, also SessionNotFound if there is no database.
    """

    def work(connection: apsw.Connection) -> os.stat_result | None:
        reader = TranscriptReader(transcript.database, connection)
        found = reader.state(transcript.session_id)
        return None if found is None else found[1]

    return connections.read(transcript.database, work)


def stat_transcripts(database: str) -> list[tuple[str, os.stat_result | None]]:
    """The paths of all transcripts of a database with their states. Blocking; raises likewise.

    None: `stat_transcript` raises the reason.
    """

    def work(connection: apsw.Connection) -> list[tuple[str, os.stat_result | None]]:
        reader = TranscriptReader(database, connection)
        ids = [str(session_id) for (session_id,) in connection.execute(_IDS)]
        found: list[tuple[str, os.stat_result | None]] = []
        for session_id in ids:
            path = StoredTranscript(database, session_id).path
            try:
                state = reader.state(session_id)
            except apsw.CorruptError:
                found.append((path, None))
            else:
                if state is not None:
                    found.append((path, state[1]))
        for session_id, archive in archived(connection).items():
            seen = None if archive is None else reader.archived_state(archive)[1]
            found.append((StoredTranscript(database, session_id).path, seen))
        return found

    return connections.read(database, work)


def read_transcript(
    transcript: StoredTranscript, known: ReadPlace | None = None
) -> TranslatedReading | None:
    """The lines of a transcript, or if it only grew, those after what is known. Blocking.

    None if it is not in the database. Raises as `connection.read` does, and Unsupported if there
    are compressed lines and no package that unpacks them.
    """

    def work(connection: apsw.Connection) -> TranslatedReading | None:
        return TranscriptReader(transcript.database, connection).read(transcript, known)

    return connections.read(transcript.database, work)


class TranscriptReader:
    """Reads one database in one transaction."""

    def __init__(self, database: str, connection: apsw.Connection) -> None:
        seen = disk.stat(database)
        self._database = database
        self._file = seen.st_dev, seen.st_ino
        self._owner = seen.st_uid, seen.st_gid
        self._connection = connection
        self._columns = _Columns.of(connection)

    def state(self, session_id: str) -> tuple[Mark, os.stat_result] | None:
        """The mark and the state of a transcript; None if it has no rows."""
        statement = _MARK.format(generation=self._columns.generation)
        found = self._connection.execute(statement, (session_id,)).fetchone()
        if found is None:
            archive = self.archive(session_id)
            return None if archive is None else self.archived_state(archive)
        last_seq, created_at, generation = found
        mark = Mark(
            values.integer(last_seq, "The number of a line"),
            None if generation is None else str(generation),
        )
        created_at_ms = values.epoch_ms(created_at, _TIME)
        return mark, self._stat(session_id, mark, self._size(session_id, mark), created_at_ms)

    def archive(self, session_id: str) -> Archive | None:
        """The archive of a transcript that has no rows. Raises Unsupported for an unknown form."""
        found = archived(self._connection, session_id)
        if session_id in found and found[session_id] is None:
            raise Unsupported(
                f"OpenClaw has moved {session_id} to an archive of an unknown form",
                self._database,
                "open the conversation in OpenClaw, which restores it",
            )
        return found.get(session_id)

    def archived_state(self, archive: Archive) -> tuple[Mark, os.stat_result]:
        mark = Mark(archive.last_seq, archive.sha256, is_archived=True)
        return mark, self._stat(archive.session_id, mark, archive.size, archive.archived_at_ms)

    def _size(self, session_id: str, mark: Mark) -> int:
        key = (*self._file, session_id)
        return known_sizes.get(self._connection, self._columns.length, key, mark)

    def seq_of(self, session_id: str, mark: Mark, state: FileState, most: int) -> int | None:
        """The number of the last line in an earlier state with the generation of `mark`.

        None if it is not the state of any of the latest lines, `most` of them.
        """
        for seq, created_at in self._connection.execute(_LATEST, (session_id, most)):
            earlier = attrs.evolve(mark, last_seq=seq)
            created_at_ms = values.epoch_ms(created_at, _TIME)
            seen = self._stat(session_id, earlier, state.size, created_at_ms)
            if FileState.of(seen) == state:
                return earlier.last_seq
        return None

    def _stat(self, session_id: str, mark: Mark, size: int, created_at_ms: int) -> os.stat_result:
        """A state that differs for every content: times have milliseconds, the rest is a digest."""
        inode = _digest(f"{self._file} {session_id}") >> 1
        digest = _digest(f"{mark.generation} {mark.last_seq}")
        changed_ns = created_at_ms * _NS_PER_MS
        modified_ns = changed_ns + digest % _NS_PER_MS
        changed_ns += (digest >> 32) % _NS_PER_MS
        mode = stat.S_IFREG | stat.S_IRUSR
        times = [created_at_ms // 1000] * 3
        return os.stat_result(
            [mode, inode, self._file[0], 1, *self._owner, size, *times],
            {"st_atime_ns": modified_ns, "st_mtime_ns": modified_ns, "st_ctime_ns": changed_ns},
        )

    def read(
        self, transcript: StoredTranscript, known: ReadPlace | None
    ) -> TranslatedReading | None:
        found = self.state(transcript.session_id)
        if found is None:
            return None
        mark, seen = found
        if known is not None and known.mark.is_before(mark):
            if mark.is_archived:
                return _reading(seen, mark, [], known)
            rows = self.lines(transcript, known.mark.last_seq)
            if rows and rows[0] == (known.mark.last_seq, known.last_line):
                return _reading(seen, mark, rows[1:], known)
        return _reading(seen, mark, self.lines(transcript, -1), None)

    def lines(self, transcript: StoredTranscript, begin: int) -> list[tuple[int, bytes]]:
        """The lines from the number `begin` on."""
        statement = _LINES.format(packed=self._columns.packed)
        rows = [
            (seq, unpack(transcript.path, packed, size) if text is None else text)
            for seq, text, packed, size in self._connection.execute(
                statement, (transcript.session_id, begin)
            )
        ]
        archive = None if rows or begin >= 0 else self.archive(transcript.session_id)
        if archive is not None:
            rows = archive.read(transcript, self._connection)
        # A line feed between the parts of a JSON value means the same as a space.
        return [(seq, line.replace(b"\n", b" ")) for seq, line in rows]


def _reading(
    seen: os.stat_result, mark: Mark, rows: list[tuple[int, bytes]], known: ReadPlace | None
) -> TranslatedReading:
    lines = [line for _, line in rows]
    last_line = lines[-1] if lines else known.last_line if known is not None else b""
    return TranslatedReading(
        FileState.of(seen), ReadPlace(mark, last_line), lines, is_growth=known is not None
    )


def _digest(text: str) -> int:
    made = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(made)
