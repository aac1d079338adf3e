"""Read what a transcript has grown by since a state that the caller knows, in any process.

A state is a digest of the generation and the number of the last line, so the line that was the
last one in an earlier state can be found again among the latest lines.
"""

from __future__ import annotations

import apsw

from sessiond.agents.openclaw import connection as connections
from sessiond.agents.openclaw.names import StoredTranscript
from sessiond.agents.openclaw.transcripts import ReadPlace, TranscriptReader
from sessiond.agents.translation import TranslatedReading
from sessiond.files.identity import FileState, Reached

_MOST_LINES = 1000
"""How many of the latest lines are compared; after more, the transcript is read from its start."""


def read_growth(transcript: StoredTranscript, known: Reached) -> TranslatedReading | None:
    """The lines after those that were read; None if it is not certain that these are all.

    There is at least one. Blocking; raises as `connection.read` does.
    """
    if known.unended or known.offset != known.state.size or not known.tail:
        return None

    def work(connection: apsw.Connection) -> TranslatedReading | None:
        return _growth(TranscriptReader(transcript.database, connection), transcript, known)

    return connections.read(transcript.database, work)


def _growth(
    reader: TranscriptReader, transcript: StoredTranscript, known: Reached
) -> TranslatedReading | None:
    found = reader.state(transcript.session_id)
    if found is None or found[0].is_archived:
        return None
    mark, state = found[0], FileState.of(found[1])
    seq = reader.seq_of(transcript.session_id, mark, known.state, _MOST_LINES)
    if seq is None or seq == mark.last_seq:
        return None
    (_, last), *rows = reader.lines(transcript, seq)
    lines = [line for _, line in rows]
    reading = TranslatedReading(state, ReadPlace(mark, lines[-1]), lines, is_growth=True)
    if state.size - len(reading.data) != known.offset or not _ends_alike(last + b"\n", known.tail):
        return None
    return reading


def _ends_alike(line: bytes, tail: bytes) -> bool:
    return line.endswith(tail) or tail.endswith(line)
