"""Find sessions by their fields first, then by the text of their messages.

The listing is authoritative for which sessions exist and for their fields. The index only saves
reading the files whose current text it contains; all other files are read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import apsw
import attrs

from sessiond.catalog.index import reader
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.message_text import (
    Alive,
    MessageText,
    Screen,
    read_messages,
    screen_for,
)
from sessiond.catalog.search.expression import Expression
from sessiond.catalog.search.folding import fold
from sessiond.catalog.search.query import ELSEWHERE, Query, Token
from sessiond.catalog.summaries import Summary
from sessiond.errors import InvalidQuery
from sessiond.isolation import Faults


@attrs.frozen
class Hit:
    """A session that matches; lower scores are better."""

    summary: Summary
    score: float
    rank: tuple[float, float] = attrs.field(init=False)
    """Sort key: the best score first, then the latest activity (as pi 1.5.2)."""

    @rank.default
    def _rank(self) -> tuple[float, float]:
        return self.score, -self.summary.modified


@attrs.frozen
class Found:
    """The hits, best first, and the sessions whose text is not in the index yet."""

    hits: list[Hit]
    unindexed: list[Summary]


@attrs.define(eq=False)
class _Candidate:
    """A session with its score for each token; None: no field contains the token."""

    summary: Summary
    scores: list[float | None]
    number: int | None = None
    """Its number in the index, if the index contains all of its text."""


@attrs.frozen
class SearchRun:
    """The index connection, callbacks and faults of one search."""

    connection: apsw.Connection | None
    numbers: dict[str, int | None]
    """Numbers in the index by path; None for sessions whose current text it does not contain."""
    alive: Alive
    faults: Faults

    def holding(self, text: str, asked: set[int]) -> set[int]:
        """The sessions of `asked` whose messages contain the text, according to the index."""
        if self.connection is None or not asked:
            return set()
        return reader.holding(self.connection, text, asked, self.alive)


def search(
    sessions: Sequence[Summary],
    query: Query,
    store: Store | None,
    alive: Alive,
    faults: Faults | None = None,
) -> Found:
    """Search the sessions (newest first). Blocking.

    A session whose text cannot be read is searched by its fields only, and noted in `faults`.
    Raises InvalidQuery, ReadFailed if the process for expressions cannot be started, and whatever
    `alive` raises.
    """
    faults = Faults() if faults is None else faults
    with query.running(alive):
        if store is not None:
            with contextlib.suppress(Unavailable), store.connection(alive=alive) as connection:
                # A transaction, so that concurrent writes do not change the index meanwhile.
                connection.execute("BEGIN")
                try:
                    return _ranked(sessions, query, connection, alive, faults)
                finally:
                    connection.execute("ROLLBACK")
            # A statement that `alive` interrupted fails like any other: raise the reason.
            alive()
        return _ranked(sessions, query, None, alive, faults)


def _ranked(
    sessions: Sequence[Summary],
    query: Query,
    connection: apsw.Connection | None,
    alive: Alive,
    faults: Faults,
) -> Found:
    known = {} if connection is None else reader.numbers(connection)
    numbers: dict[str, int | None] = dict.fromkeys((item.path for item in sessions), None)
    for item in sessions:
        with faults.isolate(item.path):
            numbers[item.path] = known.get(reader.identity(item.state))
    work = SearchRun(connection, numbers, alive, faults)
    if query.expression is not None:
        hits = _matching(sessions, query.expression, work)
    else:
        hits = _holding(sessions, query.tokens, work)
    unindexed = [item for item in sessions if numbers[item.path] is None]
    return Found(sorted(hits, key=lambda hit: hit.rank), unindexed)


def _holding(sessions: Sequence[Summary], tokens: Sequence[Token], work: SearchRun) -> list[Hit]:
    """The sessions that contain every token: by their fields, then the index, then their files."""
    candidates = _candidates(sessions, tokens, work)
    for place, token in enumerate(tokens):
        candidates = _settled_by_index(candidates, place, token, work)
    complete = []
    for item in candidates:
        work.alive()
        with work.faults.isolate(item.summary.path):
            if None not in item.scores or _read(item, tokens, work):
                complete.append(item)
    # The order of the additions decides the last bits: that of the tokens.
    return [Hit(item.summary, sum((x or 0.0 for x in item.scores), 0.0)) for item in complete]


def _candidates(
    sessions: Sequence[Summary], tokens: Sequence[Token], work: SearchRun
) -> list[_Candidate]:
    """Every session, each token scored by its fields."""
    candidates = []
    for summary in sessions:
        work.alive()
        with work.faults.isolate(summary.path):
            scores = [token.field_score(summary) for token in tokens]
            candidates.append(_Candidate(summary, scores, work.numbers[summary.path]))
    return candidates


def _settled_by_index(
    candidates: list[_Candidate], place: int, token: Token, work: SearchRun
) -> list[_Candidate]:
    """The candidates that may contain a token; those that are indexed get their score for it."""
    asked = {
        item.number for item in candidates if item.number is not None and item.scores[place] is None
    }
    numbers_with_token = work.holding(token.text, asked)
    left = []
    for item in candidates:
        with work.faults.isolate(item.summary.path):
            held = item.number in numbers_with_token
            if item.number is None or _settle(item, place, token, held=held):
                left.append(item)
    return left


def _settle(item: _Candidate, place: int, token: Token, *, held: bool) -> bool:
    """Score a token that no field contains, by the messages; whether it is found."""
    if item.scores[place] is None:
        item.scores[place] = ELSEWHERE if held else token.scattered_score(item.summary)
    return item.scores[place] is not None


def _read(item: _Candidate, tokens: Sequence[Token], work: SearchRun) -> bool:
    """Search the file for the tokens that no field contains; whether all are found."""
    missing = {token for token, score in zip(tokens, item.scores, strict=True) if score is None}
    # A phrase may span several messages, a word cannot.
    across = any(token.phrase for token in missing)
    screen = None if across else screen_for([token.text for token in missing])
    texts = []
    for message in messages_of(item.summary.path, work, screen):
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


def messages_of(path: str, work: SearchRun, screen: Screen | None = None) -> Iterator[MessageText]:
    # A file removed since it was listed has none; messages read before a failure count.
    with work.faults.isolate(path):
        for message in read_messages(path, screen, work.alive):
            work.alive()
            yield message


def _matching(sessions: Sequence[Summary], expression: Expression, work: SearchRun) -> list[Hit]:
    hits, others = _by_field(sessions, expression, work)
    for part in expression.required():
        # A file that lacks a part of every match need not be read.
        asked = {number for item in others if (number := work.numbers[item.path]) is not None}
        if work.connection is None or not asked:
            break
        held = {None} | work.holding(part, asked)
        others = [item for item in others if work.numbers[item.path] in held]
    for summary in others:
        work.alive()
        with work.faults.isolate(summary.path, InvalidQuery):
            text = " ".join(message.text for message in messages_of(summary.path, work))
            if text and expression.matching([text]):
                hits.append(Hit(summary, ELSEWHERE))
    return hits


def _by_field(
    sessions: Sequence[Summary], expression: Expression, work: SearchRun
) -> tuple[list[Hit], list[Summary]]:
    """The sessions whose name, id or working directory matches, and all others."""
    fields: list[tuple[Summary, str, str, str]] = []
    for item in sessions:
        with work.faults.isolate(item.path):
            fields.append((item, item.name or "", item.header.id, item.header.cwd or ""))
    matching = expression.matching([text for _, *texts in fields for text in texts])
    hits, others = [], []
    for summary, name, *elsewhere in fields:
        if name and name in matching:
            hits.append(Hit(summary, 0.0))
        elif not matching.isdisjoint(elsewhere):
            hits.append(Hit(summary, ELSEWHERE))
        else:
            others.append(summary)
    return hits, others
