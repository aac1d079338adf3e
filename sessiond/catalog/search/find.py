"""Find sessions by their fields first, then by the text of their messages.

The listing is authoritative for which sessions exist and for their fields. The index only saves
reading the files whose current text it contains; all other files are read.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

import apsw
import attrs

from sessiond.catalog.index import texts
from sessiond.catalog.index.database import SearchCache, Unavailable
from sessiond.catalog.message_text import (
    Alive,
    Screen,
    beside_branch,
    read_messages,
)
from sessiond.catalog.search.folding import fold
from sessiond.catalog.search.query import ANY_TEXT, ELSEWHERE, Part, Query, Token
from sessiond.catalog.search.screen import absent_words, screen_for
from sessiond.catalog.summaries import Summary
from sessiond.catalog.wanted_texts import DEFAULT, WantedTexts
from sessiond.format.line_texts import SAID, MessageText
from sessiond.runtime.isolation import Faults, OutOfTime, advance

CERTAIN = 1_000
"""So many hits are compared with their texts before they are counted."""

Clean = Callable[[str], str]
"""Makes the text of a message fit to be shown. Called in a worker."""


@attrs.define(eq=False)
class Hit:
    """A session that matches; lower scores are better."""

    summary: Summary
    distance: float
    is_apart: bool = False
    """Whether no single text has all words that texts have; not known of very many hits."""
    matches: int = 0
    """Texts with any part of the query, as far as they were counted for the snippets."""
    has_more_matches: bool = False
    """Whether there are more than that."""
    unsure: frozenset[str] = frozenset()
    """The parts that the session's texts most probably contain; making its snippets tells for
    certain."""
    copies: list[Summary] = attrs.field(factory=list)
    """Other sessions with the same texts of the same entries, as forks have them."""
    is_false: bool = False
    """Whether making the snippets has shown that the texts do not contain what was unsure."""

    @property
    def rank(self) -> tuple[float, float, float]:
        """Sort key: the least distance first, as in pi 1.6.0, then hits with all words in one text.

        The latest activity breaks ties, as there.
        """
        return self.distance, float(self.is_apart), -self.summary.modified


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Sort by rank; of equal ranks later paths come first, as in lists."""
    by_path = sorted(hits, key=lambda hit: hit.summary.path, reverse=True)
    return sorted(by_path, key=lambda hit: (hit.distance, hit.is_apart, -hit.summary.modified))


def after(hits: list[Hit], reached: tuple[tuple[float, ...], str] | None) -> list[Hit]:
    """Return the hits after this rank and path, in their order; None: all."""
    if reached is None:
        return hits
    rank, path = reached
    return [
        hit for hit in hits if hit.rank > rank or (hit.rank == rank and hit.summary.path < path)
    ]


@attrs.frozen
class Found:
    """The hits, best first, and the sessions that are not in the index yet, small ones first."""

    hits: list[Hit]
    unindexed: list[Summary]


@attrs.frozen
class SearchRun:
    """The index connection, callbacks and faults of one search."""

    connection: apsw.Connection | None
    alive: Alive
    faults: Faults
    clean: Clean | None = None
    """Applied to the texts of which snippets are made."""
    wanted: WantedTexts = DEFAULT


@attrs.define(eq=False)
class _Candidate:
    """A session that has all parts of the query so far, as far as is known without its file."""

    summary: Summary
    number: int | None
    """In the index; None if that lacks its current text."""
    scores: list[float | None] = attrs.field(factory=list)
    """The hits of each part; None: its file must be read."""
    unsure: set[str] = attrs.field(factory=set)
    """See `Hit.unsure`."""
    in_texts: list[str] = attrs.field(factory=list)
    """The words that the index has in texts, and no field has."""
    is_apart: bool = False
    """See `Hit.is_apart`."""


def search(
    sessions: Sequence[Summary],
    query: Query,
    cache: SearchCache | None,
    alive: Alive,
    faults: Faults | None = None,
    *,
    wanted: WantedTexts = DEFAULT,
) -> Found:
    """Search the sessions (newest first). Blocking.

    A session whose text cannot be read is searched by its fields only, and noted in `faults`.
    If `wanted` is not the default, names, ids and directories do not count. Raises what `alive`
    raises; once that is OutOfTime, sessions whose files would have to be read are left out.
    """
    faults = Faults() if faults is None else faults
    if cache is not None:
        with contextlib.suppress(Unavailable), cache.connection(alive=alive) as connection:
            return _ranked(sessions, query, SearchRun(connection, alive, faults, wanted=wanted))
        # A statement that `alive` interrupted fails like any other: raise the reason.
        alive()
    return _ranked(sessions, query, SearchRun(None, alive, faults, wanted=wanted))


def _ranked(sessions: Sequence[Summary], query: Query, work: SearchRun) -> Found:
    indexed: Mapping[texts.Identity, int] = {}
    version = None
    if work.connection is not None:
        version = work.connection.pragma("data_version")
        indexed = texts.numbers(work.connection)
    candidates = work.faults.each(
        sessions,
        lambda item: item.path,
        lambda item: _Candidate(item, indexed.get(texts.identity(item.state))),
    )
    numbers = {each.summary.path: each.number for each in candidates}
    hits = _matching(candidates, query, work)
    is_late = work.faults.has_timed_out
    if (
        work.connection is not None
        and not is_late
        and work.connection.pragma("data_version") != version
    ):
        # Another process may have removed a session meanwhile, to index it again.
        there = set(texts.numbers(work.connection).values())
        gone = [each for each in candidates if each.number and each.number not in there]
        if gone:
            again = {each.summary.path for each in gone}
            numbers |= dict.fromkeys(again)
            hits = [hit for hit in hits if hit.summary.path not in again]
            hits += _matching([_Candidate(each.summary, None) for each in gone], query, work)
    unindexed = [item for item in sessions if numbers.get(item.path) is None]
    unindexed.sort(key=attrgetter("offset"))
    return Found(in_order(hits), unindexed)


def _matching(candidates: list[_Candidate], query: Query, work: SearchRun) -> list[Hit]:
    """The sessions that have every part: in a field, else in the index, else in their file."""
    if not query.parts and not work.wanted.is_all_that_was_said:
        query = ANY_TEXT
    for part in query.parts:
        work.alive()
        candidates = _having(part, candidates, work)
    _mark_apart(candidates, work)
    # A large file must not take the time of all others.
    candidates.sort(key=attrgetter("summary.offset"))
    hits = []
    for number, each in enumerate(candidates, 1):
        is_found = None not in each.scores
        if not is_found:
            advance(number, len(candidates))
            try:
                work.alive()
                with work.faults.isolate(each.summary.path):
                    is_found = _is_found(each, query, work)
            except OutOfTime:
                work.faults.leave_out(each.summary.path)
        if is_found:
            # The order of the additions decides the last bits: that of the parts.
            distance = sum(filter(None, each.scores), 0.0)
            unsure = frozenset(each.unsure)
            hits.append(Hit(each.summary, distance, each.is_apart, unsure=unsure))
    advance(len(candidates), len(candidates))
    return hits


def _mark_apart(candidates: Sequence[_Candidate], work: SearchRun) -> None:
    """Mark the indexed candidates none of whose texts has all words that their texts have."""
    by_words = defaultdict[tuple[str, ...], dict[int, _Candidate]](dict)
    for each in candidates:
        if each.number is not None and len(each.in_texts) > 1:
            by_words[tuple(each.in_texts)][each.number] = each
    for words, numbers in by_words.items():
        assert work.connection is not None  # noqa: S101 - it has given the numbers
        held, _ = texts.containing(
            work.connection, words, set(numbers), work.wanted, certain=CERTAIN
        )
        for number, each in numbers.items():
            each.is_apart = number not in held


def _having(part: Part, candidates: list[_Candidate], work: SearchRun) -> list[_Candidate]:
    """Score the candidates by one part of a query; those that lack it for certain are left out."""
    counts = work.wanted.is_all_that_was_said

    def scored(each: _Candidate) -> _Candidate:
        each.scores.append(part.field_score(each.summary) if counts else None)
        return each

    left = work.faults.each(candidates, lambda each: each.summary.path, scored)
    indexed = {
        each.number: each for each in left if each.scores[-1] is None and each.number is not None
    }
    scattered = is_scattered(part)
    held, unsure = _holding(part, set(indexed), work)
    without = set()
    for number, each in indexed.items():
        if number in held:
            each.unsure |= unsure
            is_certain = part.is_literal and not work.wanted.of_current_branch
            each.scores[-1] = ELSEWHERE if is_certain else None
            if is_certain:
                each.in_texts += part.required
            continue
        without.add(number)
        if not scattered:
            continue
        with work.faults.isolate(each.summary.path):
            score = _scattered(part, each, work)
            if score is not None:
                each.scores[-1] = score
                without.discard(number)
    return [each for each in left if each.number not in without]


def _holding(part: Part, numbers: set[int], work: SearchRun) -> tuple[set[int], set[str]]:
    """The indexed sessions whose texts hold a part, and what is not certain of it.

    Of very many, those that are shown are compared when their snippets are made. Scattered
    characters count where the texts do not hold a word, so that must be certain.
    """
    held = numbers
    if work.connection is None:
        return held, set()
    can_wait = part.is_literal and not is_scattered(part) and work.wanted.is_all_that_was_said
    unsure: set[str] = set()
    for text in part.required:
        held, is_certain = texts.containing(
            work.connection, [text], held, work.wanted, certain=CERTAIN if can_wait else None
        )
        unsure |= set() if is_certain else {text}
    return held, unsure


def is_scattered(part: Part) -> bool:
    """Whether a session is found, too, that has the characters of a part scattered over a text."""
    return isinstance(part, Token) and part.scattered


def _is_found(each: _Candidate, query: Query, work: SearchRun) -> bool:
    """Score the parts that no field has and the index does not tell; whether all are found."""
    left = [at for at, score in enumerate(each.scores) if score is None]
    missing = {query.parts[at] for at in left}
    sought, kinds = _possible(each, missing, work), set[frozenset[Part]]()
    for message in _messages_with(sought, each, work):
        folded = fold(message.text)
        held = frozenset(part for part in sought if part.is_in(message.text, folded))
        kinds.add(held)
        missing -= held
        if held == sought:
            break
    in_texts = sought - missing
    each.is_apart = bool(in_texts) and all(kind < in_texts for kind in kinds)
    for at in left:
        part = query.parts[at]
        each.scores[at] = _scattered(part, each, work) if part in missing else ELSEWHERE
    return None not in each.scores


def _possible(each: _Candidate, parts: set[Part], work: SearchRun) -> frozenset[Part]:
    """Return the parts that the texts of a session may have, as far as a look at its file tells.

    None if another part is in no text, and so cannot be found at all.
    """
    if work.wanted.fields != (SAID,):
        # Other texts may be put together, or lie in files of their own.
        return frozenset(parts)
    words = [text for part in parts for text in part.required]
    absent = absent_words(each.summary.path, words, work.alive)
    possible = frozenset(part for part in parts if absent.isdisjoint(part.required))
    return possible if all(map(is_scattered, parts - possible)) else frozenset()


def _messages_with(
    parts: frozenset[Part], each: _Candidate, work: SearchRun
) -> Iterable[MessageText]:
    """Return the wanted texts of a session that may have any of the parts."""
    if not parts:
        return ()
    words = [text for part in parts for text in part.required]
    screen = screen_for(words) if all(part.is_literal for part in parts) else None
    return messages_of(each.summary, work, screen)


def _scattered(part: Part, each: _Candidate, work: SearchRun) -> float | None:
    return part.scattered_score(each.summary) if work.wanted.is_all_that_was_said else None


def messages_of(
    summary: Summary, work: SearchRun, screen: Screen | None = None
) -> Iterator[MessageText]:
    """The wanted texts of a session; those read before a failure, and none if it is gone."""
    path, everything = summary.path, not work.wanted.is_all_that_was_said
    with work.faults.isolate(path):
        by_branch = work.wanted.of_current_branch
        beside = beside_branch(path, summary.state) if by_branch else frozenset[str]()
        for message in read_messages(path, screen, work.alive, everything=everything):
            work.alive()
            is_there = message.entry_id not in beside
            if is_there and (not everything or work.wanted.has(message)):
                yield message
