"""`catalog/search`: find sessions by their fields and messages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import cast

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog import search as contract
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import given

from sessiond.catalog import cursors
from sessiond.catalog.listing import problems
from sessiond.catalog.search.find import Clean, Hit
from sessiond.catalog.search.pages import SearchQuery
from sessiond.catalog.search.query import Mode, parse
from sessiond.catalog.search.snippets import Snippet, in_units
from sessiond.catalog.summaries import Summary
from sessiond.catalog.wanted_texts import WantedTexts, normal_files
from sessiond.format.line_texts import FIELDS, SAID
from sessiond.methods.client import Client
from sessiond.methods.dates import start_of, zone_of
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import scope_of
from sessiond.runtime.errors import InvalidParams
from sessiond.text.dates import iso_from_ms
from sessiond.text.safe import presentable

_LIMIT = 50
_BEFORE_ALL = (-1e300, 0.0, 0.0)


async def search_(
    client: Client, params: contract.CatalogSearchParams
) -> contract.CatalogSearchResult:
    result = await search_among(client, params)
    if not result.total and given(params.suggest):
        from sessiond.methods.catalog.suggestions import suggest

        again = functools.partial(search_among, client)
        result.suggestions = await suggest(client, params, again)
    return result


async def search_among(
    client: Client,
    params: contract.CatalogSearchParams,
    *,
    holds: Callable[[Summary], bool] | None = None,
    clean: Clean | None = None,
    between: tuple[float | None, float | None] = (None, None),
) -> contract.CatalogSearchResult:
    """Search as `catalog/search`, with what `SearchQuery` describes.

    `between` are times in milliseconds since the epoch, instead of the days of `params`.
    """
    mode: Mode = given(params.mode) or "text"
    query = parse(params.query, mode)
    scope = scope_of(client, params)
    texts, agent = _wanted(params), given(params.agent)
    if between != (None, None):
        texts = attrs.evolve(texts, since=between[0], until=between[1])
    if agent is not None:
        holds = _of_agent(client, agent, holds)
    bound = f"search|{scope}|{mode}|{params.query}|{texts}|{agent}"
    cursor, limit = given(params.cursor), given(params.limit)
    limit = _LIMIT if limit is None else limit
    # Reject bad cursors before searching.
    place = None if cursor is None else cursors.place(cursor, bound, 3)
    search_query = SearchQuery(query, place, limit, holds, clean, texts)
    page = await client.engine.catalogue.search(scope, search_query)
    more = None
    if limit == 0 < page.rest:
        more = cursor or cursors.cursor(bound, _BEFORE_ALL, "")
    elif page.last is not None:
        more = cursors.cursor(bound, page.last.rank, page.last.summary.path)
    return contract.CatalogSearchResult(
        hits=page.faults.each(
            page.shown,
            lambda found: found[0].summary.path,
            _hits(client),
        ),
        total=page.total,
        nextCursor=UNSET if more is None else more,
        problems=problems([*page.known_faults, *page.faults]),
    )


def _wanted(params: contract.CatalogSearchParams) -> WantedTexts:
    """The texts that a request asks for. Raises InvalidParams."""
    zone = zone_of(params.timezone)
    roles, tools = given(params.roles) or [], given(params.tools) or []
    files = given(params.files) or []
    fields: Iterable[str] | None = given(params.fields)
    model = (given(params.model) or "").lower()
    if not fields:
        fields = FIELDS if roles or tools or files or model else (SAID,)
    return WantedTexts(
        tuple(sorted(fields)),
        tuple(roles),
        tuple(tool.lower() for tool in tools),
        normal_files(files),
        start_of(params.since, "since", zone),
        start_of(params.until, "until", zone, days=1),
        model,
        given(params.currentBranch) or False,
    )


def _of_agent(
    client: Client, agent: str, holds: Callable[[Summary], bool] | None
) -> Callable[[Summary], bool]:
    """Return what also tells whether a session is one of an agent. Raises InvalidParams."""
    places = client.places
    names = [places.directories.agent.name, *(each.agent.name for each in places.others)]
    if agent not in names:
        raise InvalidParams(f"expected one of {', '.join(names)}", "$.agent")
    return lambda summary: (
        client.agent_of(summary.path) == agent and (holds is None or holds(summary))
    )


def _hits(client: Client) -> Callable[[tuple[Hit, list[Snippet]]], contract.SearchHit]:
    """Return what gives hits the form of the contract."""
    info, encoding = client.infos(), client.listener.position_encoding
    return lambda found: _hit(*found, info, encoding)


def _hit(
    hit: Hit, pieces: list[Snippet], info: Callable[[Summary], SessionInfo], encoding: str
) -> contract.SearchHit:
    return contract.SearchHit(
        info=info(hit.summary),
        distance=hit.distance,
        matchCount=hit.matches,
        hasMoreMatches=hit.has_more_matches or UNSET,
        alsoIn=[copy.path for copy in hit.copies] or UNSET,
        snippets=[
            contract.SearchSnippet(
                entryId=piece.entry_id,
                role=cast("contract.SearchRole", piece.role),
                text=presentable(piece.text),
                ranges=in_units(piece, encoding),
                field=UNSET if piece.field == SAID else cast("contract.SearchField", piece.field),
                time=UNSET if piece.time is None else iso_from_ms(piece.time) or UNSET,
                tool=piece.tool or UNSET,
                file=piece.file or UNSET,
                onCurrentBranch=False if piece.on_current_branch is False else UNSET,
            )
            for piece in pieces
        ],
    )


METHODS: dict[str, Handler] = {"catalog/search": search_}
