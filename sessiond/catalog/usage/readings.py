"""The usage of all files of a list; only changed files are read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessiond.agents.many_readings import many_readings
from sessiond.catalog.index.database import Store
from sessiond.catalog.index.usage_cache import UsageCache
from sessiond.catalog.summaries import Summary
from sessiond.catalog.usage.count import FileUsage
from sessiond.files import workers
from sessiond.isolation import Faults

_MOST = 5_000
"""Number of files whose usage stays in memory, at about 10 kB each; of more, none does."""


class UsageReadings:
    """Keeps the latest reading; the store has earlier readings of daemons and commands."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._known: dict[str, FileUsage] = {}

    async def get(
        self, sessions: Sequence[Summary], faults: Faults
    ) -> list[tuple[Summary, FileUsage]]:
        """The usage of each session; those that cannot be read are noted in `faults`."""
        found = await workers.scanning(self._read, sessions, self._known, faults)
        if len(found) <= _MOST:
            self._known = {summary.path: usage for summary, usage in found}
        return found

    def _read(
        self,
        sessions: Sequence[Summary],
        known: Mapping[str, FileUsage],
        faults: Faults,
    ) -> list[tuple[Summary, FileUsage]]:
        found = []
        with many_readings(), UsageCache(self._store) as cache:
            for summary in sessions:
                with faults.isolate(summary.path):
                    usage = known.get(summary.path)
                    if usage is None or usage.state != summary.state:
                        usage = cache.usage(summary.path, summary.state)
                    found.append((summary, usage))
        return found
