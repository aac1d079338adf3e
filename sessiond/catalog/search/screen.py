"""Reject files, blocks and lines that cannot hold a word, by their bytes.

A screen only ever rejects: it answers no if no text made of the bytes has the word. JSON writes
most characters as themselves. The others may be escaped, be a character whose lower case is an
ASCII letter, or be a terminal sequence inside the word, which is removed before texts are searched.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

import attrs

from sessiond.agents.sessions import said_bytes
from sessiond.catalog.message_text import Alive, Screen

# Neither apostrophes nor semicolons, of which some texts have other spellings (`plain_spelling`).
_AS_IT_IS = re.compile(r"[a-z0-9_.:,+*=()<>@#%&!~$|-]+")
"""Words of characters that JSON writes as themselves, in either case."""

_ESCAPE = rb"\u"
_LETTERS = re.compile(rb"\\u(?:00[2-7]|212a|0130)")
"""Escapes of characters that may stand in a word, in lower case."""

_CAPITALS = ("\u212a".encode(), "\u0130".encode())
"""The Kelvin sign and the dotted I, whose lower case is, or begins with, an ASCII letter."""

_INTRODUCER = rb"(?:\\u00(?:1b|[89][0-9a-f])|\xc2[\x80-\x9f]|\x1b)"
"""An expression for the beginnings of terminal sequences, escaped and not (`text/safe.py`)."""
_LONGEST = len(rb"\u001b")

_SOME = (rb"\u001b", rb"\u008", rb"\u009", b"\xc2", b"\x1b")
"""Bytes of which every introducer has one; these are looked for faster than all."""

_MOST_CHARACTERS = 32
"""The longest word whose beginnings are looked for in front of terminal sequences."""

_PIECE = 2 * 1024 * 1024
"""Larger than one read, so that only blocks with a long line are searched in steps."""


@attrs.frozen
class _Word:
    """A word as lower-case bytes, and an expression for a terminal sequence in it."""

    raw: bytes
    broken: re.Pattern[bytes]

    @classmethod
    @functools.lru_cache(maxsize=256)
    def of(cls, text: str) -> _Word:
        raw = text.encode()
        pattern = b""
        # Each beginning of the word, the longest first. For a long word any sequence counts.
        for code in reversed(raw[:-1] if len(raw) <= _MOST_CHARACTERS else b""):
            pattern = re.escape(bytes([code])) + (b"(?:%b)?" % pattern if pattern else b"")
        return cls(raw, re.compile(pattern + _INTRODUCER))


def _missing(words: list[_Word], lower: bytes) -> list[_Word]:
    """Return the words that no text made of bytes in lower case has."""
    missing = [word for word in words if word.raw not in lower]
    if not missing or _may_be_spelled(lower):
        return []
    if not any(form in lower for form in _SOME):
        return missing
    return [word for word in missing if word.broken.search(lower) is None]


def _may_be_spelled(lower: bytes) -> bool:
    """Return whether bytes may spell ASCII letters in another way."""
    if _ESCAPE in lower and _LETTERS.search(lower) is not None:
        return True
    return not lower.isascii() and any(form in lower for form in _CAPITALS)


def screen_for(words: Iterable[str]) -> Screen | None:
    """Make a check for bytes that may hold one of the folded words; None if it cannot tell."""
    words = list(words)
    if not words or not all(map(_AS_IT_IS.fullmatch, words)):
        return None
    each = _words(words)
    overlap = _overlap(each)

    def screen(data: bytes) -> bool:
        # In steps, so that other threads get their turn.
        pieces = (data[at : at + _PIECE + overlap].lower() for at in range(0, len(data), _PIECE))
        return any(len(_missing(each, piece)) < len(each) for piece in pieces)

    return screen


def absent_words(path: str, words: Iterable[str], alive: Alive) -> set[str]:
    """Return those of the folded words that no text said in a session has, by its file. Blocking.

    Raises SessionNotFound, ReadFailed, OSError and what `alive` raises.
    """
    missing = _words(filter(_AS_IT_IS.fullmatch, words))
    overlap, end = _overlap(missing), b""
    with said_bytes(path) as chunks:
        if chunks is None:
            return set()
        for chunk in chunks if missing else ():
            alive()
            piece = (end + chunk).lower()
            missing = _missing(missing, piece)
            if not missing:
                break
            end = piece[-overlap:]
    return {word.raw.decode() for word in missing}


def _words(words: Iterable[str]) -> list[_Word]:
    return [_Word.of(word) for word in dict.fromkeys(words)]


def _overlap(words: Iterable[_Word]) -> int:
    """Return how many bytes of a word, or of an escape, may lie before the next piece."""
    return max((len(word.raw) for word in words), default=0) + _LONGEST
