"""The usage of all files of a list; only changed files are read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessiond.catalog.index import rows
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.rows import is_settled
from sessiond.catalog.summaries import Summary
from sessiond.catalog.usage.count import FileUsage, read_usage
from sessiond.files import workers
from sessiond.runtime.isolation import Faults, advance

_MOST = 5_000
"""Number of files whose usage stays in memory, at about 10 kB each; of more, none does."""

_TOGETHER = 1_000
"""Files whose usage is read together from the cache."""


class UsageReadings:
    """Keeps the latest reading; the cache has earlier readings of daemons and commands."""

    def __init__(self, cache: SearchCache | None) -> None:
        self._cache = cache
        self._known: dict[str, FileUsage] = {}

    async def get(
        self, sessions: Sequence[Summary], faults: Faults
    ) -> list[tuple[Summary, FileUsage]]:
        """The usage of each session; those that cannot be read are noted in `faults`."""
        usages = await workers.scanning(self._read, sessions, self._known, faults)
        if len(usages) <= _MOST:
            self._known = {summary.path: usage for summary, usage in usages}
        return usages

    def _read(
        self,
        sessions: Sequence[Summary],
        before: Mapping[str, FileUsage],
        faults: Faults,
    ) -> list[tuple[Summary, FileUsage]]:
        usages, new = [], []
        for at in range(0, len(sessions), _TOGETHER):
            some = sessions[at : at + _TOGETHER]
            stored = rows.load(
                self._cache,
                "usage",
                FileUsage,
                [item.state.key for item in some if item.path not in before],
            )
            for number, summary in enumerate(some, at + 1):
                advance(number, len(sessions))
                with faults.isolate(summary.path):
                    usage = before.get(summary.path) or stored.get(summary.state.key)
                    if usage is None or usage.state != summary.state:
                        usage = read_usage(summary.path, usage)
                        if is_settled(usage.state):
                            new.append((summary.path, usage.state, usage))
                    usages.append((summary, usage))
        rows.save(self._cache, "usage", new)
        return usages
