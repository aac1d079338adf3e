"""Repair session files: write a new file and keep the old one beside it as a backup.

`sessiond.format.repair.plan` decides what changes; this module carries it out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from sessiond.files import disk, journal
from sessiond.files.backup import keep, removed_on_failure
from sessiond.files.identity import OpenedFile, chunks
from sessiond.format.entries import Diagnostic
from sessiond.format.ids import iso_now
from sessiond.format.load import NotASession
from sessiond.format.repair.plan import RepairPlan, plan
from sessiond.runtime.errors import InvalidSessionFile, ReadFailed
from sessiond.text.spans import Buffer


@attrs.frozen
class Repaired:
    """The problems of a file and the repairs made; `backup` is None if nothing was changed."""

    problems: list[Diagnostic]
    actions: list[Diagnostic]
    backup: str | None = None


def look(path: str) -> Repaired:
    """Plan a repair. Blocking; raises SessionNotFound, InvalidSessionFile and ReadFailed."""
    with OpenedFile(path) as (descriptor, _):
        plan = _plan(path, list(chunks(descriptor, 0)))
    return Repaired(plan.problems, plan.actions)


def repair(path: str, descriptor: int) -> Repaired:
    """Repair the locked file `descriptor` at `path`, if it needs it. Blocking.

    The backup is the old file itself under another name, so it also contains what a writer without
    locks appends while the new file is written. Raises InvalidSessionFile, ReadFailed and
    WriteFailed, leaving the file unchanged, and journal.Replaced if `path` now names another file.
    """
    try:
        pieces = list(chunks(descriptor, 0))
    except OSError as error:
        raise ReadFailed(path, error) from None
    done = _plan(path, pieces)
    if not done.actions:
        return Repaired(done.problems, [])

    def render(pieces: Sequence[Buffer]) -> list[Buffer]:
        nonlocal done
        done = _plan(path, pieces)
        return done.parts

    # The name does not end in `.jsonl`, so that no program reads the backup as a session.
    backup = f"{disk.realpath(path)}.bak-{re.sub('[:.]', '-', iso_now())}"
    keep(path, descriptor, backup)
    with removed_on_failure(backup):
        journal.rewrite(path, descriptor, render)
    return Repaired(done.problems, done.actions, backup)


def _plan(path: str, pieces: Sequence[Buffer]) -> RepairPlan:
    try:
        return plan(pieces)
    except NotASession as error:
        raise InvalidSessionFile(path, error.line) from None
