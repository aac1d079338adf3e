"""Parse queries: words, quoted phrases, or a regular expression.

pi 1.6.0: session-selector-search.js.

A session matches if it contains every token; each token is scored by the best field that contains
it. Lower scores are better: the name is best, then the other fields; in `fuzzy` mode, characters
that are scattered over the name (without one, over the first message, which is what people see as
the title) or the working directory come last.
"""

from __future__ import annotations

import functools
from typing import Literal

import attrs

from sessiond.catalog.search.expression import Expression, expression
from sessiond.catalog.search.folding import fold, lower
from sessiond.catalog.search.fuzzy import fuzzy_match
from sessiond.catalog.summaries import Summary
from sessiond.runtime.errors import InvalidQuery
from sessiond.text.spans import JS_SPACE, JS_SPACES
from sessiond.text.spelling import plain_spelling

Mode = Literal["text", "fuzzy", "regex"]

ELSEWHERE = 1_000_000.0
"""Score of a match in the id, the messages or the working directory."""

SCATTERED = 2_000_000.0

TITLE = 200
"""Characters of a first message that are the title of a session without a name."""

MOST_WORDS = 128
"""Maximum number of words and phrases in a query."""

# Working directories are few, and every search uses the same names again.
_lower = functools.lru_cache(maxsize=20_000)(lower)
_fold = functools.lru_cache(maxsize=20_000)(fold)


@attrs.frozen
class Token:
    """A word, or a phrase of several; `text` is folded."""

    text: str
    phrase: bool = False
    scattered: bool = False
    """Whether its characters may be scattered, in order, over the title or working directory."""

    is_literal = True
    """Whether a text that contains what is required has this part."""

    @property
    def required(self) -> list[str]:
        """Folded texts that every text with this part contains."""
        return [self.text]

    def is_in(self, _text: str, folded: str) -> bool:
        """Whether a text has this part, in some form."""
        return self.text in folded

    def field_score(self, summary: Summary) -> float | None:
        """The score by name, id and working directory; None if none of them contains it."""
        norm = _fold if self.phrase else _lower
        if summary.name and self.text in (name := norm(summary.name)):
            return fuzzy_match(self.text, name)
        if self.text in summary.header.id.lower() or self.text in norm(summary.header.cwd or ""):
            return ELSEWHERE
        return None

    def scattered_score(self, summary: Summary) -> float | None:
        """The score by scattered characters; None if these do not match or do not count."""
        if not self.scattered:
            return None
        title = summary.name or (summary.first_message or "")[:TITLE]
        fields = (plain_spelling(title), plain_spelling(summary.header.cwd or ""))
        scores = [score for field in fields if (score := fuzzy_match(self.text, field)) is not None]
        return SCATTERED + min(scores) if scores else None


@attrs.frozen
class Pattern:
    """A regular expression as the one part of a query; see `Token` for the members."""

    expression: Expression

    is_literal = False

    @property
    def required(self) -> list[str]:
        return self.expression.required()

    def is_in(self, text: str, _folded: str) -> bool:
        return self.expression.matches(text)

    def field_score(self, summary: Summary) -> float | None:
        if summary.name and self.expression.matches(summary.name):
            return 0.0
        fields = summary.header.id, summary.header.cwd or ""
        return ELSEWHERE if any(map(self.expression.matches, fields)) else None

    def scattered_score(self, _summary: Summary) -> None:
        return None


Part = Token | Pattern


@attrs.frozen
class Query:
    """Tokens, or one expression; a query with neither matches every session."""

    parts: tuple[Part, ...] = ()

    @property
    def expression(self) -> Expression | None:
        """The regular expression; None for words and phrases."""
        return next((part.expression for part in self.parts if isinstance(part, Pattern)), None)

    @property
    def texts(self) -> list[str]:
        """The folded texts of words and phrases, each once."""
        return list(dict.fromkeys(part.text for part in self.parts if isinstance(part, Token)))

    @property
    def tokens(self) -> list[Token]:
        """The words and phrases."""
        return [part for part in self.parts if isinstance(part, Token)]


ANY_TEXT = Query((Token(""),))
"""Matches every session that has a text at all, of those that are wanted."""


def parse(query: str, mode: Mode) -> Query:
    """Parse a query. Raises InvalidQuery if it exceeds a limit, and as `expression` does."""
    trimmed = query.strip(JS_SPACE)
    if mode == "regex":
        return Query((Pattern(expression(query)),))
    if mode == "fuzzy" and trimmed.startswith("re:"):
        return Query((Pattern(expression(trimmed[3:].strip(JS_SPACE))),))
    stripped = [(value.strip(JS_SPACE), phrase) for value, phrase in _split(trimmed)]
    values = [(value, phrase) for value, phrase in stripped if value]
    if len(values) > MOST_WORDS:
        raise InvalidQuery(f"The query has more than {MOST_WORDS} words; put phrases in quotes")
    return Query(
        tuple(
            Token((fold if phrase else lower)(value), phrase, mode == "fuzzy" and not phrase)
            for value, phrase in values
        )
    )


def _split(query: str) -> list[tuple[str, bool]]:
    """Words and phrases, and whether each is a phrase. Unpaired quotes are plain characters."""
    parts = query.split('"')
    if len(parts) % 2 == 0:
        return [(word, False) for word in JS_SPACES.split(query)]
    values = []
    for number, part in enumerate(parts):
        if number % 2:
            values.append((part, True))
        else:
            values += [(word, False) for word in JS_SPACES.split(part)]
    return values
