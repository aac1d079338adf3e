"""Search the sessions of the store: the database finds candidates, the local rules rank them.

Words and phrases are found as on files, anywhere in the folded text, fast where the server has
pg_trgm. Regular expressions are those of JavaScript, which the database does not know.
"""

from __future__ import annotations

import re
from typing import Any

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.catalog.search.find import Clean, Hit
from sessiond.catalog.search.folding import encode
from sessiond.catalog.search.fuzzy import swapped
from sessiond.catalog.search.pages import HitPage, SearchQuery
from sessiond.catalog.search.query import ELSEWHERE, Query, Token
from sessiond.catalog.search.snippets import (
    MESSAGES,
    Snippet,
    best_places,
    cleaned,
    matching_places,
    of_tokens,
)
from sessiond.catalog.summaries import Summary
from sessiond.errors import Unsupported
from sessiond.format.line_texts import SAID, texts_of
from sessiond.isolation import Faults
from sessiond.limits import SEARCH_SECONDS
from sessiond.postgres.catalog.scope import NamespaceScope
from sessiond.postgres.database import Database
from sessiond.postgres.facts import clean
from sessiond.postgres.names import parse_name
from sessiond.postgres.rows import ListedRow, summary_of_row

_SPECIAL = re.compile(r"[\\%_]")


@attrs.frozen
class _Patterns:
    """How the database finds one token; the patterns of LIKE."""

    text: str
    """In the text of a message."""
    fields: list[str]
    """In the fields of a session."""


async def search(database: Database, scope: SessionScope, wanted: SearchQuery) -> HitPage:
    """One page of the hits. Raises Unsupported for regular expressions, and InvalidQuery."""
    query, faults = wanted.query, Faults()
    if query.expression is not None:
        raise Unsupported(
            "Regular expressions are not searched in the store: the database does not know those"
            " of JavaScript",
            scope.directory,
            "search for words or a phrase, or export the sessions",
        )
    if not wanted.wanted.is_all_that_was_said:
        raise Unsupported(
            "The store searches names, directories, and what user and assistant said",
            scope.directory,
            "search without fields, roles, tools, files and dates, or export the sessions",
        )
    hits = []
    for *columns, held in await _candidates(database, scope, query):
        row = ListedRow(*columns)
        with faults.isolate(row.path):
            summary = summary_of_row(row)
            if wanted.holds is not None and not wanted.holds(summary):
                continue
            score = _score(query, summary, set(held or ()))
            if score is not None:
                hits.append(Hit(summary, score))
    hits.sort(key=lambda hit: hit.rank)
    rest = hits
    if wanted.after is not None:
        rank, path = wanted.after
        rest = [
            hit for hit in hits if hit.rank > rank or (hit.rank == rank and hit.summary.path < path)
        ]
    shown = rest[: wanted.limit]
    pieces = [await _snippets(database, hit, query, wanted.clean) for hit in shown]
    return HitPage(list(zip(shown, pieces, strict=True)), len(rest), len(hits), faults)


async def _candidates(
    database: Database, scope: SessionScope, query: Query
) -> list[tuple[Any, ...]]:
    """Sessions in which each token may be, with the numbers of the tokens that messages hold."""
    assert isinstance(scope, NamespaceScope)  # noqa: S101 - made by the places of this store
    patterns = [_patterns(token) for token in query.tokens]
    return await database.rows(
        scope.directory,
        "SELECT * FROM sessiond.search(%s, %b, %s::text[], %s::text[], %s::text[])",
        (
            scope.namespaces,
            None if scope.cwd is None else encode(scope.cwd),
            [one.text for one in patterns],
            # Texts that extend over several messages are not found.
            [""] * len(patterns),
            ["\n".join(one.fields) for one in patterns],
        ),
        limit=SEARCH_SECONDS,
        cancels=True,
    )


def _patterns(token: Token) -> _Patterns:
    fields = [containing(token.text)]
    if token.scattered:
        fields = [_scattered(text) for text in (token.text, swapped(token.text)) if text]
    return _Patterns(containing(token.text), fields)


def containing(text: str) -> str:
    """A pattern of LIKE for what contains a text."""
    return "%" + _escaped(text) + "%"


def _scattered(text: str) -> str:
    return "%" + "".join(_escaped(char) + "%" for char in text)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", clean(text))


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


async def _snippets(
    database: Database, hit: Hit, query: Query, clean_text: Clean | None
) -> list[Snippet]:
    """Pieces of the messages that contain the most search texts, in their order."""
    name = parse_name(hit.summary.path)
    texts = query.texts
    if name is None or not texts:
        return []
    generation = hit.summary.state.ctime_ns
    found = await database.rows(
        hit.summary.path,
        "SELECT * FROM sessiond.messages(%s, %s, %s::text[], %s)",
        (name.session, generation, [*map(containing, texts)], MESSAGES * len(texts)),
        cancels=True,
    )
    matching = matching_places(found, list(map(clean, texts)))
    hit.matches, starts = len(matching), best_places(matching)
    lines = await database.rows(
        hit.summary.path,
        "SELECT * FROM sessiond.lines_at(%s, %s, %s::bigint[])",
        (name.session, generation, starts),
    )
    messages = [
        (text.entry_id, text)
        for start, line in lines
        for text in texts_of(start, line)
        if text.field == SAID
    ]
    return of_tokens(cleaned(messages, clean_text), texts)
