"""Spell texts as people type them, so that names that macOS wrote are found.

macOS stores names decomposed, writes curly quotes into them, and a narrow no-break space before
"AM" and "PM". pi tries these spellings when it opens a file (pi: path-utils.ts, resolveReadPath).
"""

from __future__ import annotations

import re
import unicodedata

APOSTROPHES, QUOTES = "'\u2018\u2019", '"\u201c\u201d'
SPACES = " \u00a0\u202f"
_PLAIN = str.maketrans(
    {char: group[0] for group in (APOSTROPHES, QUOTES, SPACES) for char in group[1:]}
)


def composed(text: str) -> str:
    """Return the text with each letter and its accents as one character, where there is one."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def forms(text: str) -> list[str]:
    """Return the text composed and decomposed; once if that is the same."""
    return list(dict.fromkeys([composed(text), unicodedata.normalize("NFD", text)]))


def plain_spelling(text: str) -> str:
    """Return the text composed (NFC), with straight quotes and usual spaces."""
    return text if text.isascii() else composed(text).translate(_PLAIN)


def any_spelling(text: str) -> str:
    """Return a regular expression of all spellings of a plain text."""
    return "".join(map(_any_spelling, text))


def _any_spelling(char: str) -> str:
    for group in (APOSTROPHES, QUOTES):
        if char == group[0]:
            return f"[{group}]"
    parts = unicodedata.normalize("NFD", char)
    return re.escape(char) if parts == char else f"(?:{re.escape(char)}|{re.escape(parts)})"
