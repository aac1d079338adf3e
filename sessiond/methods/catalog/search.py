"""`catalog/search`: find sessions by their fields and messages."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET
from sessiond_protocol.catalog import search as contract
from sessiond_protocol.wire import given

from sessiond.catalog import cursors
from sessiond.catalog.listing import problems, session_info
from sessiond.catalog.search.find import Clean, Hit, SearchProgress
from sessiond.catalog.search.pages import SearchQuery
from sessiond.catalog.search.query import Mode, parse
from sessiond.catalog.search.snippets import Snippet, in_units
from sessiond.catalog.summaries import Summary
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import scope_of

_LIMIT = 50
_BEFORE_ALL = (-1e300, 0.0)


async def search_(
    client: Client, params: contract.CatalogSearchParams
) -> contract.CatalogSearchResult:
    return await search_among(client, params)


async def search_among(
    client: Client,
    params: contract.CatalogSearchParams,
    *,
    holds: Callable[[Summary], bool] | None = None,
    progress: SearchProgress | None = None,
    clean: Clean | None = None,
) -> contract.CatalogSearchResult:
    """Search as `catalog/search`, with what `SearchQuery` describes."""
    mode: Mode = given(params.mode) or "text"
    query = parse(params.query, mode)
    scope = scope_of(client, params)
    bound = f"search|{scope}|{mode}|{params.query}"
    cursor, limit = given(params.cursor), given(params.limit)
    limit = _LIMIT if limit is None else limit
    # Reject bad cursors before searching.
    place = None if cursor is None else cursors.place(cursor, bound, 2)
    wanted = SearchQuery(query, place, limit, holds, progress, clean)
    page = await client.engine.catalogue.search(scope, wanted)
    more = None
    if limit == 0 < page.rest:
        more = cursor or cursors.cursor(bound, _BEFORE_ALL, "")
    elif limit < page.rest:
        last, _ = page.shown[-1]
        more = cursors.cursor(bound, last.rank, last.summary.path)
    return contract.CatalogSearchResult(
        hits=page.faults.each(
            page.shown,
            lambda found: found[0].summary.path,
            lambda found: _hit(client, *found),
        ),
        total=page.total,
        nextCursor=UNSET if more is None else more,
        problems=problems([*page.known_faults, *page.faults]),
    )


def _hit(client: Client, hit: Hit, pieces: list[Snippet]) -> contract.SearchHit:
    encoding = client.listener.position_encoding
    return contract.SearchHit(
        info=session_info(hit.summary, client.in_use.others(hit.summary.state.key)),
        distance=hit.distance,
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


METHODS: dict[str, Handler] = {"catalog/search": search_}
