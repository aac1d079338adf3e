"""The catalogue of sessions in files; see `catalogue.Catalogue`."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sessiond.agents.sessions import refuse_writing, stat_session, translation_of
from sessiond.catalog import discover
from sessiond.catalog.list_query import ListQuery, SessionPage, page_of
from sessiond.catalog.listing import Listing, Listings, newest_first
from sessiond.catalog.scope import Progress, SessionScope
from sessiond.catalog.summaries import Summary, summarise
from sessiond.files import disk, workers
from sessiond.files.identity import FileState, Key, stat_regular
from sessiond.files.lock_file import transcript_lock
from sessiond.files.workers import Pool
from sessiond.runtime.errors import InvalidSessionFile, SessionNotFound, WriteFailed
from sessiond.runtime.isolation import Fault, Faults
from sessiond.runtime.limits import SEARCH_WORKERS

if TYPE_CHECKING:
    # A command that lists sessions imports neither the index nor what searches it, nor what checks.
    from sessiond.catalog.check import Checked
    from sessiond.catalog.index.database import SearchCache
    from sessiond.catalog.index.indexer import Indexer
    from sessiond.catalog.search.pages import HitPage, SearchQuery
    from sessiond.catalog.trash import TrashedSummary
    from sessiond.catalog.usage.count import FileUsage
    from sessiond.catalog.usage.readings import UsageReadings
    from sessiond.runtime.config import EngineConfig


def _latest(copies: Sequence[str]) -> str | None:
    """Return the copy of a session that has the latest message. Blocking."""
    if len(copies) < 2:
        return next(iter(copies), None)
    faults, read = Faults(), []
    for path in copies:
        with faults.isolate(path):
            read.append(summarise(path))
    latest = newest_first([summary for summary in read if summary is not None])
    return latest[0].path if latest else copies[0]


class FileCatalogue:
    """Reads directories and files, with the help of caches that it owns.

    Each of its parts is imported and created on first use, because a command needs few of them.
    `env` determines the path of the cache.
    """

    def __init__(self, config: EngineConfig, env: Mapping[str, str]) -> None:
        self._config = config
        self._env = env

    @cached_property
    def _cache(self) -> SearchCache | None:
        from sessiond.catalog.index.database import SearchCache, cache_path

        return SearchCache(cache_path(self._env)) if self._config.catalog_cache else None

    @cached_property
    def _indexer(self) -> Indexer:
        from sessiond.catalog.index.indexer import Indexer

        return Indexer(self._cache)

    @cached_property
    def _listings(self) -> Listings:
        return Listings(self._cache)

    @cached_property
    def _usage(self) -> UsageReadings:
        from sessiond.catalog.usage.readings import UsageReadings

        return UsageReadings(self._cache)

    @cached_property
    def _searching(self) -> Pool:
        """Threads for searches for words."""
        return Pool(SEARCH_WORKERS, "searching")

    @cached_property
    def _matching(self) -> Pool:
        """Threads for searches for regular expressions, which may take long."""
        return Pool(SEARCH_WORKERS, "searching")

    def expect_search(self, summaries: Iterable[Summary]) -> None:
        if not self._config.is_brief:
            self._indexer.want(summaries)

    def tidy(self, *, again: bool = False) -> None:
        if not self._config.is_brief:
            self._indexer.tidy(again=again)

    async def settle(self, within: float) -> None:
        if "_indexer" in vars(self):
            await self._indexer.idle(within)

    async def close(self) -> None:
        parts = vars(self)
        for name in ("_searching", "_matching"):
            if name in parts:
                parts[name].close()
        if "_indexer" in parts:
            await self._indexer.close()
        elif parts.get("_cache") is not None:
            await workers.undisturbed(parts["_cache"].close)

    async def find(self, scope: SessionScope, session_id: str | None, faults: Faults) -> str | None:
        def found() -> str | None:
            for part in scope.parts:
                paths = part.files(faults)
                if session_id is None:
                    path = discover.most_recent(paths, part.cwd, faults)
                else:
                    path = _latest(discover.find_by_id(paths, session_id, part.cwd, faults))
                if path is not None:
                    return path
            return None

        return await workers.scanning(found)

    async def with_id(
        self, scope: SessionScope, given: str
    ) -> tuple[Sequence[Summary], Collection[Fault]]:
        listing = await self._listings.get(scope)
        return listing.with_id(given), listing.faults

    async def page(
        self, scope: SessionScope, query: ListQuery, progress: Progress | None
    ) -> SessionPage:
        # Reject bad cursors before scanning.
        query.check_cursor(scope)
        listing = await self._listings.get(scope, with_text=query.with_text, progress=progress)
        self.tidy()
        return await page_of(listing, query, scope, self.usage)

    async def read(self, before: Listing, reported: Collection[str] | None = None) -> Listing:
        return await workers.scanning(before.read, reported, cache=self._cache)

    async def search(self, scope: SessionScope, query: SearchQuery) -> HitPage:
        from sessiond.catalog.search.pages import Asked, hit_page

        self._indexer.tidy()
        pool = self._searching if query.query.expression is None else self._matching
        listing = await self._listings.get(scope)
        hits, outcome = await pool.run(hit_page, listing, query, self._cache, Asked())
        # The next search for words is faster once the text is indexed.
        self._indexer.want(outcome.unindexed)
        return hits

    async def listing(self, scope: SessionScope) -> Listing:
        return await self._listings.get(scope)

    async def usage(
        self, summaries: Sequence[Summary], faults: Faults
    ) -> list[tuple[Summary, FileUsage]]:
        return await self._usage.get(summaries, faults)

    async def check(self, path: str) -> Checked:
        from sessiond.catalog import check as checking

        return await workers.reading(await self.size(path), checking.check, path)

    async def check_all(self, scope: SessionScope) -> list[Checked]:
        from sessiond.catalog import check as checking

        return await workers.scanning(checking.check_all, scope)

    async def summary(self, path: str) -> Summary:
        summary_now = await workers.reading(workers.LONG, summarise, path)
        if summary_now is None:
            raise SessionNotFound(path)
        return summary_now

    async def size(self, path: str) -> int:
        return (await _stat(path)).st_size

    async def identity(self, path: str) -> Key:
        status = await _stat(path)
        if await workers.reading(workers.LONG, discover.read_header, path) is None:
            raise InvalidSessionFile(path, 1)
        return FileState.of(status).key

    async def delete(
        self, path: str, env: Mapping[str, str], *, permanently: bool, force: bool
    ) -> None:
        refuse_writing(path)
        if force:
            await self._delete(path, env, permanently=permanently)
            return
        async with transcript_lock(path, self._config.lock_timeout):
            await self._delete(path, env, permanently=permanently)

    async def _delete(self, path: str, env: Mapping[str, str], *, permanently: bool) -> None:
        from sessiond.catalog import trash

        try:
            status = disk.lstat(path)
        except FileNotFoundError:
            raise SessionNotFound(path) from None
        except OSError as error:
            raise WriteFailed(path, error) from None
        if permanently:
            trash.delete(path)
        else:
            await workers.undisturbed(trash.to_trash, path, env)
        # Also a list of sessions or a search by a command must not show what was in it.
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and self._cache is not None:
            # A command imports it only if it deletes.
            from sessiond.catalog.index.indexer import forget_if_possible

            key = FileState.of(status).key
            await workers.undisturbed(forget_if_possible, self._cache, [key])

    async def restore(self, path: str, env: Mapping[str, str]) -> None:
        from sessiond.catalog import trash

        refuse_writing(path)
        async with transcript_lock(path, self._config.lock_timeout):
            await workers.undisturbed(trash.restore, path, env)

    async def trashed(
        self, scope: SessionScope, env: Mapping[str, str], faults: Faults
    ) -> list[TrashedSummary]:
        from sessiond.catalog import trash

        return await workers.scanning(trash.summaries, scope, env, faults)


async def _stat(path: str) -> os.stat_result:
    """`stat` of a session. Raises SessionNotFound and ReadFailed."""
    if translation_of(path) is None:
        status = stat_regular(path)
    else:
        status = await workers.reading(workers.LONG, stat_session, path)
    if status is None:
        raise SessionNotFound(path)
    return status
