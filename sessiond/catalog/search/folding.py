"""Fold text for searches: lower case, each run of white space as one space (as pi 1.6.0).

Unlike pi, texts are also compared as people type them: see `plain_spelling`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessiond.text.spans import JS_SPACE, JS_SPACES
from sessiond.text.spelling import plain_spelling

_SPACE = re.compile("[ \n\t]")
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")
_PIECE = 256 * 1024
"""Characters folded in one call; other threads run between two calls."""


def lower(text: str) -> str:
    """Convert to lower case and the usual spelling."""
    return plain_spelling(text.lower())


def fold(text: str) -> str:
    """Convert as `lower` does, collapse white space, and strip it at the ends."""
    if len(text) <= _PIECE:
        return _fold(text)
    # Pieces are cut at white space, which folding turns into one space.
    return " ".join(filter(None, map(_fold, _pieces(text))))


def _pieces(text: str) -> Iterator[str]:
    """Cut the text at white space; a run without white space stays whole."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _PIECE)
        end = len(text) if space is None else space.end()
        yield text[start:end]
        start = end


def _fold(text: str) -> str:
    low = lower(text)
    # These are white space in JavaScript or in Python, but not in both.
    # Not a loop: this is done for every message of every session.
    disputed = "\x1c" in low or "\x1d" in low or "\x1e" in low or "\x1f" in low
    if disputed or (not low.isascii() and ("\x85" in low or "\ufeff" in low)):
        return JS_SPACES.sub(" ", low).strip(JS_SPACE)
    return " ".join(low.split())


def storable(text: str) -> str:
    """A text as databases can store it: private characters stand for NUL and lone surrogates."""
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _NOT_STORABLE.sub(lambda odd: chr(0x10F000 | ord(odd[0]) & 0xFFF), text)


def encode(text: str) -> bytes:
    """Encode as UTF-8, including lone surrogates, which JavaScript can leave in texts."""
    return text.encode("utf-8", "surrogatepass")


def decode(raw: bytes) -> str:
    """Decode the result of `encode`."""
    return raw.decode("utf-8", "surrogatepass")
