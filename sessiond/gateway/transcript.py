"""New transcripts, and archives of those of ended sessions."""

from __future__ import annotations

import os
import re
import stat
from typing import Literal

import attrs

from sessiond.files import disk, journal, reading
from sessiond.format.extract import branched_lines
from sessiond.format.header import Header, new_header_line
from sessiond.format.ids import new_session_id
from sessiond.runtime.errors import InvalidSessionFile, SessionNotFound, WriteFailed
from sessiond.text.dates import iso_from_ms, parse_js_date


@attrs.frozen
class Transcript:
    """A transcript that is not written yet."""

    session_id: str
    path: str
    lines: list[bytes]


def fork(parent: str, timestamp: str, cwd: str) -> Transcript | None:
    """Fork a parent's transcript into a new file beside it; None if there is no parent file.

    The fork has the branch that ends at the parent's leaf, or no entries if the parent has none.
    The parent is only read; an older version is migrated in memory. `cwd` is used if the parent has
    none. Blocking. Raises InvalidSessionFile and ReadFailed.
    """
    try:
        result = reading.read(parent)
    except SessionNotFound:
        return None
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


def write(transcript: Transcript) -> None:
    """Create the file in one step. Blocking. Raises AlreadyExists and WriteFailed."""
    journal.create(transcript.path, [b"\n".join([*transcript.lines, b""])])


Reason = Literal["reset", "deleted"]

_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}(?:\.\d+)?)Z")


def stamp(ms: int) -> str:
    """A time in epoch milliseconds as in names of archives: ISO 8601 with `-` for `:`."""
    return (iso_from_ms(ms) or "").replace(":", "-")


def archived_at(name: str, reason: Reason) -> float | None:
    """Epoch milliseconds of the archiving, from the file name; None if it is not an archive."""
    _, mark, text = name.rpartition(f".{reason}.")
    match = _STAMP.fullmatch(text) if mark else None
    return None if match is None else parse_js_date("{}T{}:{}:{}Z".format(*match.groups()))


def archive(path: str, reason: Reason, now: int) -> str | None:
    """Rename a regular file to `<path>.<reason>.<time>`; the new name, None if there is no file.

    An existing archive is not replaced. Raises WriteFailed.
    """
    try:
        if not stat.S_ISREG(disk.stat(path).st_mode):
            return None
    except (OSError, ValueError):
        return None
    at = now
    while True:
        target = f"{path}.{reason}.{stamp(at)}"
        try:
            journal.move(path, target)
        except FileExistsError:
            at += 1
        except FileNotFoundError:
            return None
        except OSError as error:
            raise WriteFailed(path, error) from None
        else:
            return target


def outdated(directory: str, before: int) -> list[str]:
    """The archives of deleted sessions in a directory that are older (epoch ms).

    As in CoderClaw, maintenance deletes them; all other archives stay.
    """
    try:
        names = disk.listdir(directory)
    except OSError:
        return []
    return sorted(
        path
        for name in names
        if (at := archived_at(name, "deleted")) is not None
        and at < before
        and disk.is_file(path := f"{directory}/{name}")
    )
