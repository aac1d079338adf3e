"""`catalog/search`: find sessions by their fields and messages."""

from __future__ import annotations

import math
import time

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog import search as contract
from sessiond_protocol.wire import given

from sessiond.catalog import cursors
from sessiond.catalog.listing import problems, session_info
from sessiond.catalog.scope import Listing
from sessiond.catalog.search.find import Found, Hit, search
from sessiond.catalog.search.query import Mode, Query, parse
from sessiond.catalog.search.snippets import Snippet, in_units, snippets
from sessiond.errors import InvalidQuery
from sessiond.isolation import Abandoned, Faults
from sessiond.limits import SEARCH_SECONDS
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import scope_of

_LIMIT = 50
_BEFORE_ALL = (-1e300, 0.0)


class _OutOfTime(Abandoned):
    """The search has taken longer than `SEARCH_SECONDS`."""


class _Asked:
    """Called by the worker; raises if the answer is no longer wanted or takes too long."""

    def __init__(self) -> None:
        self.abandoned = False
        self._until = math.inf

    def begin(self) -> None:
        """Start the time limit."""
        self._until = time.monotonic() + SEARCH_SECONDS

    def __call__(self) -> None:
        if self.abandoned:
            raise Abandoned
        if time.monotonic() > self._until:
            raise _OutOfTime


@attrs.frozen
class _HitPage:
    """The hits of one page with their snippets, and the result it is a page of."""

    shown: list[tuple[Hit, list[Snippet]]]
    rest: int
    """Number of hits on this page and after it."""

    found: Found
    faults: Faults


async def search_(
    client: Client, params: contract.CatalogSearchParams
) -> contract.CatalogSearchResult:
    mode: Mode = given(params.mode) or "text"
    query = parse(params.query, mode)
    scope = scope_of(client, given(params.cwd), given(params.sessionDir))
    bound = f"search|{scope}|{mode}|{params.query}"
    cursor, limit = given(params.cursor), given(params.limit)
    limit = _LIMIT if limit is None else limit
    # Reject bad cursors before searching.
    place = None if cursor is None else cursors.place(cursor, bound, 2)
    asked = _Asked()
    lane = client.engine.searching if query.expression is None else client.engine.matching
    try:
        listed = await client.engine.listings.get(scope, progress=lambda *_: asked())
    except BaseException:
        asked.abandoned = True
        raise
    try:
        page = await lane.run(_page, client, listed, query, (place, limit), asked)
    except _OutOfTime:
        # The next search for words is faster once the text is indexed.
        client.engine.indexer.want(listed.newest_first())
        raise InvalidQuery(
            f"The search takes longer than {SEARCH_SECONDS:.0f} seconds; ask for something simpler,"
            " or look in one directory"
        ) from None
    finally:
        asked.abandoned = True
    client.engine.indexer.want(page.found.unindexed)
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
        total=len(page.found.hits),
        nextCursor=UNSET if more is None else more,
        problems=problems([*listed.faults, *page.faults]),
    )


def _page(
    client: Client,
    listed: Listing,
    query: Query,
    wanted: tuple[tuple[tuple[float, ...], str] | None, int],
    asked: _Asked,
) -> _HitPage:
    """Search and make the snippets of one page: `wanted` is its start and its length."""
    place, limit = wanted
    asked.begin()
    store, sessions = client.engine.indexer.store, listed.newest_first()
    faults = Faults(listed.faults)
    with query.running(asked):
        result = search(sessions, query, store, asked, faults)
        rest = [hit for hit in result.hits if place is None or _is_after(hit, *place)]
        shown = rest[:limit]
        pieces = snippets(shown, query, store, asked, faults)
    return _HitPage(list(zip(shown, pieces, strict=True)), len(rest), result, faults)


def _is_after(hit: Hit, rank: tuple[float, ...], path: str) -> bool:
    # For equal ranks later paths come first, as in lists.
    return hit.rank > rank or (hit.rank == rank and hit.summary.path < path)


def _hit(client: Client, hit: Hit, pieces: list[Snippet]) -> contract.SearchHit:
    encoding = client.server.connection.position_encoding
    return contract.SearchHit(
        info=session_info(hit.summary, client.in_use.others(hit.summary.state.key)),
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


METHODS: dict[str, Handler] = {"catalog/search": search_}
