"""Archive transcripts of ended sessions by renaming them, and delete old archives."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

import attrs

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


def planned(paths: Iterable[str], reason: Reason, now: int) -> dict[str, str]:
    """The paths that are regular files, each with a free name for its archive."""
    archived = {}
    for path in paths:
        try:
            if not stat.S_ISREG(disk.stat(path).st_mode):
                continue
        except OSError:
            continue
        at = now
        while disk.lexists(target := f"{path}.{reason}.{stamp(at)}"):
            at += 1
        archived[path] = target
    return archived


def archive(paths: Iterable[str], reason: Reason, now: int) -> list[str]:
    """Rename regular files to `<path>.<reason>.<time>`; the new names.

    An existing archive is not replaced. Raises WriteFailed; files renamed before that stay renamed.
    """
    done = []
    for path, target in planned(paths, reason, now).items():
        try:
            disk.rename(path, target)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise WriteFailed(path, error) from None
        done.append(target)
    return done


@attrs.define
class Cleared:
    """The new names of archived files, the deleted archives, and the failures."""

    archived: list[str] = attrs.field(factory=list)
    removed: list[str] = attrs.field(factory=list)
    failed: list[WriteFailed] = attrs.field(factory=list)


def clear(paths: Iterable[str], keep_for: int, now: int, *, dry_run: bool = False) -> Cleared:
    """Archive transcripts of deleted sessions. Blocking.

    As in CoderClaw, archives of deleted sessions older than `keep_for` (milliseconds) are deleted
    in the directories concerned; all other archives stay.
    """
    done = Cleared()
    for path in paths:
        try:
            if dry_run:
                done.archived += planned([path], "deleted", now).values()
            else:
                done.archived += archive([path], "deleted", now)
        except WriteFailed as error:
            done.failed.append(error)
    for directory in dict.fromkeys(map(os.path.dirname, done.archived)):
        for path in _outdated(directory, now - keep_for):
            try:
                if not dry_run:
                    disk.unlink(path)
            except OSError as error:
                done.failed.append(WriteFailed(path, error))
            else:
                done.removed.append(path)
    return done


def _outdated(directory: str, before: int) -> list[str]:
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
