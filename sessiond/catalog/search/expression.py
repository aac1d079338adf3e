"""Regular expressions for searches, matched by RE2.

RE2 takes linear time and bounded memory for any expression, and other threads run meanwhile. The
package `regex` cannot be stopped in a thread: compiling nested repetitions takes gigabytes and
holds the interpreter for seconds, whatever its timeout. In return there are no references and
nothing looks ahead or behind, and the classes of words and spaces know ASCII only.
"""

from __future__ import annotations

import re
from typing import Any

import attrs

from sessiond.runtime.errors import InvalidQuery, Unsupported, how_to_install

MOST_CHARACTERS = 1000
"""Maximum length: matching may take time proportional to pattern length times text length."""

_MEMORY_BYTES = 64 * 1024 * 1024

MOST_REPETITIONS = 1000
"""Maximum number in braces; RE2 itself takes very large numbers for text."""

_MOST_SPANS = 32

_SURROGATE = re.compile("[\ud800-\udfff]")
_REPETITION = re.compile(r"(?<!\\)(?:\\\\)*\{(\d*),?(\d*)\}")
_PLAIN_RUN = re.compile(r"[\w \-/:,;=<>@#%&!\"'`~]{3,}")
_SPECIAL = re.compile(r"[\\|(\[{]")

Span = tuple[int, int]


@attrs.frozen
class Expression:
    """A case-insensitive regular expression. May be used by several threads."""

    pattern: str
    _compiled: Any

    def matches(self, text: str) -> bool:
        """Whether there is a match, which may be empty. Takes 10 s for a megabyte at worst."""
        return self._compiled.search(_encodable(text)) is not None

    def spans(self, text: str, reach: int) -> list[Span]:
        """The first non-empty matches ending within `reach` characters of the first one's start."""
        spans: list[Span] = []
        for match in self._compiled.finditer(_encodable(text)):
            start, end = match.span()
            if spans and (end > spans[0][0] + reach or len(spans) == _MOST_SPANS):
                break
            if end > start:
                spans.append((start, end))
        return spans

    def required(self) -> list[str]:
        """Folded texts that every match contains, if the pattern shows them directly."""
        if _SPECIAL.search(self.pattern):
            return []
        # A character before `?` or `*` may be missing; one before `+` may be repeated.
        certain = re.sub(r".[?*]", "\0", self.pattern, flags=re.DOTALL)
        runs = _PLAIN_RUN.findall(certain.replace("+", "\0"))
        # These are compared with text whose white space is collapsed.
        parts = [part for run in runs for part in run.split(" ")]
        return [part.lower() for part in parts if len(part) >= 3 and part.isascii()]


def expression(pattern: str) -> Expression:
    """Compile a pattern.

    Raises InvalidQuery if it is empty, invalid or too large, and Unsupported without the package.
    """
    if not pattern:
        raise InvalidQuery("Empty regex")
    if len(pattern) > MOST_CHARACTERS:
        raise InvalidQuery(f"The expression is longer than {MOST_CHARACTERS} characters")
    for repetition in _REPETITION.finditer(pattern):
        if any(len(each) > 4 or int(each or 0) > MOST_REPETITIONS for each in repetition.groups()):
            raise InvalidQuery(f"The expression repeats more than {MOST_REPETITIONS} times")
    try:
        import re2
    except ModuleNotFoundError as error:
        how = how_to_install("google-re2", "expressions")
        message = f"The package for regular expressions is not installed; {how}"
        raise Unsupported(message, error.name or "", how) from None
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES
    try:
        return Expression(pattern, re2.compile(_encodable(pattern), options))
    except re2.error as error:
        (reason,) = error.args
        why = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise InvalidQuery(f"Invalid regular expression: {why}") from None


def _encodable(text: str) -> str:
    """The text with other characters in place of lone surrogates, which UTF-8 cannot hold."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
