"""Score texts that contain a query's characters in order; lower is better.

pi-tui 1.6.0: fuzzy.js, `fuzzyMatch`.

Positions count UTF-16 units, as in JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sessiond.text.spans import JS_SPACE

_BOUNDARY = frozenset(JS_SPACE + "-_./:")
_LETTERS_DIGITS = re.compile(r"([a-z]+)([0-9]+)|([0-9]+)([a-z]+)")


def fuzzy_match(query: str, text: str) -> float | None:
    """The score; None if the text does not contain the characters of the query in order.

    `ab1` also matches as `1ab`, with a slightly worse score, and vice versa.
    """
    wanted, units = _units(query.lower()), _units(text.lower())
    score = _match(wanted, units)
    if score is not None:
        return score
    turned = swapped(wanted)
    score = None if turned is None else _match(turned, units)
    return None if score is None else score + 5


def swapped(query: str) -> str | None:
    """A query of letters and then digits, or the reverse, with both parts swapped; else None."""
    parts = _LETTERS_DIGITS.fullmatch(query)
    if parts is None:
        return None
    first, second = (part for part in parts.groups() if part is not None)
    return second + first


def _units(text: str) -> str:
    """Replace characters above U+FFFF by surrogate pairs, so that indices count UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(
        char
        if char <= "\uffff"
        else chr(0xD800 + ((ord(char) - 0x10000) >> 10)) + chr(0xDC00 + (ord(char) & 0x3FF))
        for char in text
    )


def _match(query: str, text: str) -> float | None:
    """The best score of the leftmost characters and of the occurrences of the whole query."""
    if len(query) > len(text):
        return None
    positions: list[int] = []
    last = -1
    for char in query:
        last = text.find(char, last + 1)
        if last < 0:
            return None
        positions.append(last)
    score = _score(text, positions)
    for start in _occurrences(query, text):
        # Mostly the leftmost characters are the first occurrence.
        if positions[0] != start or positions[-1] != start + len(query) - 1:
            score = min(score, _score(text, range(start, start + len(query))))
    return score - 100 if query and query == text else score


def _occurrences(query: str, text: str) -> Iterator[int]:
    """Positions of the query in the text: the first, and the first at the start of a word.

    No other position can score better: later ones cost more and gain nothing.
    """
    start = text.find(query) if query else -1
    if start < 0:
        return
    yield start
    while start > 0 and text[start - 1] not in _BOUNDARY:
        start = text.find(query, start + 1)
    if start > 0:
        yield start


def _score(text: str, positions: Iterable[int]) -> float:
    score = 0.0
    last = -1
    run = 0
    for index in positions:
        if index == last + 1:
            run += 1
            score -= run * 5
        else:
            run = 0
            if last >= 0:
                score += (index - last - 1) * 2
        if index == 0 or text[index - 1] in _BOUNDARY:
            score -= 10
        score += index * 0.1
        last = index
    return score
