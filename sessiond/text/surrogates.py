r"""Lone surrogate escapes (`\ud800` without its partner), which JavaScript writes.

msgspec and orjson refuse them. `without_lone_surrogates` gives a text of the same length that they
accept, so that positions found in it are valid in the original text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONE_SURROGATE = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"
)
"""Correct where every backslash begins an escape. A low surrogate belongs to a high one before."""
_CUT = re.compile(
    rb"\\u(?![dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""The beginning of an escape that does not belong to the one before it."""
_STEP = 256 * 1024
_ESCAPED_BACKSLASH, _STAND_IN = b"\\\\", b"\0\0"


def without_lone_surrogates(raw: bytes) -> bytes:
    r"""Replace each lone surrogate escape by `\ufffd`; the length does not change."""
    if b"\\u" not in raw or b"\0" in raw:
        # A null byte is not allowed anywhere in JSON, so a text with one needs no care.
        return raw
    text = raw.replace(_ESCAPED_BACKSLASH, _STAND_IN)
    done = b"".join(_LONE_SURROGATE.sub(rb"\\ufffd", part) for part in _parts(text))
    return done.replace(_STAND_IN, _ESCAPED_BACKSLASH)


def _parts(text: bytes) -> Iterator[bytes]:
    """Yield the text in parts: one call on many megabytes would block all other threads."""
    at = 0
    while cut := _CUT.search(text, at + _STEP):
        yield text[at : cut.start()]
        at = cut.start()
    yield text[at:]
