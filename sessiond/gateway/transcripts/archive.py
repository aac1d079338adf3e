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

Reason = Literal["reset", "deleted", "bak"]

_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}(?:\.\d+)?)Z")


def stamp(ms: int) -> str:
    """A time in epoch milliseconds as names of archives have it: ISO, `-` for `:`."""
    at = datetime.fromtimestamp(ms // 1000, UTC)
    return f"{at:%Y-%m-%dT%H-%M-%S}.{ms % 1000:03}Z"


def archived_at(name: str, reason: Reason) -> float | None:
    """When the file of that name was archived, in epoch milliseconds; None: it was not."""
    _, mark, text = name.rpartition(f".{reason}.")
    found = _STAMP.fullmatch(text) if mark else None
    if found is None:
        return None
    day, hour, minute, second = found.groups()
    try:
        at = datetime.fromisoformat(f"{day}T{hour}:{minute}:{second}+00:00")
    except ValueError:
        return None
    return at.timestamp() * 1000


def planned(paths: Iterable[str], reason: Reason, now: int) -> dict[str, str]:
    """Which of them are files, and the name each would be archived under, which is free."""
    found = {}
    for path in paths:
        try:
            if not stat.S_ISREG(disk.stat(path).st_mode):
                continue
        except (OSError, ValueError):
            continue
        at = now
        while disk.lexists(target := f"{path}.{reason}.{stamp(at)}"):
            at += 1
        found[path] = target
    return found


def archive(paths: Iterable[str], reason: Reason, now: int) -> list[str]:
    """Rename those that are files to `<path>.<reason>.<time>`; returns the new names.

    An archive that is there already is not replaced. Raises WriteFailed; what was renamed stays so.
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
    """What was archived, under its new names, what was deleted, and what refused to be either."""

    archived: list[str] = attrs.field(factory=list)
    removed: list[str] = attrs.field(factory=list)
    failed: list[WriteFailed] = attrs.field(factory=list)


def clear(paths: Iterable[str], keep_for: int, now: int, *, dry_run: bool = False) -> Cleared:
    """Archive transcripts of deleted sessions; blocks for as long as the disk does.

    Of directories where that happened, archives of deleted sessions that are older than `keep_for`
    (milliseconds) are deleted; all other archives stay. As CoderClaw does it.
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
