"""One page of search results, and the time that a search may take."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Collection, Sequence

import attrs

from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.listing import Listing
from sessiond.catalog.search.find import Clean, Found, Hit, after, search
from sessiond.catalog.search.query import Query
from sessiond.catalog.search.snippets import Snippet, snippets
from sessiond.catalog.summaries import Summary
from sessiond.catalog.wanted_texts import DEFAULT, WantedTexts
from sessiond.runtime.isolation import Fault, Faults, OutOfTime, go_on
from sessiond.runtime.limits import SEARCH_SECONDS, SNIPPET_SECONDS


@attrs.frozen
class SearchQuery:
    """A search: its words and filters, and which hits to return."""

    query: Query
    after: tuple[tuple[float, ...], str] | None
    """Rank and path of the last hit of the previous page."""
    limit: int
    holds: Callable[[Summary], bool] | None = None
    """Whether a session is searched; None: all are."""
    clean: Clean | None = None
    """Applied to the texts of which snippets are made; None: they are shown as they are."""
    wanted: WantedTexts = DEFAULT


@attrs.frozen
class HitPage:
    """The hits of one page with their snippets."""

    shown: Sequence[tuple[Hit, list[Snippet]]]
    rest: int
    """Number of hits on this page and after it."""
    total: int
    """Number of hits on all pages; of more than `CERTAIN` it may be a little too large."""
    faults: Faults
    """Found by this search."""
    known_faults: Collection[Fault] = ()
    """Found by the list before it."""


class Asked:
    """Called by the worker; raises if the request was cancelled or takes too long."""

    def __init__(self) -> None:
        self._until = math.inf

    def begin(self, seconds: float) -> None:
        """Start the time limit, or start it again."""
        self._until = time.monotonic() + seconds

    def __call__(self) -> None:
        go_on()
        if time.monotonic() > self._until:
            raise OutOfTime


def hit_page(
    listing: Listing, search_query: SearchQuery, cache: SearchCache | None, clock: Asked
) -> tuple[HitPage, Found]:
    """Search the listed sessions and make the snippets of one page. Blocking.

    When time runs out, what was found by then is returned, and `faults` has the rest. Raises what
    else `search` raises.
    """
    clock.begin(SEARCH_SECONDS)
    query, faults = search_query.query, Faults(listing.faults)
    sessions = listing.newest_first()
    if search_query.holds is not None:
        sessions = list(filter(search_query.holds, sessions))
    try:
        outcome = search(sessions, query, cache, clock, faults, wanted=search_query.wanted)
    except OutOfTime:
        # In the index, which does not tell how far it was.
        outcome = Found([], list(sessions))
        for summary in sessions:
            faults.leave_out(summary.path)
    clock.begin(SNIPPET_SECONDS)
    rest = after(outcome.hits, search_query.after)
    page: list[tuple[Hit, list[Snippet]]] = []
    false, left = 0, iter(rest)
    while some := list(itertools.islice(left, search_query.limit - len(page))):
        try:
            pieces = snippets(
                some,
                query,
                cache,
                clock,
                faults,
                clean=search_query.clean,
                wanted=search_query.wanted,
            )
        except OutOfTime:
            pieces = [[] for _ in some]
        page += [pair for pair in zip(some, pieces, strict=True) if not pair[0].is_false]
        false += sum(hit.is_false for hit in some)
    total = len(outcome.hits) - false
    return HitPage(page, len(rest) - false, total, faults, listing.faults), outcome
