"""Search the sessions of the store: the database finds, counts and pages them, local rules rank.

Words and phrases are found as on files, anywhere in the folded text, fast where the server has
pg_trgm. Regular expressions are those of JavaScript, which the database does not know.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

import attrs
import msgspec

from sessiond.catalog.message_text import beside
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.find import Clean, Hit, after, in_order
from sessiond.catalog.search.folding import encode, fold, storable
from sessiond.catalog.search.fuzzy import swapped
from sessiond.catalog.search.pages import HitPage, SearchQuery, without_copies
from sessiond.catalog.search.query import ANY_TEXT, ELSEWHERE, Query, Token
from sessiond.catalog.search.snippets import (
    BRANCH_BYTES,
    MESSAGES,
    Snippet,
    best_places,
    cleaned,
    matching_places,
    of_tokens,
    placed,
)
from sessiond.catalog.summaries import Summary
from sessiond.catalog.wanted_texts import WantedTexts
from sessiond.files import workers
from sessiond.files.contents import Contents
from sessiond.format.line_texts import texts_of
from sessiond.format.load import Loader, NotASession
from sessiond.postgres.catalog.scope import NamespaceScope
from sessiond.postgres.database import Database
from sessiond.postgres.documents import named
from sessiond.postgres.names import PREFIX
from sessiond.postgres.rows import ListedRow, summary_of_row
from sessiond.runtime.errors import TimedOut, Unsupported
from sessiond.runtime.isolation import Faults
from sessiond.runtime.limits import SEARCH_SECONDS

_SPECIAL = re.compile(r"[\\%_]")

_TextKey = tuple[int, int]
"""The start of a text's line, and its number in the line."""

_Matching = dict[_TextKey, set[str]]
"""The texts of a session that match, and what of the query is in each."""


@attrs.frozen
class _Run:
    """One search: who is asked for what, and until when."""

    database: Database
    scope: SessionScope
    query: Query
    wanted: WantedTexts
    until: float
    clean: Clean | None

    async def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises TimedOut."""
        left = self.until - asyncio.get_running_loop().time()
        if left <= 0:
            raise TimedOut("The search takes too long; ask for something simpler")
        return await self.database.rows(
            self.scope.directory, statement, values, limit=left, cancels=True
        )

    async def rows_for_hits(
        self, function: str, hits: Sequence[Hit], *more: object
    ) -> list[tuple[Any, ...]]:
        """The rows of a function that takes sessions and generations."""
        sessions = [named(hit.summary.path).session for hit in hits]
        generations = [hit.summary.state.ctime_ns for hit in hits]
        return await self.rows(function, sessions, generations, *more)


async def search(database: Database, scope: SessionScope, search_query: SearchQuery) -> HitPage:
    """Return one page of the hits. Raises Unsupported for regular expressions, and InvalidQuery.

    When time runs out, `faults` has the sessions that were not searched.
    """
    query, faults = search_query.query, Faults()
    if query.expression is not None:
        raise Unsupported(
            "Regular expressions are not searched in the store: the database does not know those"
            " of JavaScript",
            scope.directory,
            "search for words or a phrase, or export the sessions",
        )
    if not query.parts and not search_query.wanted.is_all_that_was_said:
        query = ANY_TEXT
    until = asyncio.get_running_loop().time() + SEARCH_SECONDS
    run = _Run(database, scope, query, search_query.wanted, until, search_query.clean)
    try:
        return await _page(run, search_query, faults)
    except TimedOut:
        # The database does not say how far it was.
        faults.leave_out(scope.directory)
        return HitPage([], None, 0, 0, faults)


async def _page(run: _Run, search_query: SearchQuery, faults: Faults) -> HitPage:
    # Most hits have the same distance, so the database needs to send only a page of them.
    most = None if search_query.holds is not None else search_query.limit
    candidates = await _candidates(run, search_query, faults, most)
    if faults and most is not None:
        # Without its bad rows a page would be too short, or empty.
        candidates = await _candidates(run, search_query, faults, None)
    hits, maybe_branched = candidates.hits, candidates.maybe_branched
    matching: dict[str, _Matching] = {}
    if search_query.wanted.of_current_branch:
        matching = await _on_current_branch(run, [*maybe_branched.values()], faults)
        lost = maybe_branched.keys() - matching.keys()
        hits, maybe_branched = [hit for hit in hits if hit.summary.path not in lost], {}
    hits = in_order(hits)
    rest = after(hits, search_query.after)
    hits_shown = rest[: search_query.limit]
    try:
        pieces = await _snippets(run, hits_shown, matching, maybe_branched, faults)
    except TimedOut:
        pieces = [[] for _ in hits_shown]
        for hit in hits_shown:
            faults.leave_out(hit.summary.path)
    page = without_copies(zip(hits_shown, pieces, strict=True), faults)
    copies = len(hits_shown) - len(page)
    count = len(rest) + candidates.later
    last = hits_shown[-1] if 0 < len(hits_shown) < count else None
    total = len(hits) + candidates.others - copies
    return HitPage(page, last, count - copies, total, faults)


@attrs.frozen
class _Candidates:
    """Hits of which a page is one part."""

    hits: list[Hit]
    maybe_branched: dict[str, Hit]
    """The hits, by path, whose sessions may have entries beside the current branch."""
    others: int
    """How many hits there are besides."""
    later: int
    """How many of those are on later pages."""


async def _candidates(
    run: _Run, search_query: SearchQuery, faults: Faults, most: int | None
) -> _Candidates:
    """Ask the database for hits.

    `most`: of those of equal distance; None: all.
    """
    assert isinstance(run.scope, NamespaceScope)  # noqa: S101 - made by the places of this store
    query, by_fields = run.query, run.wanted.is_all_that_was_said
    distance = ELSEWHERE * len(query.tokens)
    modified = path = None
    if search_query.after is not None and most is not None:
        (last, _, negative), after = search_query.after
        if last == distance:
            modified, path = -negative, after.removeprefix(PREFIX)
        elif last > distance:
            modified, path = -inf, ""
    rows = await run.rows(
        "SELECT * FROM sessiond.search(%s, %b, %s::text[], %s::text[], %s::jsonb, %s, %s, %s)",
        run.scope.namespaces,
        None if run.scope.cwd is None else encode(run.scope.cwd),
        [containing(token.text) for token in query.tokens],
        ["\n".join(_in_fields(token)) for token in query.tokens] if by_fields else None,
        _as_json(run.wanted),
        modified,
        path,
        most,
    )
    total, rest, *_ = rows[0]
    hits: list[Hit] = []
    maybe_branched: dict[str, Hit] = {}
    plain = 0
    for _, _, is_plain, held, *columns in rows:
        if is_plain is None:
            # Only the counts: the page is empty.
            continue
        plain += is_plain
        row = ListedRow(*columns)
        with faults.isolate(row.path):
            summary = summary_of_row(row)
            if search_query.holds is not None and not search_query.holds(summary):
                continue
            score = distance if is_plain else _score(query, summary, set(held))
            if score is not None:
                hits.append(Hit(summary, score))
                if 0 not in held:
                    maybe_branched[row.path] = hits[-1]
    return _Candidates(hits, maybe_branched, total - plain, rest - plain)


def _as_json(scope: WantedTexts) -> str:
    return msgspec.json.encode(
        {
            "fields": scope.fields,
            "roles": scope.roles,
            "tools": [*map(storable, scope.tools)],
            "files": [*map(storable, scope.files)],
            "since": scope.since,
            "until": scope.until,
            "model": storable(scope.model),
            "of_current_branch": scope.of_current_branch,
        }
    ).decode()


def _in_fields(token: Token) -> list[str]:
    """How the database finds a token in the fields of a session; patterns of LIKE."""
    if token.scattered:
        return [_scattered(text) for text in (token.text, swapped(token.text)) if text]
    return [containing(token.text)]


def containing(text: str) -> str:
    """A pattern of LIKE for what contains a text."""
    return "%" + _escaped(text) + "%"


def _scattered(text: str) -> str:
    return "%" + "".join(_escaped(char) + "%" for char in text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", storable(text))


def _score(query: Query, summary: Summary, held: set[int]) -> float | None:
    """The sum of the tokens' scores by the local rules; None if one of them is not found."""
    total = 0.0
    for number, token in enumerate(query.tokens, 1):
        score = token.field_score(summary)
        if score is None:
            score = ELSEWHERE if number in held else token.scattered_score(summary)
        if score is None:
            return None
        total += score
    return total


def _batches(hits: Sequence[Hit]) -> Iterator[list[Hit]]:
    """Hits whose sessions are small enough to be in memory together."""
    batch: list[Hit] = []
    size = 0
    for hit in hits:
        if batch and size + hit.summary.state.size > BRANCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(hit)
        size += hit.summary.state.size
    if batch:
        yield batch


async def _on_current_branch(
    run: _Run, hits: Sequence[Hit], faults: Faults
) -> dict[str, _Matching]:
    """The sessions, by path, whose wanted texts on the current branch hold all tokens."""
    on_branch: dict[str, _Matching] = {}
    for batch in _batches(hits):
        for hit, data in await _contents(run, batch):
            with faults.isolate(hit.summary.path):
                matching = await workers.computing(len(data), _matching_on_branch, data, run)
                if set(run.query.texts) <= set().union(*matching.values()):
                    on_branch[hit.summary.path] = matching
    return on_branch


async def _contents(run: _Run, hits: Sequence[Hit]) -> list[tuple[Hit, bytes]]:
    """All bytes of those of the sessions that have not been replaced meanwhile."""
    rows = await run.rows_for_hits("SELECT * FROM sessiond.contents(%s, %s::integer[])", hits)
    return [(hits[number - 1], data + b"\n") for number, data in rows]


def _matching_on_branch(data: bytes, run: _Run) -> _Matching:
    elsewhere = _beside_branch(data)
    start, messages = 0, []
    for line in data.split(b"\n"):
        messages += [
            ((each.start, each.part), fold(each.text))
            for each in texts_of(start, line)
            if run.wanted.has(each) and each.entry_id not in elsewhere
        ]
        start += len(line) + 1
    return matching_places(messages, run.query.texts)


def _beside_branch(data: bytes) -> frozenset[str]:
    """The ids of the entries that are not on the branch that a session is opened at."""
    loader = Loader()
    try:
        loader.feed(data)
        loaded = loader.finish()
    except NotASession:
        return frozenset()
    return frozenset() if loaded.header is None else beside(Contents.of(loaded, b""))


async def _snippets(
    run: _Run,
    hits: Sequence[Hit],
    matching: Mapping[str, _Matching],
    maybe_branched: Mapping[str, Hit],
    faults: Faults,
) -> list[list[Snippet]]:
    """For each hit, pieces of the texts that hold the most tokens, in their order.

    `matching`: the places that are known already. `maybe_branched`: where pieces may be beside the
    current branch.
    """
    pieces: dict[str, list[Snippet]] = {hit.summary.path: [] for hit in hits}
    if not hits or not run.query.texts:
        return list(pieces.values())
    unknown = [hit for hit in hits if hit.summary.path not in matching]
    texts = {**matching, **(await _places(run, unknown) if unknown else {})}
    for batch in _batches(hits):
        places = [(hit, *place) for hit in batch for place in best_places(texts[hit.summary.path])]
        rows = await run.rows_for_hits(
            "SELECT * FROM sessiond.lines_at(%s, %s::integer[], %s::bigint[])",
            [hit for hit, *_ in places],
            [start for _, start, _ in places],
        )
        lines: dict[str, list[tuple[int, int, bytes]]] = defaultdict(list)
        for number, line in rows:
            hit, start, part = places[number - 1]
            lines[hit.summary.path].append((start, part, line))
        for hit in batch:
            hit.matches, own = len(texts[hit.summary.path]), lines[hit.summary.path]
            with faults.isolate(hit.summary.path):
                pieces[hit.summary.path] = await workers.computing(
                    sum(len(line) for *_, line in own), _pieces, own, run.query.texts, run.clean
                )
    await _mark_branches(
        run, [hit for hit in hits if pieces[hit.summary.path]], maybe_branched, pieces, faults
    )
    return list(pieces.values())


async def _mark_branches(
    run: _Run,
    hits: Sequence[Hit],
    maybe_branched: Mapping[str, Hit],
    pieces: dict[str, list[Snippet]],
    faults: Faults,
) -> None:
    """Tell which pieces are of the current branch, as far as that needs not too many bytes."""
    read = [hit for hit in hits if hit.summary.path in maybe_branched]
    sizes = itertools.accumulate(hit.summary.state.size for hit in read)
    small = [hit for hit, size in zip(read, sizes, strict=True) if size <= BRANCH_BYTES]
    plain = {hit.summary.path for hit in hits} - maybe_branched.keys()
    beside = dict.fromkeys(plain, frozenset[str]())
    for hit, data in await _contents(run, small) if small else ():
        with faults.isolate(hit.summary.path):
            beside[hit.summary.path] = await workers.computing(len(data), _beside_branch, data)
    for path, ids in beside.items():
        pieces[path] = placed(pieces[path], ids)


def _pieces(
    lines: Iterable[tuple[int, int, bytes]], texts: Sequence[str], clean: Clean | None
) -> list[Snippet]:
    """A snippet of one text of each line, whose number in the line is given."""
    messages = (
        (each.entry_id, each)
        for start, part, line in lines
        for each in texts_of(start, line)
        if each.part == part
    )
    return of_tokens(cleaned(messages, clean), texts)


async def _places(run: _Run, hits: Sequence[Hit]) -> dict[str, _Matching]:
    """The first texts of each session that hold all tokens, and that hold each."""
    texts = run.query.texts
    rows = await run.rows_for_hits(
        "SELECT * FROM sessiond.places(%s, %s::integer[], %s::text[], %s::jsonb, %s)",
        hits,
        [*map(storable, texts)],
        _as_json(run.wanted),
        MESSAGES,
    )
    entries: dict[str, _Matching] = {hit.summary.path: {} for hit in hits}
    for number, start, part, token in rows:
        of_hit = entries[hits[number - 1].summary.path]
        # Token 0 stands for all of them.
        of_hit.setdefault((start, part), set()).update([texts[token - 1]] if token else texts)
    return entries
