"""Shorten a transcript to its last lines, and keep the old file beside the new one.

CoderClaw keeps the last lines as they are, and the result is no longer a valid session; see
`format/tail.py` for what is kept here.
"""

from __future__ import annotations

import attrs

from sessiond.errors import AlreadyExists, GatewayRejected, InvalidSessionFile
from sessiond.files import journal
from sessiond.files.backup import keep, removed_on_failure
from sessiond.format.loaded import NotASession
from sessiond.format.tail import LaterVersion, Tail
from sessiond.gateway.transcripts.archive import stamp


@attrs.frozen
class Shortened:
    """The number of lines that are left; `archived` is the old file, None if nothing changed."""

    kept: int
    archived: str | None = None


def shorten(path: str, descriptor: int, keep_lines: int, now: int) -> Shortened:
    """Keep the header and the last lines of the locked file `descriptor` at `path`. Blocking.

    Lines that a writer without locks appends meanwhile are kept as well. Raises InvalidSessionFile,
    GatewayRejected (rule `version`) and WriteFailed, with the file unchanged, and journal.Replaced
    if `path` has come to name another file.
    """
    tail = Tail(keep_lines)
    try:
        tail.look(list(journal.chunks(descriptor, 0)))
        if tail.first is None:
            return Shortened(tail.lines)
        backup = _keep(path, descriptor, now)
        with removed_on_failure(backup):
            journal.rewrite(path, descriptor, tail.render)
    except NotASession as error:
        raise InvalidSessionFile(path, error.line) from None
    except LaterVersion as error:
        message = f"Transcript has the unknown version {error.version:g}"
        raise GatewayRejected(message, "version") from None
    return Shortened(keep_lines, backup)


def _keep(path: str, descriptor: int, now: int) -> str:
    while True:
        backup = f"{path}.bak.{stamp(now)}"
        try:
            keep(path, descriptor, backup)
        except AlreadyExists:
            now += 1
        else:
            return backup
