"""CoderClaw's session layer: what becomes of the transcript of a session that is over."""

from __future__ import annotations

from collections.abc import Iterable

from sessiond.errors import InUse, PathNotAllowed, ReadFailed, WriteFailed
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.locks.lock_file import holder
from sessiond.gateway.store.snapshot import Problem
from sessiond.gateway.transcripts.archive import Reason, archive
from sessiond.gateway.transcripts.paths import OUTSIDE
from sessiond.methods.app import App


def check_idle(app: App, paths: Iterable[str], key: str) -> None:
    """Raise InUse if somebody may be writing to one of the files.

    That is a handle for writing, here or in another sessiond, or a gateway that holds the lock of
    the transcript for as long as a turn takes. Handles for reading do not mind.
    """
    for path in paths:
        try:
            seen = stat_regular(path)
        except (ReadFailed, PathNotAllowed):
            continue
        if seen is None or not app.places.roots.allow(path):
            continue
        pids = app.in_use.writers(FileState.of(seen).key)
        owner = holder(path)
        if owner is not None and owner not in pids:
            pids.append(owner)
        if pids:
            message = f"Session {key} is still active; try again in a moment."
            raise InUse(path, pids, message)


def put_away(
    app: App, paths: Iterable[str], reason: Reason, *, now: int, key: str, problems: list[Problem]
) -> list[str]:
    """Archive those that are files; returns the new names.

    The store is saved by then: what cannot be put away is told in `problems` and no more. Nothing
    outside is touched.
    """
    archived: list[str] = []
    for path in paths:
        if not app.places.roots.allow(path):
            problems.append(Problem("archiveFailed", f"{path}: {OUTSIDE}", key, path))
            continue
        try:
            archived += archive([path], reason, now)
        except WriteFailed as error:
            problems.append(Problem("archiveFailed", error.message, key, path))
        else:
            app.live.look_at((path,))
    return archived
