"""Archive the transcripts of sessions that have ended, unless somebody writes to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sessiond.clock import now_ms
from sessiond.errors import InUse, PathNotAllowed, ReadFailed, WriteFailed
from sessiond.files import workers
from sessiond.files.identity import FileState, stat_regular
from sessiond.files.locks.lock_file import holder
from sessiond.gateway.places import OUTSIDE
from sessiond.gateway.store import StoreProblem
from sessiond.gateway.transcript import Reason, archive
from sessiond.methods.client import Client


def check_idle(client: Client, paths: Iterable[str], key: str) -> None:
    """Raise InUse if one of the files may be written to.

    A writer is a handle for writing, here or in another sessiond, or a gateway that holds the lock
    of the transcript during a turn. Handles for reading do not count.
    """
    for path in paths:
        try:
            seen = stat_regular(path)
        except (ReadFailed, PathNotAllowed):
            continue
        if seen is None or not client.places.roots.allow(path):
            continue
        writers = client.in_use.writers(FileState.of(seen).key)
        owner = holder(path)
        if owner is not None:
            writers.setdefault(owner, "")
        if writers:
            message = f"Session {key} is still active; try again in a moment."
            raise InUse(path, writers, message)


async def put_away(
    client: Client, transcripts: Mapping[str, str], reason: Reason, problems: list[StoreProblem]
) -> list[str]:
    """Archive the files after the store was saved; the new names. Failures become problems.

    `transcripts` are paths with the keys of their sessions.
    """
    if not transcripts:
        return []
    archived, failed = await workers.undisturbed(_archive, client, transcripts, reason)
    problems += failed
    client.live.look_at(transcripts)
    return archived


def _archive(
    client: Client, transcripts: Mapping[str, str], reason: Reason
) -> tuple[list[str], list[StoreProblem]]:
    archived, failed, now = list[str](), list[StoreProblem](), now_ms()
    for path, key in transcripts.items():
        if not client.places.roots.allow(path):
            failed.append(StoreProblem("archiveFailed", f"{path}: {OUTSIDE}", key, path))
            continue
        try:
            target = archive(path, reason, now)
        except WriteFailed as error:
            failed.append(StoreProblem("archiveFailed", error.message, key, path))
        else:
            archived += [] if target is None else [target]
    return archived, failed
