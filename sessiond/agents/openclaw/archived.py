"""Read transcripts that OpenClaw has moved to its archive (`session.maintenance.coldStorage`).

For each the database keeps the digest of a file in `sessions/cold`, compressed with zstd, or that
file itself. It has an object on each line: a header, the rows of the transcript, and others.
"""

from __future__ import annotations

import errno
import hashlib
import re
from typing import Any

import apsw
import attrs
import msgspec

from sessiond.agents.openclaw import connection as connections
from sessiond.agents.openclaw import values
from sessiond.agents.openclaw.names import StoredTranscript
from sessiond.agents.openclaw.packed import unpack_archive
from sessiond.errors import ReadFailed, SessionNotFound
from sessiond.files import journal
from sessiond.files.identity import OpenedFile

_TABLE = "session_transcript_cold_archives"
# Only what has no rows any more.
_ARCHIVES = """
SELECT {members} FROM session_transcript_cold_archives AS archive
WHERE NOT EXISTS (SELECT 1 FROM transcript_events WHERE session_id = archive.session_id)
"""
_ONE = "AND session_id = ?"
_MEMBERS = """
session_id, archive_name, archive_sha256, event_count, raw_bytes, archive_bytes, last_seq,
archived_at
"""
_BLOB = "SELECT archive_blob FROM session_transcript_cold_archives WHERE session_id = ?"
_NAME = re.compile(r"[0-9a-f]{64}\.jsonl\.zst")


@attrs.frozen
class Archive:
    """What the database says of an archived transcript."""

    session_id: str
    name: str
    sha256: str
    count: int
    """Number of lines."""
    raw_bytes: int
    """Length of the lines with line feeds between them."""
    archive_bytes: int
    last_seq: int
    archived_at_ms: int

    @property
    def size(self) -> int:
        """Length of the lines in a file, where each ends with a line feed."""
        return self.raw_bytes + 1

    def read(
        self, transcript: StoredTranscript, connection: apsw.Connection
    ) -> list[tuple[int, bytes]]:
        """The lines with their numbers.

        Raises ReadFailed if the file is missing or is not the one that the database means, and
        Unsupported without the package for zstd.
        """
        packed = connection.execute(_BLOB, (self.session_id,)).get
        if not isinstance(packed, bytes):
            packed = self._content(transcript)
        if hashlib.sha256(packed).hexdigest() != self.sha256:
            raise self._refused(transcript, "is damaged")
        rows = _rows(unpack_archive(transcript.path, packed))
        if not self._has(rows):
            raise self._refused(transcript, "is damaged")
        return [(row.seq, row.event_json.encode()) for row in rows]

    def _content(self, transcript: StoredTranscript) -> bytes:
        if not _NAME.fullmatch(self.name):
            raise self._refused(transcript, "has no valid name")
        try:
            with OpenedFile(f"{transcript.archives}/{self.name}") as (descriptor, _):
                return journal.read_from(descriptor, 0, self.archive_bytes)
        except SessionNotFound:
            raise self._refused(transcript, "is missing; restore it from a backup") from None

    def _refused(self, transcript: StoredTranscript, why: str) -> ReadFailed:
        reason = f"Its archive {self.name} in {transcript.archives} {why}"
        return ReadFailed(transcript.path, OSError(errno.EIO, reason))

    def _has(self, rows: list[_ArchivedLine]) -> bool:
        """Whether these are all rows."""
        return bool(rows) and (len(rows), rows[-1].seq) == (self.count, self.last_seq)


class _ArchivedLine(msgspec.Struct):
    seq: int
    event_json: str


class _ArchiveRecord(msgspec.Struct):
    kind: str
    row: msgspec.Raw = msgspec.Raw()


_RECORDS = msgspec.json.Decoder(_ArchiveRecord)
_ROWS = msgspec.json.Decoder(_ArchivedLine)


def archived(connection: apsw.Connection, *session_id: str) -> dict[str, Archive | None]:
    """The archived transcripts by session id: all, or the one with this id.

    None for a transcript of which this database lacks values, or has some of other types.
    """
    if not connections.columns(connection, _TABLE):
        return {}
    statement = _ARCHIVES + (_ONE if session_id else "")
    try:
        rows: list[Any] = connection.execute(
            statement.format(members=_MEMBERS), session_id
        ).fetchall()
    except apsw.SQLError:
        ids = connection.execute(statement.format(members="session_id"), session_id)
        return {str(found): None for (found,) in ids}
    return {str(row[0]): _archive(*row) for row in rows}


def _archive(*row: object) -> Archive | None:
    """The archive that a row describes; None if it has values of other types."""
    what = "A value of an archive"
    session_id, name, sha256, count, raw_bytes, archive_bytes, last_seq, archived_at = row
    try:
        return Archive(
            values.text(session_id, what),
            values.text(name, what),
            values.text(sha256, what),
            values.count(count, what),
            values.count(raw_bytes, what),
            values.count(archive_bytes, what),
            values.count(last_seq, what),
            values.epoch_ms(archived_at, what),
        )
    except apsw.CorruptError:
        return None


def _rows(data: bytes) -> list[_ArchivedLine]:
    """The rows of the transcript in an archive; none if it is damaged."""
    try:
        records = map(_RECORDS.decode, data.rstrip(b"\n").split(b"\n"))
        return [_ROWS.decode(record.row) for record in records if record.kind == "event"]
    except msgspec.DecodeError:
        return []
