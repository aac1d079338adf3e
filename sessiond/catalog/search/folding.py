"""Text as searches compare it: lower case, runs of white space as one space (as pi 1.5.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessiond.jsontext.spans import JS_SPACE, JS_SPACES

# White space to JavaScript or to Python, but not to both.
_DISPUTED = "\x1c\x1d\x1e\x1f\x85\ufeff"


_SPACE = re.compile("[ \n\t]")
_PIECE = 256 * 1024
"""Characters folded in one step of the interpreter, so that other threads get their turn."""


def fold(text: str) -> str:
    """Lower case and white space collapsed, none at the ends."""
    if len(text) <= _PIECE:
        return _fold(text)
    # Joined by a space again, which white space between two words becomes in any case.
    return " ".join(filter(None, map(_fold, _pieces(text))))


def _pieces(text: str) -> Iterator[str]:
    """The text cut at white space; what has none for long stays whole."""
    start = 0
    while start < len(text):
        found = _SPACE.search(text, start + _PIECE)
        end = len(text) if found is None else found.end()
        yield text[start:end]
        start = end


def _fold(text: str) -> str:
    lower = text.lower()
    if lower.isascii():
        disputed = any(mark in lower for mark in "\x1c\x1d\x1e\x1f")
    else:
        disputed = any(mark in lower for mark in _DISPUTED)
    if disputed:
        return JS_SPACES.sub(" ", lower).strip(JS_SPACE)
    return " ".join(lower.split())


def encode(text: str) -> bytes:
    """UTF-8 that also holds lone surrogates, as texts cut by JavaScript have them."""
    return text.encode("utf-8", "surrogatepass")


def decode(raw: bytes) -> str:
    """Read back what `encode` wrote."""
    return raw.decode("utf-8", "surrogatepass")
