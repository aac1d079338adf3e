"""Putting away the transcripts of sessions that a store has lost."""

from __future__ import annotations

import os
from collections.abc import Iterable

import attrs

from sessiond.errors import WriteFailed
from sessiond.files import disk
from sessiond.gateway.transcripts.archive import archive, archived_at, planned


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
