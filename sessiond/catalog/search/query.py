"""What a search asks for: words, quoted phrases, or a regular expression (as pi 1.5.2).

A session is found if every token is in it; each token counts by the best field it is found in.
Lower scores are better: the name comes before other fields, and in `fuzzy` mode those before
characters that are merely scattered over the name or the working directory.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Literal

import attrs

from sessiond.catalog.message_text import Alive
from sessiond.catalog.search.expression import Expression, expression
from sessiond.catalog.search.folding import fold
from sessiond.catalog.search.fuzzy import fuzzy_match
from sessiond.catalog.summaries import Summary
from sessiond.errors import InvalidQuery
from sessiond.jsontext.spans import JS_SPACE, JS_SPACES

Mode = Literal["text", "fuzzy", "regex"]

ELSEWHERE = 1_000_000.0
"""Score of what is found in the id, the messages or the working directory."""

SCATTERED = 2_000_000.0

MOST_WORDS = 128
"""Words and phrases of one query."""

# Working directories are few, and every search asks for the same names again.
_lower = functools.lru_cache(maxsize=20_000)(str.lower)
_fold = functools.lru_cache(maxsize=20_000)(fold)


@attrs.frozen
class Token:
    """A word, or a phrase of several; `text` is folded."""

    text: str
    phrase: bool = False
    scattered: bool = False
    """Whether characters in order are enough in the name and the working directory."""

    def field_score(self, summary: Summary) -> float | None:
        """The score by name, id and working directory; None if none of them has it."""
        norm = _fold if self.phrase else _lower
        if summary.name and self.text in (name := norm(summary.name)):
            return fuzzy_match(self.text, name)
        if self.text in summary.header.id.lower() or self.text in norm(summary.header.cwd or ""):
            return ELSEWHERE
        return None

    def scattered_score(self, summary: Summary) -> float | None:
        """The score by scattered characters, where that is enough."""
        if not self.scattered:
            return None
        fields = (summary.name or "", summary.header.cwd or "")
        scores = [score for field in fields if (score := fuzzy_match(self.text, field)) is not None]
        return SCATTERED + min(scores) if scores else None


@attrs.frozen
class Query:
    """Either tokens or an expression; with neither every session is found."""

    tokens: tuple[Token, ...] = ()
    expression: Expression | None = None

    @contextlib.contextmanager
    def running(self, alive: Alive) -> Iterator[None]:
        """Whatever the query needs to be searched for; see `Expression.running`."""
        if self.expression is None:
            yield
            return
        with self.expression.running(alive):
            yield


def parse(query: str, mode: Mode) -> Query:
    """Read a query. Raises InvalidQuery for one that asks for too much, and an empty expression."""
    trimmed = query.strip(JS_SPACE)
    if mode == "regex":
        return Query(expression=expression(query))
    if mode == "fuzzy" and trimmed.startswith("re:"):
        return Query(expression=expression(trimmed[3:].strip(JS_SPACE)))
    stripped = [(value.strip(JS_SPACE), phrase) for value, phrase in _split(trimmed)]
    found = [(value, phrase) for value, phrase in stripped if value]
    if len(found) > MOST_WORDS:
        raise InvalidQuery(f"The query has more than {MOST_WORDS} words; put phrases in quotes")
    return Query(
        tuple(
            Token(fold(value) if phrase else value.lower(), phrase, mode == "fuzzy" and not phrase)
            for value, phrase in found
        )
    )


def _split(query: str) -> list[tuple[str, bool]]:
    """Values, and whether each is a phrase. Quotes that do not pair are characters as others."""
    parts = query.split('"')
    if len(parts) % 2 == 0:
        return [(word, False) for word in JS_SPACES.split(query)]
    found = []
    for number, part in enumerate(parts):
        if number % 2:
            found.append((part, True))
        else:
            found += [(word, False) for word in JS_SPACES.split(part)]
    return found
