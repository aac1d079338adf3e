"""What a search asks for: words, quoted phrases, or a regular expression (as pi 1.5.2).

A session is found if every token is in it; each token counts by the best field it is found in.
Lower scores are better: the name comes before other fields, and in `fuzzy` mode those before
characters that are merely scattered over the name or the working directory.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Literal

import attrs

from sessiond.catalog.folding import fold
from sessiond.catalog.fuzzy import fuzzy_match
from sessiond.catalog.summaries import Summary
from sessiond.errors import InvalidQuery
from sessiond.jsontext import JS_SPACE, JS_SPACES

Mode = Literal["text", "fuzzy", "regex"]

ELSEWHERE = 1_000_000.0
"""Score of what is found in the id, the messages or the working directory."""

SCATTERED = 2_000_000.0

_MATCH_SECONDS = 1.0
"""For one text: enough for hundreds of megabytes, unless an expression tries too many ways."""

# Working directories are few, and every search asks for the same names again.
_lower = functools.lru_cache(maxsize=20_000)(str.lower)
_fold = functools.lru_cache(maxsize=20_000)(fold)

_PLAIN_RUN = re.compile(r"[\w \-/:,;=<>@#%&!\"'`~]{3,}")
_SPECIAL = re.compile(r"[\\|(\[{]")


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
class Expression:
    """A regular expression; capitals and small letters are the same to it."""

    compiled: Any
    pattern: str

    def found_in(self, text: str) -> bool:
        """Whether it matches anywhere. Raises InvalidQuery if that takes too long."""
        return self.first(text) is not None

    def first(self, text: str, at: int = 0) -> tuple[int, int] | None:
        """Where it first matches from `at` on. Raises InvalidQuery if that takes too long."""
        try:
            found = self.compiled.search(text, at, timeout=_MATCH_SECONDS, concurrent=True)
        except TimeoutError:
            raise InvalidQuery("The expression takes too long; make it simpler") from None
        return None if found is None else found.span()

    def field_score(self, summary: Summary) -> float | None:
        """The score by name, id and working directory; None if none of them matches."""
        if summary.name and self.found_in(summary.name):
            return 0.0
        if self.found_in(summary.header.id) or self.found_in(summary.header.cwd or ""):
            return ELSEWHERE
        return None

    def required(self) -> list[str]:
        """Folded texts that everything it matches contains; none where that is not plain to see."""
        if _SPECIAL.search(self.pattern):
            return []
        # What a `?` or `*` stands behind may be missing, and a `+` repeats it.
        certain = re.sub(r".[?*]", "\0", self.pattern, flags=re.DOTALL)
        runs = _PLAIN_RUN.findall(certain.replace("+", "\0"))
        # White space is collapsed in what this is compared with.
        parts = [part for run in runs for part in run.split(" ")]
        return [part.lower() for part in parts if len(part) >= 3 and part.isascii()]


@attrs.frozen
class Query:
    """Either tokens or an expression; with neither every session is found."""

    tokens: tuple[Token, ...] = ()
    expression: Expression | None = None


def parse(query: str, mode: Mode) -> Query:
    """Read a query. Raises InvalidQuery for an expression that is none."""
    trimmed = query.strip(JS_SPACE)
    if mode == "regex":
        return Query(expression=_expression(query))
    if mode == "fuzzy" and trimmed.startswith("re:"):
        return Query(expression=_expression(trimmed[3:].strip(JS_SPACE)))
    found = [(value.strip(JS_SPACE), phrase) for value, phrase in _split(trimmed)]
    return Query(
        tuple(
            Token(fold(value) if phrase else value.lower(), phrase, mode == "fuzzy" and not phrase)
            for value, phrase in found
            if value
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


def _expression(pattern: str) -> Expression:
    # Hardly any search needs it, and loading it is a tenth of the daemon's start.
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415

    if not pattern:
        raise InvalidQuery("Empty regex")
    try:
        return Expression(regex.compile(pattern, regex.IGNORECASE | regex.VERSION0), pattern)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise InvalidQuery(f"Invalid regular expression: {error}") from None
