"""One page of search results, and the time that a search may take."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

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

_LEAST_CERTAIN = 32
"""Characters of an id that no two entries share by chance, as a UUID."""


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
    last: Hit | None
    """The last hit of this page, which may be a copy; None: there are no further ones."""
    rest: int
    """Number of hits on this page and after it."""
    total: int
    """Number of hits on all pages, without the copies on this one; see `CERTAIN`."""
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
    count, left = 0, iter(rest)
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
        true = [pair for pair in zip(some, pieces, strict=True) if not pair[0].is_false]
        page = without_copies([*page, *true], faults)
        count += len(some)
    left_out = count - len(page)
    last = rest[count - 1] if 0 < count < len(rest) else None
    total = len(outcome.hits) - left_out
    return HitPage(page, last, len(rest) - left_out, total, faults, listing.faults), outcome


def without_copies(
    page: Iterable[tuple[Hit, list[Snippet]]], faults: Faults
) -> list[tuple[Hit, list[Snippet]]]:
    """Keep the first of several hits with the same texts of the same entries; it gets the others.

    A fork has the entries of the session that it was made from. The ids of pi's entries are short,
    so sessions with such ids must have a common origin, too. Hits for which that cannot be told are
    left out and noted in `faults`.
    """
    pairs = list(page)
    parents = {hit.summary.path: hit.summary.header.parent_session for hit, _ in pairs}
    firsts: dict[object, Hit] = {}
    kept = []
    for hit, pieces in pairs:
        with faults.isolate(hit.summary.path):
            ids = [each.entry_id for each in pieces]
            is_certain = all(len(each) >= _LEAST_CERTAIN for each in ids)
            origin = "" if is_certain else _origin(hit.summary.path, parents)
            key = origin, hit.matches, *((each.entry_id, each.text) for each in pieces)
            first = firsts.setdefault(key, hit) if ids and all(ids) else hit
            if first is hit:
                kept.append((hit, pieces))
            else:
                first.copies.append(hit.summary)
    return kept


def _origin(path: str, parents: Mapping[str, str | None]) -> str:
    """Return the session from which others were forked until this one, as far as it is known."""
    for _ in range(len(parents)):
        parent = parents.get(path)
        if parent is None:
            break
        path = parent
    return path
