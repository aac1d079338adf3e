"""Tell whether a session in a database has all that is in the file it was made from."""

from __future__ import annotations

import functools

from sessiond.agents.sessions import opened_session, stat_session
from sessiond.files.identity import FileState, chunks
from sessiond.format.entries import SESSION_INFO
from sessiond.format.line import parse_line
from sessiond.runtime.errors import SessiondError


def has_all_entries(state: FileState, path: str, file: str) -> bool:
    """Return whether a session, now in `state`, has all entries of a file. Blocking.

    False if one of them cannot be read.
    """
    try:
        status = stat_session(file)
        return status is not None and _has_all(path, state, file, FileState.of(status))
    except (SessiondError, OSError):
        return False


@functools.lru_cache(maxsize=1024)
def _has_all(path: str, state: FileState, file: str, file_state: FileState) -> bool:  # noqa: ARG001
    """Return the same for the same states, of which files that a move has left hardly change."""
    return _ids(file) <= _ids(path)


def _ids(path: str) -> set[str]:
    with opened_session(path) as (descriptor, _, end):
        lines = b"".join(chunks(descriptor, 0, end)).split(b"\n")
    read = (parse_line(line) for line in lines[1:] if line)
    # Names are not what was said, and a translation makes their ids.
    return {
        line.id
        for line in read
        if line is not None and line.id is not None and line.type != SESSION_INFO
    }
