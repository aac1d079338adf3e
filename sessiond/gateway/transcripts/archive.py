"""Archive transcripts of ended sessions by renaming them, and delete old archives."""

from __future__ import annotations

import re
import stat
from datetime import UTC, datetime
from typing import Literal

from sessiond.errors import WriteFailed
from sessiond.files import disk

Reason = Literal["reset", "deleted"]

_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}(?:\.\d+)?)Z")


def stamp(ms: int) -> str:
    """A time in epoch milliseconds as in names of archives: ISO 8601 with `-` for `:`."""
    at = datetime.fromtimestamp(ms // 1000, UTC)
    return f"{at:%Y-%m-%dT%H-%M-%S}.{ms % 1000:03}Z"


def archived_at(name: str, reason: Reason) -> float | None:
    """Epoch milliseconds of the archiving, from the file name; None if it is not an archive."""
    _, mark, text = name.rpartition(f".{reason}.")
    match = _STAMP.fullmatch(text) if mark else None
    if match is None:
        return None
    day, hour, minute, second = match.groups()
    try:
        at = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second}+00:00")
    except ValueError:
        return None
    return at.timestamp() * 1000


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
    while disk.lexists(target := f"{path}.{reason}.{stamp(at)}"):
        at += 1
    try:
        disk.rename(path, target)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WriteFailed(path, error) from None
    return target


def outdated(directory: str, before: int) -> list[str]:
    """The archives of deleted sessions in a directory that are older (epoch ms).

    As in CoderClaw, maintenance deletes them; all other archives stay.
    """
    try:
        with disk.scandir(directory) as entries:
            return sorted(
                entry.path
                for entry in entries
                if (at := archived_at(entry.name, "deleted")) is not None
                and at < before
                and entry.is_file(follow_symlinks=False)
            )
    except OSError:
        return []
