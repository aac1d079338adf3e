"""Finding sessions by what is in them."""

from __future__ import annotations

import asyncio

from msgspec import UNSET
from sessiond_protocol import search as contract
from sessiond_protocol.wire import given

from sessiond.catalog import cursors
from sessiond.catalog.listing import problems, session_info
from sessiond.catalog.query import Mode, parse
from sessiond.catalog.scope import Scope
from sessiond.catalog.search import Hit, search, snippets
from sessiond.catalog.snippets import Snippet, in_units
from sessiond.isolation import Abandoned, Faults
from sessiond.methods.app import App, Handler
from sessiond.methods.listing import everything, of_cwd, of_directory

_LIMIT = 50
_BEFORE_ALL = (-1e300, 0.0)


class _Asked:
    """Whether somebody still waits for the answer; called by the worker."""

    abandoned = False

    def __call__(self) -> None:
        if self.abandoned:
            raise Abandoned


async def search_(app: App, params: contract.CatalogSearchParams) -> contract.CatalogSearchResult:
    mode: Mode = given(params.mode) or "text"
    query = parse(params.query, mode)
    scope = _scope(app, params)
    bound = f"search|{scope}|{mode}|{params.query}"
    cursor, limit = given(params.cursor), given(params.limit)
    limit = _LIMIT if limit is None else limit
    # A cursor that is none is worth no search.
    place = None if cursor is None else cursors.place(cursor, bound, 2)
    asked = _Asked()
    try:
        listed = await app.listings.get(scope, progress=lambda *_: asked())
        faults = Faults(listed.faults)
        sessions, store = listed.newest_first(), app.indexer.store
        found = await asyncio.to_thread(search, sessions, query, store, asked, faults)
        app.indexer.want(found.unindexed)
        rest = [hit for hit in found.hits if place is None or _is_after(hit, *place)]
        shown = await asyncio.to_thread(snippets, rest[:limit], query, store, faults)
    finally:
        asked.abandoned = True
    more = None
    if limit == 0 < len(rest):
        more = cursor or cursors.cursor(bound, _BEFORE_ALL, "")
    elif limit < len(rest):
        last = rest[limit - 1]
        more = cursors.cursor(bound, last.rank, last.summary.path)
    return contract.CatalogSearchResult(
        hits=faults.each(
            zip(rest[:limit], shown, strict=True),
            lambda found: found[0].summary.path,
            lambda found: _hit(app, *found),
        ),
        total=len(found.hits),
        nextCursor=UNSET if more is None else more,
        problems=problems([*listed.faults, *faults]),
    )


def _is_after(hit: Hit, rank: tuple[float, ...], path: str) -> bool:
    # Of the same rank later names come first, as in lists.
    return hit.rank > rank or (hit.rank == rank and hit.summary.path < path)


def _hit(app: App, hit: Hit, pieces: list[Snippet]) -> contract.SearchHit:
    encoding = app.server.connection.position_encoding
    return contract.SearchHit(
        info=session_info(hit.summary, app.in_use.others(hit.summary.state.key)),
        score=hit.score,
        snippets=[
            contract.SearchSnippet(
                entryId=piece.entry_id,
                role="user" if piece.role == "user" else "assistant",
                text=piece.text,
                ranges=in_units(piece, encoding),
            )
            for piece in pieces
        ],
    )


def _scope(app: App, params: contract.CatalogSearchParams) -> Scope:
    cwd, directory = given(params.cwd), given(params.sessionDir)
    if cwd is not None:
        return of_cwd(app, cwd, directory)
    if directory is not None:
        return of_directory(app, directory)
    return everything(app)


METHODS: dict[str, Handler] = {"catalog/search": search_}
