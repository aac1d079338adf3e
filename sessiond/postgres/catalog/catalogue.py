"""The catalogue of sessions in the database; see `catalogue.Catalogue`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import attrs

from sessiond.catalog import cursors
from sessiond.catalog.check import Checked, failed
from sessiond.catalog.discover import is_of
from sessiond.catalog.list_query import ListQuery, SessionPage, page_of
from sessiond.catalog.listing import Listing, host_and_id
from sessiond.catalog.message_text import message_of
from sessiond.catalog.scope import Progress, SessionScope
from sessiond.catalog.search.folding import encode
from sessiond.catalog.search.pages import HitPage, SearchQuery
from sessiond.catalog.summaries import Summary
from sessiond.catalog.trash import Trashed, TrashedSummary
from sessiond.catalog.usage.count import FileUsage
from sessiond.files.identity import Key
from sessiond.format.repair.plan import problems
from sessiond.postgres import rows
from sessiond.postgres.catalog import search
from sessiond.postgres.catalog.scope import NamespaceScope
from sessiond.postgres.catalog.search import containing
from sessiond.postgres.catalog.usage import StoredUsages
from sessiond.postgres.database import Database
from sessiond.postgres.documents import StoredDocuments, named
from sessiond.postgres.names import PREFIX, StoreName, parse_name
from sessiond.postgres.rows import (
    ListedRow,
    Revision,
    state_of,
    summaries_of_rows,
    summary_of_row,
)
from sessiond.runtime.errors import AlreadyExists, SessionNotFound
from sessiond.runtime.isolation import Fault, Faults, advance

_ALL = 2**31
"""A number of rows that no list has."""

_PAGE = 500
"""Rows that are asked for at once where perhaps not all are needed."""


class StoredCatalogue:
    """Asks the database, which keeps what lists show beside the lines."""

    def __init__(
        self,
        database: Database,
        documents: StoredDocuments,
        stored: Callable[[StoreName], None],
    ) -> None:
        self._database = database
        self._documents = documents
        self._stored = stored
        self._usages = StoredUsages(database)

    async def find(self, scope: SessionScope, session_id: str | None, faults: Faults) -> str | None:
        del faults
        rows = await self._database.rows(
            scope.directory,
            "SELECT * FROM sessiond.find(%s, %b, %b)",
            (*_place_of(scope), None if session_id is None else encode(session_id)),
        )
        return str(StoreName(*rows[0])) if rows else None

    async def with_id(
        self, scope: SessionScope, given: str
    ) -> tuple[Sequence[Summary], Collection[Fault]]:
        host, session_id = host_and_id(given)
        faults = Faults()
        rows = await self._database.rows(
            scope.directory,
            "SELECT * FROM sessiond.with_id(%s, %b, %b, %s, %s)",
            (*_place_of(scope), encode(session_id), containing(session_id.lower()), host),
        )
        return summaries_of_rows((ListedRow(*row) for row in rows), faults), tuple(faults)

    async def page(
        self, scope: SessionScope, query: ListQuery, progress: Progress | None
    ) -> SessionPage:
        query.check_cursor(scope)
        if not query.is_plain:
            listing = await self._used_since(scope, query.since)
            page = await page_of(listing, query, scope, self.usage)
            return page if query.since is None else attrs.evolve(page, ids=None)
        page = await self._plain_page(scope, query, progress)
        if not query.with_usage:
            return page
        faults = Faults(page.faults)
        usages = await query.usages_of(page.sessions, faults, self.usage)
        return attrs.evolve(page, faults=(*page.faults, *faults), usages=usages)

    async def _used_since(self, scope: SessionScope, since: float | None) -> Listing:
        """Return the sessions that were used since a time, of which there may be few."""
        rows: list[ListedRow] = []
        after, faults = None, Faults()
        while True:
            page = await self._list(scope, after=after, most=_PAGE)
            rows += page
            if len(page) < _PAGE or (since is not None and page[-1].modified < since):
                break
            after = page[-1].modified, page[-1].path.removeprefix(PREFIX)
        sessions = {one.path: one for one in summaries_of_rows(rows, faults)}
        return Listing(scope, sessions, faults=tuple(faults))

    async def _plain_page(
        self, scope: SessionScope, query: ListQuery, progress: Progress | None
    ) -> SessionPage:
        place, bound = None, query.bound(scope)
        if query.cursor is not None:
            (modified,), path = cursors.place(query.cursor, bound, 1)
            place = modified, path.removeprefix(PREFIX)
        total = await self._count(scope, named=query.named)
        if query.limit == 0:
            after = query.cursor or cursors.cursor(bound, (float("inf"),), "\U0010ffff")
            return SessionPage([], total, after if total else None)
        limit = _ALL if query.limit is None else query.limit
        rows = await self._list(scope, named=query.named, after=place, most=limit + 1)
        faults = Faults()
        summaries = summaries_of_rows(rows[:limit], faults)
        if query.with_text:
            for summary in summaries:
                await self._read_texts(summary)
        advance(len(summaries), len(summaries))
        if progress is not None:
            progress(len(summaries), len(summaries), {one.path: one for one in summaries})
        last = rows[limit - 1] if len(rows) > limit else None
        cursor = None if last is None else cursors.cursor(bound, (last.modified,), last.path)
        return SessionPage(summaries, total, cursor, tuple(faults))

    async def _count(self, scope: SessionScope, *, named: bool) -> int:
        rows = await self._database.rows(
            scope.directory,
            "SELECT sessiond.count(%s, %b, %s)",
            (*_place_of(scope), named),
        )
        return int(rows[0][0])

    async def _list(
        self,
        scope: SessionScope,
        *,
        named: bool = False,
        after: tuple[float, str] | None = None,
        most: int = _ALL,
    ) -> list[ListedRow]:
        modified, path = after or (None, None)
        rows = await self._database.rows(
            scope.directory,
            "SELECT * FROM sessiond.list(%s, %b, %s, %s, %s, %s)",
            (*_place_of(scope), named, modified, path, most),
        )
        return [ListedRow(*row) for row in rows]

    async def _some(self, path: str, names: Iterable[StoreName]) -> list[ListedRow]:
        """The rows of those of the sessions that are there; `path` is for error messages."""
        rows = await self._database.rows(
            path, "SELECT * FROM sessiond.some(%s)", ([name.session for name in names],)
        )
        return [ListedRow(*row) for row in rows]

    async def _read_texts(self, summary: Summary) -> None:
        texts = []
        for line in (await self._lines(summary.path)).split(b"\n"):
            message = message_of(0, line) if line else None
            if message is not None:
                texts.append(message.text)
        summary.texts = texts

    async def _lines(self, path: str) -> bytes:
        """All bytes of a session; empty if it was deleted meanwhile."""
        whole = await rows.read_whole(self._database, named(path))
        return b"" if whole is None else b"".join(whole[1])

    async def listing(self, scope: SessionScope) -> Listing:
        return await self.read(Listing(scope))

    async def read(self, before: Listing, reported: Collection[str] | None = None) -> Listing:
        scope, faults = before.scope, Faults(before.faults)
        failed = [fault.path for fault in before.faults]
        names = None if reported is None else [*map(parse_name, (*reported, *failed))]
        if names is None or None in names:
            summaries = summaries_of_rows(await self._list(scope), faults)
            sessions = {one.path: _unchanged(before, one) for one in summaries}
            return Listing(scope, sessions, faults=tuple(faults))
        some = await self._some(scope.directory, [name for name in names if name is not None])
        summaries = summaries_of_rows((row for row in some if scope.holds(row.path)), faults)
        sessions = dict(before.sessions)
        for path in reported or ():
            sessions.pop(path, None)
        for one in summaries:
            if scope.cwd is None or is_of(one.header, scope.cwd):
                sessions[one.path] = _unchanged(before, one)
        return Listing(scope, sessions, faults=tuple(faults))

    async def search(self, scope: SessionScope, query: SearchQuery) -> HitPage:
        return await search.search(self._database, scope, query)

    async def usage(
        self, summaries: Sequence[Summary], faults: Faults
    ) -> list[tuple[Summary, FileUsage]]:
        return await self._usages.get(summaries, faults)

    async def check(self, path: str) -> Checked:
        contents = await self._documents.read(path)
        return Checked(path, problems(contents.loaded, contents.tree))

    async def check_all(self, scope: SessionScope) -> list[Checked]:
        faults = Faults()
        checked = []
        for row in await self._list(scope):
            with faults.isolate(row.path):
                summary = summary_of_row(row)
                checked.append(await self.check(summary.path))
        return sorted([*checked, *map(failed, faults)], key=lambda one: one.path)

    async def summary(self, path: str) -> Summary:
        return summary_of_row(await self._row(path))

    async def _row(self, path: str) -> ListedRow:
        rows = await self._some(path, [named(path)])
        if not rows:
            raise SessionNotFound(path)
        return rows[0]

    async def size(self, path: str) -> int:
        return (await self._row(path)).size

    async def identity(self, path: str) -> Key:
        # Also a row that is no session can be deleted.
        row = await self._row(path)
        return state_of(named(path), Revision(row.generation, row.size), row.changed).key

    async def delete(
        self, path: str, env: Mapping[str, str], *, permanently: bool, force: bool
    ) -> None:
        del env, force
        name = named(path)
        rows = await self._database.rows(
            path, "SELECT sessiond.remove(%s, %s)", (name.session, permanently)
        )
        if not rows[0][0]:
            raise SessionNotFound(path)
        self._stored(name)

    async def restore(self, path: str, env: Mapping[str, str]) -> None:
        del env
        name = named(path)
        rows = await self._database.rows(path, "SELECT sessiond.restore(%s)", (name.session,))
        match rows[0][0]:
            case "missing":
                raise SessionNotFound(path)
            case "exists":
                raise AlreadyExists(path)
        self._stored(name)

    async def trashed(
        self, scope: SessionScope, env: Mapping[str, str], faults: Faults
    ) -> list[TrashedSummary]:
        del env
        rows = await self._database.rows(
            scope.directory, "SELECT * FROM sessiond.trashed(%s, %b)", _place_of(scope)
        )
        trashed = []
        for *columns, deleted in rows:
            row = ListedRow(*columns)
            with faults.isolate(row.path):
                at = datetime.fromtimestamp(deleted, UTC).isoformat()
                item = Trashed(at, recorded_ns=0, file=row.path, info="", origin=row.path)
                trashed.append(TrashedSummary(item, summary_of_row(row)))
        return trashed

    def expect_search(self, summaries: Iterable[Summary]) -> None:
        """Prepare nothing: the database has the texts of all sessions."""

    def tidy(self, *, again: bool = False) -> None:
        """Forget nothing: the database does it."""

    async def settle(self, within: float) -> None:
        """Return at once."""

    async def close(self) -> None:
        """Stop nothing: `DatabaseStore` closes the connections."""


def _place_of(scope: SessionScope) -> tuple[list[str] | None, bytes | None]:
    namespaces = scope.namespaces if isinstance(scope, NamespaceScope) else []
    return namespaces, None if scope.cwd is None else encode(scope.cwd)


def _unchanged(before_all: Listing, summary: Summary) -> Summary:
    """The known summary if the session has not changed, so that comparing finds no change."""
    before = before_all.sessions.get(summary.path)
    return before if before is not None and before.state == summary.state else summary
