"""Add up token counts and costs of sessions over their transcripts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import attrs
import msgspec

from sessiond.agents.sessions import opened_session, stat_session
from sessiond.errors import PathNotAllowed, ReadFailed, SessionNotFound, Unsupported
from sessiond.files import journal, reading
from sessiond.format.describe.stats import Stats, count
from sessiond.format.load import Loader
from sessiond.gateway.keys.session_key import is_cron_run
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.isolation import go_on


@attrs.frozen
class Period:
    """Days in UTC as `YYYY-MM-DD`, both included; None means no limit on that side."""

    start: str | None = None
    end: str | None = None

    def has(self, day: str | None) -> bool:
        """Whether a day is in the period; None (no date) is in the period without limits only."""
        if day is None:
            return self.start is None and self.end is None
        return (self.start or day) <= day <= (self.end or day)


class UsageSession(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A session of a store, and the paths at which its transcript may lie."""

    key: str
    agent_id: str
    entry: StoreEntry
    store_path: str
    updated_at: float
    paths: tuple[str, ...] = ()


class CountedSession(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A session with its statistics; None if it has no readable transcript."""

    session: UsageSession
    stats: Stats | None


@attrs.frozen(eq=False)
class UsageReport:
    """Sessions, the latest first, and their total."""

    sessions: list[CountedSession]
    total: Stats


def report(sessions: Iterable[UsageSession], period: Period, faults: EntryFaults) -> UsageReport:
    """Count all sessions. Sessions that share a transcript count once: a job's run has an alias.

    Blocking, and slow with many transcripts. Sessions that cannot be counted are noted in `faults`.
    """
    sessions_counted: list[CountedSession] = []
    total = Stats()
    seen: set[tuple[int, int]] = set()
    for session in sorted(sessions, key=lambda session: is_cron_run(session.key)):
        go_on()
        path, file = _transcript(session.paths)
        if file is not None and file in seen:
            continue
        counted = CountedSession(session, None)
        with faults.isolate(session.key, path or session.store_path):
            stats = None if path is None else _count(path, period)
            counted = CountedSession(session, stats)
            if stats is not None and file is not None:
                seen.add(file)
                total.take(stats)
        sessions_counted.append(counted)
    sessions_counted.sort(key=lambda counted: counted.session.updated_at, reverse=True)
    return UsageReport(sessions_counted, total)


def _transcript(paths: Iterable[str]) -> tuple[str | None, tuple[int, int] | None]:
    """The first path that exists, and its device and inode."""
    for path in paths:
        try:
            seen = stat_session(path)
        except (ReadFailed, PathNotAllowed, Unsupported):
            continue
        if seen is not None:
            return path, (seen.st_dev, seen.st_ino)
    return None, None


def _count(path: str, period: Period) -> Stats | None:
    try:
        return reading.use(path, partial(_counted, path, period), opened_session)
    except (ReadFailed, SessionNotFound, PathNotAllowed):
        return None


def _counted(path: str, period: Period, result: reading.Reading) -> Stats:
    if result.contents is None:
        return _count_without_header(path, period)
    tree = result.contents.tree
    return count(tree.text, tree.entries, period.has)


def _count_without_header(path: str, period: Period) -> Stats:
    """Count a file without a header; CoderClaw's compaction leaves such files."""
    loader = Loader(expect_header=False)
    with opened_session(path) as opened:
        for chunk in journal.chunks(opened.descriptor, 0):
            loader.feed(chunk)
    loaded = loader.finish()
    return count(loaded.text, loaded.entries, period.has)
