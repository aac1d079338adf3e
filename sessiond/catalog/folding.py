"""Text as searches compare it: lower case, runs of white space as one space (as pi 1.5.2)."""

from __future__ import annotations

from sessiond.jsontext import JS_SPACE, JS_SPACES

# White space to JavaScript or to Python, but not to both.
_DISPUTED = "\x1c\x1d\x1e\x1f\x85\ufeff"


def fold(text: str) -> str:
    """Lower case and white space collapsed, none at the ends."""
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
