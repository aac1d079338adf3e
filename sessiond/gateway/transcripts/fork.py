"""The transcript of a thread: a copy of its parent's branch, or an empty one."""

from __future__ import annotations

import os
import re

import attrs

from sessiond.errors import InvalidSessionFile
from sessiond.files import journal, reading, workers
from sessiond.files.identity import stat_regular
from sessiond.format.extract import branched_lines
from sessiond.format.header import Header, new_header_line
from sessiond.format.ids import new_session_id


@attrs.frozen
class Transcript:
    """A transcript that is not written yet."""

    session_id: str
    path: str
    lines: list[bytes]


async def fork(parent: str, timestamp: str, cwd: str) -> Transcript | None:
    """Fork a parent's transcript into a new file beside it; None if there is no parent file.

    The fork has the branch that ends at the parent's leaf, or no entries if the parent has none.
    The parent is only read; an older version is migrated in memory. `cwd` is used if the parent has
    none. Raises InvalidSessionFile and ReadFailed.
    """
    seen = stat_regular(parent)
    if seen is None:
        return None
    result = await workers.reading(seen.st_size, reading.read, parent)
    if result.bad_line:
        raise InvalidSessionFile(parent, result.bad_line)
    lines: list[bytes] = []
    source: Header | None = None
    if result.contents is not None:
        cwd = result.contents.header.cwd or cwd
        tree = result.contents.tree
        source = result.contents.header
        if tree.leaf_id is not None:
            lines = list(branched_lines(tree, tree.leaf_id))
    session_id = new_session_id()
    name = f"{re.sub('[:.]', '-', timestamp)}_{session_id}.jsonl"
    header = new_header_line(session_id, timestamp, cwd, parent, source=source)
    path = os.path.join(os.path.dirname(parent), name)
    return Transcript(session_id, path, [header, *lines])


def begun(session_id: str, path: str, timestamp: str, cwd: str) -> Transcript:
    """The transcript of a session without messages."""
    return Transcript(session_id, path, [new_header_line(session_id, timestamp, cwd)])


async def write(transcript: Transcript) -> None:
    """Create the file in one step. Raises AlreadyExists and WriteFailed."""
    size = sum(map(len, transcript.lines))
    parts = [b"\n".join([*transcript.lines, b""])]
    await workers.writing(size, journal.create, transcript.path, parts)
