"""Cutting a transcript down to its end, with the old file kept beside the new one."""

from __future__ import annotations

import attrs

from sessiond.errors import AlreadyExists, InvalidSessionFile
from sessiond.files import disk, journal
from sessiond.files.backup import keep
from sessiond.format.loaded import NotASession
from sessiond.gateway.transcripts.archive import stamp
from sessiond.gateway.transcripts.tail import Tail


@attrs.frozen
class Shortened:
    """How many lines are left; `archived` is the old file, None where nothing was done."""

    kept: int
    archived: str | None = None


def shorten(path: str, descriptor: int, keep_lines: int, now: int, product: str) -> Shortened:
    """Keep the last lines of the locked file `descriptor` at `path`, beside its header. Blocking.

    What somebody without locks appends meanwhile is in the new file as well. Raises
    InvalidSessionFile, GatewayRejected (rule `version`) and WriteFailed, the file being as it was,
    and journal.Replaced if `path` names another file by now.
    """
    tail = Tail(keep_lines)
    try:
        tail.look(list(journal.chunks(descriptor, 0)))
        if tail.first is None:
            return Shortened(tail.lines)
        backup = _keep(path, descriptor, now)
        try:
            journal.rewrite(path, descriptor, tail.render)
        except BaseException:
            disk.unlink(backup)
            raise
    except NotASession as error:
        raise InvalidSessionFile(path, error.line, product) from None
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
