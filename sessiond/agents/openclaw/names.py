"""Paths of OpenClaw's databases, and of the transcripts in them."""

from __future__ import annotations

import posixpath
from urllib.parse import quote, unquote

import attrs

DATABASE_NAME = "openclaw-agent.sqlite"
_INSIDE = f"/{DATABASE_NAME}/"
_SUFFIX = ".jsonl"


@attrs.frozen
class StoredTranscript:
    """A transcript in a database: the path of the database, and the id of the session."""

    database: str
    session_id: str

    @property
    def path(self) -> str:
        """The path under which clients know the transcript."""
        return f"{self.database}/{quote(self.session_id, safe='')}{_SUFFIX}"


def transcript_at(path: str) -> StoredTranscript | None:
    """The transcript with this path; None for any other path. The disk is not read."""
    if _INSIDE not in path or not path.endswith(_SUFFIX):
        return None
    database, _, name = path.rpartition("/")
    if not is_database(database):
        return None
    return StoredTranscript(database, unquote(name.removesuffix(_SUFFIX)))


def is_database(path: str) -> bool:
    """Whether a path names a database, by its last part alone."""
    return posixpath.basename(path) == DATABASE_NAME
