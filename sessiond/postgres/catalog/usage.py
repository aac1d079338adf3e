"""The usage of many sessions: the database sends lines that may record usage, each only once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter

from sessiond.catalog.summaries import Summary
from sessiond.catalog.usage.count import FileUsage, count_usage
from sessiond.files import workers
from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.documents import named
from sessiond.runtime.isolation import Faults

_KEPT_BYTES = 64 * 1024 * 1024
"""Memory for what was counted; a reading takes about 100 bytes for each entry with usage."""

_BATCH_SESSIONS = 500
_BATCH_BYTES = 64 * 1024 * 1024
"""Sessions, and bytes of their new lines, that one statement looks through."""


class StoredUsages:
    """Counts the lines that were appended since a session was counted the last time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._usages: dict[str, FileUsage] = {}

    async def get(
        self, sessions: Sequence[Summary], faults: Faults
    ) -> list[tuple[Summary, FileUsage]]:
        """The usage of each session; those that cannot be read are noted in `faults`."""
        counted: dict[str, FileUsage] = {}
        changed = []
        for summary in sessions:
            before = self._usages.get(summary.path)
            if before is not None and before.state == summary.state:
                counted[summary.path] = before
            else:
                changed.append(summary)
        for batch in self._batches(changed):
            counted |= await self._count(batch, faults)
        self._keep(counted)
        return [(one, counted[one.path]) for one in sessions if one.path in counted]

    def _batches(self, sessions: Sequence[Summary]) -> Iterator[list[Summary]]:
        batch: list[Summary] = []
        size = 0
        for summary in sessions:
            batch.append(summary)
            size += summary.state.size - self._start(summary)
            if len(batch) == _BATCH_SESSIONS or size > _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _start(self, summary: Summary) -> int:
        """The offset up to which the session was counted."""
        before = self._usages.get(summary.path)
        same = before is not None and before.state.ctime_ns == summary.state.ctime_ns
        return before.state.size if before is not None and same else 0

    async def _count(self, batch: Sequence[Summary], faults: Faults) -> dict[str, FileUsage]:
        starts = list(map(self._start, batch))
        size = sum(one.state.size for one in batch) - sum(starts)
        answer = await self._database.rows(
            batch[0].path,
            "SELECT * FROM sessiond.usage_lines(%s, %s, %s, %s)",
            (
                [named(one.path).session for one in batch],
                [one.state.ctime_ns for one in batch],
                starts,
                [one.state.size for one in batch],
            ),
            limit=self._database.limit_for(size),
        )
        by_session = {
            batch[number - 1].path: [line for _, line in group if line is not None]
            for number, group in groupby(answer, itemgetter(0))
        }
        counted = {}
        for summary, start in zip(batch, starts, strict=True):
            with faults.isolate(summary.path):
                lines = by_session.get(summary.path)
                before = self._usages.get(summary.path) if start else None
                if lines is None:
                    # It was replaced after the list was made.
                    whole = await rows.read_whole(self._database, named(summary.path))
                    lines, before = b"".join(whole[1] if whole else ()).split(b"\n"), None
                counted[summary.path] = await workers.reading(
                    workers.LONG, count_usage, lines, summary.state, before
                )
        return counted

    def _keep(self, counted: dict[str, FileUsage]) -> None:
        """Remember what was counted last, as far as there is room."""
        before = ((path, usage) for path, usage in self._usages.items() if path not in counted)
        size, kept = 0, {}
        for path, usage in chain(counted.items(), before):
            size += len(usage.entries) + len(usage.keys)
            if size > _KEPT_BYTES:
                break
            kept[path] = usage
        self._usages = kept
