"""Text with lone surrogate escapes, which JavaScript writes and msgspec refuses."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

_VALUES = msgspec.json.Decoder(list[Raw])
_LONE_SURROGATE = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|(\\.)",
    re.DOTALL,
)


def without_lone_surrogates(raw: bytes) -> bytes:
    r"""The same text, each lone surrogate escape replaced by `\ufffd`, byte for byte as long."""
    if b"\\u" not in raw:
        return raw
    return _LONE_SURROGATE.sub(lambda found: found[1] or found[2] or rb"\ufffd", raw)


def elements(raw: bytes, text: bytes) -> list[bytes]:
    """The elements of the array `raw`, of which `text` is the form without lone surrogates."""
    found: list[bytes] = []
    at = raw.index(b"[") + 1
    for element in _VALUES.decode(text):
        size = len(memoryview(element))
        while raw[at] in b" \t\r\n,":
            at += 1
        found.append(raw[at : at + size])
        at += size
    return found
