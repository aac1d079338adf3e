"""Find sessions by their fields first, then by the text of their messages.

The listing is authoritative for which sessions exist and for their fields. The index only saves
reading the files whose current text it contains; all other files are read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import apsw
import attrs

from sessiond.catalog.index import texts
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.message_text import (
    Alive,
    MessageText,
    Screen,
    read_messages,
    screen_for,
)
from sessiond.catalog.search.expression import Expression
from sessiond.catalog.search.fields import SearchFields, fields_of
from sessiond.catalog.search.folding import fold
from sessiond.catalog.search.query import ELSEWHERE, Query, Token
from sessiond.catalog.summaries import Summary
from sessiond.isolation import Faults

T = TypeVar("T")


Clean = Callable[[str], str]
"""Makes the text of a message fit to be shown. Called in a worker."""

SearchProgress = Callable[[int, int], None]
"""Called in a worker with the numbers of files done and of all: of those that are listed first, and
then again of those that must be searched."""


@attrs.define(eq=False)
class Hit:
    """A session that matches; lower scores are better."""

    summary: Summary
    distance: float

    @property
    def rank(self) -> tuple[float, float]:
        """Sort key: the least distance first, then the latest activity (as pi 1.5.2)."""
        return self.distance, -self.summary.modified


@attrs.frozen
class Found:
    """The hits, best first, and the sessions whose text is not in the index yet."""

    hits: list[Hit]
    unindexed: list[Summary]


_Numbers = list[int | None]
"""The number in the index of each session; None if that lacks its current text."""


@attrs.frozen
class SearchRun:
    """The index connection, callbacks and faults of one search."""

    connection: apsw.Connection | None
    alive: Alive
    faults: Faults
    progress: SearchProgress | None = None
    clean: Clean | None = None
    """Applied to the texts of which snippets are made."""

    def each(self, items: Sequence[T]) -> Iterator[T]:
        """The items, with a look at whether the search goes on, and a report, before each."""
        for done, item in enumerate(items):
            self.alive()
            if self.progress is not None:
                self.progress(done, len(items))
            yield item

    def holding(self, text: str, numbers: _Numbers, places: Sequence[int]) -> set[int]:
        """Return those of the places whose sessions contain the text, according to the index.

        `numbers` are the numbers of all sessions in the index. A session that another process has
        removed from the index meanwhile, to index it again, has None afterwards.
        """
        asked = {number for place in places if (number := numbers[place]) is not None}
        if self.connection is None or not asked:
            return set()
        held = texts.containing(self.connection, text, asked)
        gone = (asked - held).difference(texts.numbers(self.connection).values())
        for place in places if gone else ():
            if numbers[place] in gone:
                numbers[place] = None
        return {place for place in places if numbers[place] in held}


def search(
    sessions: Sequence[Summary],
    query: Query,
    store: Store | None,
    alive: Alive,
    faults: Faults | None = None,
    *,
    progress: SearchProgress | None = None,
) -> Found:
    """Search the sessions (newest first). Blocking.

    A session whose text cannot be read is searched by its fields only, and noted in `faults`.
    Raises what `alive` raises.
    """
    faults = Faults() if faults is None else faults
    if store is not None:
        with contextlib.suppress(Unavailable), store.connection(alive=alive) as connection:
            return _ranked(sessions, query, SearchRun(connection, alive, faults, progress))
        # A statement that `alive` interrupted fails like any other: raise the reason.
        alive()
    return _ranked(sessions, query, SearchRun(None, alive, faults, progress))


def _ranked(sessions: Sequence[Summary], query: Query, work: SearchRun) -> Found:
    fields = fields_of(sessions, work.faults)
    known = {} if work.connection is None else texts.numbers(work.connection)
    numbers: _Numbers = []
    for item in sessions:
        number = None
        with work.faults.isolate(item.path):
            number = known.get(texts.identity(item.state))
        numbers.append(number)
    if query.expression is not None:
        hits = _matching(fields, numbers, query.expression, work)
    else:
        hits = _holding(fields, numbers, query.tokens, work)
    unindexed = [item for item, number in zip(sessions, numbers, strict=True) if number is None]
    return Found(sorted(hits, key=lambda hit: (hit.distance, -hit.summary.modified)), unindexed)


def _holding(
    fields: SearchFields, numbers: _Numbers, tokens: Sequence[Token], work: SearchRun
) -> list[Hit]:
    """The sessions that contain every token: by their fields, then the index, then their files."""
    left = fields.places
    scores: list[dict[int, float]] = []
    for token in tokens:
        work.alive()
        found = fields.scores(token, work.faults)
        scores.append(found)
        held = work.holding(token.text, numbers, [place for place in left if place not in found])
        found |= dict.fromkeys(held, ELSEWHERE)
        if token.scattered:
            indexed = (place for place in left if numbers[place] is not None)
            _add_scattered(fields, indexed, token, found, work)
        left = [place for place in left if place in found or numbers[place] is None]
    hits = []
    for place in work.each(left):
        summary = fields.sessions[place]
        # Of an indexed session every token has its score.
        is_found = numbers[place] is not None or all(place in found for found in scores)
        if not is_found:
            with work.faults.isolate(summary.path):
                is_found = _read(summary, place, tokens, scores, work)
        if is_found:
            # The order of the additions decides the last bits: that of the tokens.
            hits.append(Hit(summary, sum([found[place] for found in scores], 0.0)))
    return hits


def _add_scattered(
    fields: SearchFields,
    places: Iterable[int],
    token: Token,
    found: dict[int, float],
    work: SearchRun,
) -> None:
    """Score sessions over whose fields the characters of a token are scattered."""
    for place in places:
        if place in found:
            continue
        work.alive()
        summary = fields.sessions[place]
        with work.faults.isolate(summary.path):
            score = token.scattered_score(summary)
            if score is not None:
                found[place] = score


def _read(
    summary: Summary,
    place: int,
    tokens: Sequence[Token],
    scores: Sequence[dict[int, float]],
    work: SearchRun,
) -> bool:
    """Search the file for the tokens that no field contains; whether all are found."""
    missing = {token for token, found in zip(tokens, scores, strict=True) if place not in found}
    for message in messages_of(summary.path, work, screen_for([token.text for token in missing])):
        text = fold(message.text)
        missing = {token for token in missing if token.text not in text}
        if not missing:
            break
    for token, found in zip(tokens, scores, strict=True):
        if place in found:
            continue
        score = token.scattered_score(summary) if token in missing else ELSEWHERE
        if score is None:
            return False
        found[place] = score
    return True


def messages_of(path: str, work: SearchRun, screen: Screen | None = None) -> Iterator[MessageText]:
    # A file removed since it was listed has none; messages read before a failure count.
    with work.faults.isolate(path):
        for message in read_messages(path, screen, work.alive):
            work.alive()
            yield message


def _matching(
    fields: SearchFields, numbers: _Numbers, expression: Expression, work: SearchRun
) -> list[Hit]:
    hits, places = _by_field(fields.sessions, expression, work)
    for part in expression.required():
        # A file that lacks a part of every match need not be read.
        held = work.holding(part, numbers, places)
        places = [place for place in places if place in held or numbers[place] is None]
    others = [fields.sessions[place] for place in places]
    for summary in work.each(others):
        with work.faults.isolate(summary.path):
            if any(expression.matches(each.text) for each in messages_of(summary.path, work)):
                hits.append(Hit(summary, ELSEWHERE))
    return hits


def _by_field(
    sessions: Sequence[Summary], expression: Expression, work: SearchRun
) -> tuple[list[Hit], list[int]]:
    """The sessions whose name, id or working directory matches, and the places of all others."""
    hits, others = [], []
    for place, item in enumerate(sessions):
        with work.faults.isolate(item.path):
            if item.name and expression.matches(item.name):
                hits.append(Hit(item, 0.0))
            elif expression.matches(item.header.id) or expression.matches(item.header.cwd or ""):
                hits.append(Hit(item, ELSEWHERE))
            else:
                others.append(place)
    return hits, others
