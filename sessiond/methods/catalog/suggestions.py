"""Other searches that find something, for one that finds nothing."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from difflib import get_close_matches
from typing import Any

from msgspec import UNSET
from sessiond_protocol.catalog import search as contract
from sessiond_protocol.wire import given

from sessiond.catalog.search.query import TITLE
from sessiond.catalog.summaries import Summary
from sessiond.files import workers
from sessiond.format.line_texts import FIELDS
from sessiond.methods.client import Client
from sessiond.methods.session.list import scope_of

Search = Callable[[contract.CatalogSearchParams], Awaitable[contract.CatalogSearchResult]]

_MOST = 3
_MOST_WORDS = 8
"""A longer query is not tried without each of its words."""
_HITS = 20
"""Hits whose snippets tell in which fields a text is."""
_WORD = re.compile(r"\w{3,40}")
_MOST_SPELLINGS = 20_000
_CLOSE = 0.75
"""The similarity of two words, of at most 1, from which one may be the other misspelled."""


async def suggest(
    client: Client, params: contract.CatalogSearchParams, search: Search
) -> list[contract.SearchSuggestion]:
    """Return at most three searches with their numbers of hits, the most similar first."""
    suggestions: list[contract.SearchSuggestion] = []
    searching = _changed(params, suggest=UNSET, cursor=UNSET, limit=0)
    async for each in _tries(client, searching, search):
        suggestions.append(each)
        if len(suggestions) == _MOST:
            break
    return suggestions


def _changed(params: contract.CatalogSearchParams, **members: Any) -> contract.CatalogSearchParams:
    return contract.CatalogSearchParams(**{**vars(params), **members})


async def _tries(
    client: Client, params: contract.CatalogSearchParams, search: Search
) -> AsyncIterator[contract.SearchSuggestion]:
    if not any(map(given, (params.fields, params.roles, params.tools, params.files, params.model))):
        result = await search(_changed(params, fields=list(FIELDS), limit=_HITS))
        if result.total:
            there = {piece.field for hit in result.hits for piece in hit.snippets}
            fields = [field for field in FIELDS if field in there]
            yield contract.SearchSuggestion(query=params.query, total=result.total, fields=fields)
    if given(params.cwd) is not None:
        result = await search(_changed(params, cwd=UNSET))
        if result.total:
            yield contract.SearchSuggestion(query=params.query, total=result.total, everywhere=True)
    words = list(dict.fromkeys(params.query.split()))
    if given(params.mode) == "regex" or '"' in params.query:
        return
    listing = await client.engine.catalogue.listing(scope_of(client, params))
    spelled = await workers.scanning(_spelled, words, listing.newest_first())
    if spelled != words:
        query = " ".join(spelled)
        result = await search(_changed(params, query=query))
        if result.total:
            yield contract.SearchSuggestion(query=query, total=result.total)
            return
    if 1 < len(spelled) <= _MOST_WORDS:
        shorter = await _without_a_word(params, spelled, search)
        if shorter is not None:
            yield shorter


async def _without_a_word(
    params: contract.CatalogSearchParams, words: list[str], search: Search
) -> contract.SearchSuggestion | None:
    """Return the query without one of its words, where that leaves the fewest hits."""
    queries = [" ".join(each for each in words if each != word) for word in words]
    totals = {query: (await search(_changed(params, query=query))).total for query in queries}
    some = [query for query in queries if totals[query]]
    if not some:
        return None
    query = min(some, key=totals.__getitem__)
    return contract.SearchSuggestion(query=query, total=totals[query])


def _spelled(words: Collection[str], summaries: Iterable[Summary]) -> list[str]:
    """Return words of titles in place of similar ones that no title has. Blocking."""
    spellings: dict[str, None] = {}
    for summary in summaries:
        title = f"{summary.name or ''} {summary.first_message[:TITLE]}"
        spellings |= dict.fromkeys(_WORD.findall(title.lower()))
        if len(spellings) > _MOST_SPELLINGS:
            break
    return [_nearest(word, spellings) for word in words]


def _nearest(word: str, spellings: Collection[str]) -> str:
    lower = word.lower()
    if lower in spellings or not _WORD.fullmatch(word):
        return word
    similar = [each for each in spellings if abs(len(each) - len(word)) < 3]
    return next(iter(get_close_matches(lower, similar, n=1, cutoff=_CLOSE)), word)
