"""Snippets: a piece of the text of each message found, and the matches in it."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import apsw
import attrs

from sessiond.catalog.index import texts as index
from sessiond.catalog.index.database import SearchCache, Unavailable
from sessiond.catalog.message_text import Alive, Place, beside_branch, read_at
from sessiond.catalog.search.expression import Expression
from sessiond.catalog.search.find import Clean, Hit, SearchRun, messages_of
from sessiond.catalog.search.folding import fold
from sessiond.catalog.search.query import Query
from sessiond.catalog.summaries import Summary
from sessiond.catalog.wanted_texts import DEFAULT, WantedTexts
from sessiond.format.line_texts import SAID, MessageText
from sessiond.runtime.isolation import Faults, OutOfTime
from sessiond.text.spans import JS_SPACE
from sessiond.text.spelling import any_spelling

_PlaceT = TypeVar("_PlaceT", bound=tuple[int, ...])
"""Where a message is: comparable, in the order of the messages."""

_BEFORE = 40
"""Characters shown before the first match, so that it is visible in a list."""
_LENGTH = 240
_NEAR = 24
"""How far a cut is moved to stand between two words."""
_CUT = "…"
_MOST_RANGES = 32
_STEP = 32 * 1024
_OVERLAP = 8 * 1024
"""Characters; more than the longest search text with its white space."""

BRANCH_BYTES = 16 * 1024 * 1024
"""Bytes of sessions that are read at most to tell which snippets are of the current branch."""

_ONE_LINE = dict.fromkeys((*range(0x20), 0x7F, 0x85, 0x2028, 0x2029), " ")


SNIPPETS = 3
"""Maximum number of snippets shown for one session."""

MESSAGES = 40
"""Messages with all texts, and with each text, among which those that are shown are chosen."""


@attrs.frozen
class Snippet:
    """A piece of a text on one line; ranges count characters of `text`, ends excluded."""

    entry_id: str
    role: str
    text: str
    ranges: list[tuple[int, int]]
    field: str = SAID
    time: float | None = None
    tool: str | None = None
    file: str | None = None
    on_current_branch: bool | None = None
    """Whether the entry is on the branch that the session is opened at; None: not known."""


def snippets(
    hits: Sequence[Hit],
    query: Query,
    cache: SearchCache | None,
    alive: Alive,
    faults: Faults | None = None,
    *,
    clean: Clean | None = None,
    wanted: WantedTexts = DEFAULT,
) -> list[list[Snippet]]:
    """For each hit, snippets of the messages with the most and rarest search texts. Blocking.

    `clean` is applied to the whole text of a message, because a part may not show what it is of.
    A session that cannot be read, or for which there is no time, has none, and is noted in
    `faults`. Raises as `search` does.
    """
    faults = Faults() if faults is None else faults
    if cache is not None and query.expression is None:
        with contextlib.suppress(Unavailable), cache.connection(alive=alive) as connection:
            work = SearchRun(connection, alive, faults, clean=clean, wanted=wanted)
            return _of_each(hits, query, work)
        alive()
    return _of_each(hits, query, SearchRun(None, alive, faults, clean=clean, wanted=wanted))


def _of_each(hits: Sequence[Hit], query: Query, work: SearchRun) -> list[list[Snippet]]:
    snippets, room = [], BRANCH_BYTES
    # Without words every wanted text is shown.
    texts = query.texts or ([] if work.wanted.is_all_that_was_said else [""])
    indexed = None
    if work.connection is not None and not work.wanted.of_current_branch:
        indexed = index.Places(work.connection, texts, work.wanted)
    for hit in hits:
        pieces: list[Snippet] = []
        try:
            work.alive()
            with work.faults.isolate(hit.summary.path, Unavailable, apsw.Error):
                pieces = _snippets(hit, query, work, texts, indexed)
                room -= hit.summary.offset if pieces else 0
                if pieces and (room >= 0 or work.wanted.of_current_branch):
                    pieces = placed(pieces, beside_branch(hit.summary.path, hit.summary.state))
        except OutOfTime:
            work.faults.leave_out(hit.summary.path)
        snippets.append(pieces)
    return snippets


def placed(pieces: list[Snippet], beside: frozenset[str]) -> list[Snippet]:
    """Tell which snippets are of the current branch: those of no entry `beside` it."""
    return [attrs.evolve(piece, on_current_branch=piece.entry_id not in beside) for piece in pieces]


def _snippets(
    hit: Hit, query: Query, work: SearchRun, texts: list[str], indexed: index.Places | None
) -> list[Snippet]:
    """Make the snippets of a hit, and count its matches."""
    summary = hit.summary
    if query.expression is not None:
        places = [_place(item) for item in messages_of(summary, work)]
        lines = cleaned(read_at(summary.path, summary.state, places), work.clean)
        every = of_expression(lines, query.expression, MESSAGES)
        hit.matches, hit.has_more_matches = len(every), len(every) == MESSAGES
        return every[:SNIPPETS]
    matching, are_all = _places(summary, texts, work, indexed)
    hit.matches, hit.has_more_matches = len(matching), not are_all
    hit.is_false = not hit.unsure <= set[str]().union(*matching.values())
    lines = read_at(summary.path, summary.state, best_places(matching))
    return of_tokens(cleaned(lines, work.clean), texts)


def cleaned(
    messages: Iterable[tuple[str, MessageText]], clean: Clean | None
) -> Iterable[tuple[str, MessageText]]:
    """The messages with `clean` applied to their texts."""
    if clean is None:
        return messages
    return ((name, attrs.evolve(each, text=clean(each.text))) for name, each in messages)


def _places(
    summary: Summary, texts: list[str], work: SearchRun, indexed: index.Places | None
) -> tuple[dict[Place, set[str]], bool]:
    """Positions in the file of the texts that contain any of the texts; whether these are all."""
    places = None if indexed is None else indexed.of(summary.state, MESSAGES)
    if places is not None:
        return places
    messages = ((_place(each), fold(each.text)) for each in messages_of(summary, work))
    return matching_places(messages, texts), True


def best_places(matching: Mapping[_PlaceT, set[str]]) -> list[_PlaceT]:
    """The places of the messages with the most and rarest texts, in their order.

    A text counts more the fewer messages have it, so all texts are better than any of them.
    """
    counts = Counter(itertools.chain.from_iterable(matching.values()))

    def rank(place: _PlaceT) -> tuple[float, _PlaceT]:
        return -sum(1 / counts[text] for text in sorted(matching[place])), place

    return sorted(sorted(matching, key=rank)[:SNIPPETS])


def matching_places(
    messages: Iterable[tuple[_PlaceT, str]], texts: Sequence[str]
) -> dict[_PlaceT, set[str]]:
    """The places of the messages with any of the texts → those that each has.

    `messages` gives the place and the folded text of each, in their order.
    """
    held = ((place, {part for part in texts if part in text}) for place, text in messages)
    return {place: parts for place, parts in held if parts}


def _place(message: MessageText) -> Place:
    return message.start, message.length, message.part


def of_tokens(messages: Iterable[tuple[str, MessageText]], texts: Sequence[str]) -> list[Snippet]:
    """A snippet of each message around the first of the folded texts in it."""
    # The longest first, so that a word does not hide a longer one that begins with it.
    parts = [
        f"[{JS_SPACE}]+".join(map(any_spelling, text.split(" ")))
        for text in sorted(texts, key=len, reverse=True)
        if text
    ]
    if not parts and not texts:
        return []
    # Without a text to find, every message is shown from its beginning.
    pattern = re.compile("|".join(parts) or "(?!)")
    snippets = []
    for entry_id, message in messages:
        spans: list[tuple[int, int]] = []
        for match in _matches(pattern, _lower(message.text)):
            if spans and (match.end() > spans[0][0] + _LENGTH or len(spans) == _MOST_RANGES):
                break
            spans.append(match.span())
        snippets.append(_snippet(entry_id, message, spans))
    return snippets


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All matches. Searches in steps, because no other thread runs during one call."""
    at = 0
    while at < len(text):
        until = at + _STEP
        # A match may extend beyond the step in which it begins.
        while (match := pattern.search(text, at, until + _OVERLAP)) and match.start() < until:
            yield match
            at = match.end()
        at = max(at, until)


def of_expression(
    messages: Iterable[tuple[str, MessageText]], expression: Expression, most: int
) -> list[Snippet]:
    """Snippets of at most `most` messages with a match."""
    snippets: list[Snippet] = []
    for entry_id, message in messages:
        if len(snippets) == most:
            break
        spans = expression.spans(message.text, _LENGTH)
        if spans:
            snippets.append(_snippet(entry_id, message, spans))
    return snippets


def _lower(text: str) -> str:
    """Convert to lower case without changing the position of any character."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _snippet(entry_id: str, message: MessageText, spans: list[tuple[int, int]]) -> Snippet:
    text = message.text
    first, last = spans[0] if spans else (0, 0)
    begin = _from_a_word(text, max(0, first - _BEFORE), first)
    before = _CUT if begin else ""
    # The snippet begins near the first match, so a long match is cut only at the maximum length.
    end = min(len(text), begin + _LENGTH - len(before))
    if end < len(text):
        end = _to_a_word(text, max(last, begin), end - len(_CUT))
    after = _CUT if end < len(text) else ""
    piece = text[begin:end].translate(_ONE_LINE)
    shift = len(before) - begin
    ranges = [
        (start + shift, min(stop, end) + shift)
        for start, stop in spans
        if start < end and stop > begin
    ]
    more = message.field, message.time, message.tool, message.file
    return Snippet(entry_id, message.role, f"{before}{piece}{after}", ranges, *more)


def _from_a_word(text: str, begin: int, most: int) -> int:
    """Return where the next word begins, if one does soon and not behind `most`."""
    if not begin:
        return 0
    stop = min(begin + _NEAR, most)
    space = next((at for at in range(begin - 1, stop) if text[at].isspace()), None)
    if space is None:
        return begin
    return next((at for at in range(space, most) if not text[at].isspace()), most)


def _to_a_word(text: str, least: int, end: int) -> int:
    """Return where the last word before `end` ends, if one does near and not before `least`."""
    if text[end].isspace():
        return end
    stop = max(least, end - _NEAR)
    return next((at for at in range(end - 1, stop, -1) if text[at].isspace()), end)


def in_units(snippet: Snippet, encoding: str) -> list[tuple[int, int]]:
    """The ranges in units of a position encoding: `utf-8`, `utf-16` or `utf-32`."""
    return [
        (units(snippet.text[:start], encoding), units(snippet.text[:stop], encoding))
        for start, stop in snippet.ranges
    ]


def units(text: str, encoding: str) -> int:
    """Length of a text in units of an encoding; a lone surrogate counts as one character."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(char > "\uffff" for char in text)
