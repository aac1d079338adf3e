"""Sessions as files: those of a directory, and the transcripts in OpenClaw's databases.

For code that reads sessions in worker threads and only needs their bytes. All functions block.
"""

from __future__ import annotations

import io
import os
import tempfile  # noqa: TID251 - for a file without a name
from collections.abc import Iterator
from contextlib import contextmanager

from sessiond.errors import SessionNotFound
from sessiond.files import disk
from sessiond.files.identity import FileState, OpenedFile, Reached, stat_regular
from sessiond.files.openclaw.names import StoredTranscript, is_database, transcript_at

SUFFIX = ".jsonl"


@contextmanager
def opened_session(path: str, known: Reached | None = None) -> Iterator[tuple[int, FileState]]:
    """Open a session for reading; yields a descriptor and its state.

    The descriptor of a transcript leads to a copy in memory. If the transcript has only grown since
    `known`, the copy has only the known tail and what follows. Raises SessionNotFound, ReadFailed
    and what reading a database raises; an OSError in the block is a failed read.
    """
    transcript = transcript_at(path)
    if transcript is None:
        with OpenedFile(path) as opened:
            yield opened
        return
    with _copy(transcript, known) as (file, state):
        yield file.fileno(), state


@contextmanager
def _copy(
    transcript: StoredTranscript, known: Reached | None
) -> Iterator[tuple[io.IOBase, FileState]]:
    # Imported here, because most readers never see a database.
    from sessiond.files.openclaw.growth import read_growth  # noqa: PLC0415
    from sessiond.files.openclaw.transcripts import read_transcript  # noqa: PLC0415

    reading = None if known is None else read_growth(transcript, known)
    reading = reading or read_transcript(transcript)
    if reading is None:
        raise SessionNotFound(transcript.path)
    with _memory_file() as file:
        if known is not None and reading.is_growth:
            file.seek(known.offset - len(known.tail))
            file.write(known.tail)
        for line in reading.lines:
            file.write(line)
            file.write(b"\n")
        file.seek(0)
        yield file, reading.state


def _memory_file() -> io.BufferedRandom:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("transcript"), "w+b")
    return tempfile.TemporaryFile()


def stat_session(path: str) -> os.stat_result | None:
    """`stat` of a session; None if there is none. Raises as `stat_regular` does."""
    transcript = transcript_at(path)
    if transcript is None:
        return stat_regular(path)
    from sessiond.files.openclaw.transcripts import stat_transcript  # noqa: PLC0415

    try:
        return stat_transcript(transcript)
    except SessionNotFound:
        return None


def stat_sessions(directory: str) -> Iterator[tuple[str, os.stat_result | None]]:
    """The paths of the sessions of a directory with their `lstat`.

    Raises OSError, and what reading a database raises; see `disk.stat_entries`.
    """
    if not _is_database_file(directory):
        return disk.stat_entries(directory, SUFFIX)
    from sessiond.files.openclaw.transcripts import stat_transcripts  # noqa: PLC0415

    return iter(stat_transcripts(directory))


def session_paths(directory: str) -> list[str]:
    """The paths of the sessions of a directory in the order of names; raises likewise."""
    if _is_database_file(directory):
        return sorted(path for path, _ in stat_sessions(directory))
    names = sorted(disk.listdir(directory))
    return [f"{directory}/{name}" for name in names if name.endswith(SUFFIX)]


def _is_database_file(directory: str) -> bool:
    """Whether the sessions are in a database; a directory can have the name of one."""
    return is_database(directory) and not disk.isdir(directory)
