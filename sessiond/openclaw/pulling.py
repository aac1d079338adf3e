"""Copy a transcript of OpenClaw's database into a session file that pi continues."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.errors import InvalidParams, SessionNotFound
from sessiond.files import journal, workers
from sessiond.files.contents import Contents
from sessiond.files.openclaw.names import StoredTranscript, is_database, transcript_at
from sessiond.files.openclaw.transcripts import stat_transcripts
from sessiond.format.for_pi import is_for_pi, lines_for_pi
from sessiond.format.header import Header
from sessiond.isolation import Faults
from sessiond.jsontext.spans import replace_member
from sessiond.openclaw.document import TranscriptDocument


@attrs.frozen
class TranscriptCopy:
    """The lines of a session file that is to be written."""

    header: Header
    lines: list[bytes]

    async def write(self, path: str) -> None:
        """Write the file, with its directory. Raises AlreadyExists and WriteFailed."""
        await workers.writing(workers.LONG, journal.create, path, self.lines)


async def pull(transcript: StoredTranscript) -> TranscriptCopy:
    """Read a transcript as a file with the same id. Raises as `TranscriptDocument.open` does."""
    document = TranscriptDocument(transcript)
    await document.open()
    contents = document.contents
    lines = await workers.computing(document.nbytes, list, _lines(contents))
    return TranscriptCopy(contents.header, [line + b"\n" for line in lines])


def _lines(contents: Contents) -> Iterator[bytes]:
    header, tree = contents.header, contents.tree
    if is_for_pi(header.version, tree):
        yield from contents.lines()
        return
    yield replace_member(header.raw, "version", b"3")
    yield from lines_for_pi(tree)


async def find(scope: SessionScope, session: str) -> StoredTranscript:
    """Find a transcript by its path, its id, or the beginning of its id in one of the databases.

    Raises SessionNotFound, InvalidParams if several ids begin so, and what reading raises.
    """
    given = transcript_at(session)
    if given is not None:
        return given
    every = await workers.reading(workers.LONG, _transcripts, scope)
    beginning = [each for each in every if each.session_id.startswith(session)]
    found = [each for each in beginning if each.session_id == session] or beginning
    if len(found) > 1:
        shown = ", ".join(each.path for each in found)
        raise InvalidParams(f"several ids begin with {session}: {shown}", "SESSION")
    if not found:
        raise SessionNotFound(session)
    return found[0]


def _transcripts(scope: SessionScope) -> list[StoredTranscript]:
    databases = filter(is_database, scope.directories(Faults()))
    paths = (path for database in databases for path, _ in stat_transcripts(database))
    return [each for each in map(transcript_at, paths) if each is not None]
