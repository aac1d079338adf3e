"""Finding sessions by what is in them: the fields at hand first, then the text of messages.

Which sessions there are and what they are called says a listing; the store only spares reading
the files of those whose text is indexed as it is now. All others are read.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence

import attrs

from sessiond.catalog import index
from sessiond.catalog.folding import fold
from sessiond.catalog.query import ELSEWHERE, Expression, Query, Token
from sessiond.catalog.snippets import Snippet, of_expression, of_tokens
from sessiond.catalog.store import Store, Unavailable
from sessiond.catalog.summaries import Summary
from sessiond.catalog.texts import Alive, Message, Screen, read_at, read_messages, screen_for
from sessiond.errors import SessiondError

SNIPPETS = 3
"""Snippets shown of one session, at most."""

_OCCURRENCES = 40

Identity = tuple[int, int, int, int, int]


@attrs.frozen
class Hit:
    """A session that was found; lower scores are better."""

    summary: Summary
    score: float

    @property
    def rank(self) -> tuple[float, float]:
        """Sorts hits, the best first; of the same score those active last (as pi 1.5.2)."""
        return self.score, -self.summary.modified


@attrs.frozen
class Found:
    """The hits, the best first, and the sessions whose text is not in the index yet."""

    hits: list[Hit]
    unindexed: list[Summary]


@attrs.define(eq=False)
class _Candidate:
    """A session on its way through the tokens; None: none of its fields has that one."""

    summary: Summary
    scores: list[float | None]
    number: int | None = None
    """Its number in the index, if all of its text is there."""


def search(sessions: Sequence[Summary], query: Query, store: Store | None, alive: Alive) -> Found:
    """Which of the sessions (newest first) are found. Blocking.

    Raises InvalidQuery and what `alive` raises.
    """
    if store is not None:
        with contextlib.suppress(Unavailable), store.connection() as connection:
            # One view of the index, whatever others write meanwhile.
            connection.execute("BEGIN")
            try:
                return _ranked(sessions, query, connection, alive)
            finally:
                connection.execute("ROLLBACK")
    return _ranked(sessions, query, None, alive)


def _ranked(
    sessions: Sequence[Summary], query: Query, connection: sqlite3.Connection | None, alive: Alive
) -> Found:
    known = {} if connection is None else index.numbers(connection)
    numbers = {item.path: known.get(index.identity(item.state)) for item in sessions}
    if query.expression is not None:
        hits = _matching(sessions, query.expression, connection, numbers, alive)
    else:
        hits = _holding(sessions, query.tokens, connection, numbers, alive)
    unindexed = [item for item in sessions if numbers[item.path] is None]
    return Found(sorted(hits, key=lambda hit: hit.rank), unindexed)


def _holding(
    sessions: Sequence[Summary],
    tokens: Sequence[Token],
    connection: sqlite3.Connection | None,
    numbers: dict[str, int | None],
    alive: Alive,
) -> list[Hit]:
    candidates = [
        _Candidate(
            summary,
            [token.field_score(summary) for token in tokens],
            numbers[summary.path],
        )
        for summary in sessions
    ]
    alive()
    for place, token in enumerate(tokens):
        asked = {
            item.number
            for item in candidates
            if item.number is not None and item.scores[place] is None
        }
        found = index.holding(connection, token.text, asked, alive) if connection and asked else ()
        candidates = [
            item
            for item in candidates
            if item.number is None or _settle(item, place, token, held=item.number in found)
        ]
    found_in = [
        item for item in candidates if None not in item.scores or _read(item, tokens, alive)
    ]
    # Added up in the order of the tokens, as the last bits depend on it.
    return [Hit(item.summary, sum((x or 0.0 for x in item.scores), 0.0)) for item in found_in]


def _settle(item: _Candidate, place: int, token: Token, *, held: bool) -> bool:
    """Score a token that no field has, now that the messages are known; whether it is found."""
    if item.scores[place] is None:
        item.scores[place] = ELSEWHERE if held else token.scattered_score(item.summary)
    return item.scores[place] is not None


def _read(item: _Candidate, tokens: Sequence[Token], alive: Alive) -> bool:
    """Look for the tokens that no field has in the file itself; whether all are found."""
    alive()
    missing = {token for token, score in zip(tokens, item.scores, strict=True) if score is None}
    # Phrases may stretch over several messages; no word does.
    across = any(token.phrase for token in missing)
    screen = None if across else screen_for([token.text for token in missing])
    texts = []
    for message in _messages(item.summary.path, screen):
        text = fold(message.text)
        missing = {token for token in missing if token.text not in text}
        if not missing:
            break
        if across and text:
            texts.append(text)
    if across:
        joined = " ".join(texts)
        missing = {token for token in missing if token.text not in joined}
    return all(
        _settle(item, place, token, held=token not in missing) for place, token in enumerate(tokens)
    )


def _messages(path: str, screen: Screen | None = None) -> Iterator[Message]:
    # One that went since it was listed has none.
    with contextlib.suppress(SessiondError, OSError):
        yield from read_messages(path, screen)


def _matching(
    sessions: Sequence[Summary],
    expression: Expression,
    connection: sqlite3.Connection | None,
    numbers: dict[str, int | None],
    alive: Alive,
) -> list[Hit]:
    scored = [(summary, expression.field_score(summary)) for summary in sessions]
    hits = [Hit(summary, score) for summary, score in scored if score is not None]
    others = [summary for summary, score in scored if score is None]
    for part in expression.required():
        # What lacks a text that is part of every match need not be read.
        asked = {number for item in others if (number := numbers[item.path]) is not None}
        if connection is None or not asked:
            break
        held = {None} | index.holding(connection, part, asked, alive)
        others = [item for item in others if numbers[item.path] in held]
    for summary in others:
        alive()
        text = " ".join(message.text for message in _messages(summary.path))
        if text and expression.found_in(text):
            hits.append(Hit(summary, ELSEWHERE))
    return hits


def snippets(hits: Sequence[Hit], query: Query, store: Store | None) -> list[list[Snippet]]:
    """For each hit the messages that say most of what was searched for, in their order. Blocking.

    Raises InvalidQuery.
    """
    if query.expression is not None:
        return [of_expression(_placed(hit.summary), query.expression, SNIPPETS) for hit in hits]
    texts = [token.text for token in query.tokens]
    if store is not None:
        with contextlib.suppress(Unavailable), store.connection() as connection:
            numbers = index.numbers(connection)
            return [_of_tokens(hit.summary, texts, connection, numbers) for hit in hits]
    return [_of_tokens(hit.summary, texts, None, {}) for hit in hits]


def _of_tokens(
    summary: Summary,
    texts: list[str],
    connection: sqlite3.Connection | None,
    numbers: dict[Identity, int],
) -> list[Snippet]:
    number = numbers.get(index.identity(summary.state))
    if connection is not None and number is not None:
        found = index.places(connection, number, texts, _OCCURRENCES)
    else:
        found = {}
        for message in _messages(summary.path):
            text = fold(message.text)
            if held := {part for part in texts if part in text}:
                found[message.start, message.length] = held
    best = sorted(found, key=lambda place: (-len(found[place]), place))[:SNIPPETS]
    return of_tokens(_lines(summary, sorted(best)), texts)


def _placed(summary: Summary) -> list[tuple[str, Message]]:
    places = [(message.start, message.length) for message in _messages(summary.path)]
    return _lines(summary, places)


def _lines(summary: Summary, places: list[tuple[int, int]]) -> list[tuple[str, Message]]:
    try:
        return read_at(summary.path, summary.state, places)
    except (SessiondError, OSError, ValueError):
        return []
