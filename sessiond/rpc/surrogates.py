"""Text with lone surrogate escapes, which JavaScript writes and msgspec refuses."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

from sessiond.jsontext.spans import members

_VALUES = msgspec.json.Decoder(list[Raw])
_LONE_SURROGATE = re.compile(
    rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"
)
"""Where every backslash begins an escape. A low surrogate after a high one belongs to it."""
_ESCAPED_BACKSLASH, _STAND_IN = b"\\\\", b"\0\0"


def without_lone_surrogates(raw: bytes) -> bytes:
    r"""The same text, each lone surrogate escape replaced by `\ufffd`, byte for byte as long."""
    if b"\\u" not in raw or b"\0" in raw:
        # A null byte stands nowhere in JSON, so there is nothing to save.
        return raw
    text = raw.replace(_ESCAPED_BACKSLASH, _STAND_IN)
    return _LONE_SURROGATE.sub(rb"\\ufffd", text).replace(_STAND_IN, _ESCAPED_BACKSLASH)


def sent_members(raw: bytes) -> dict[str, bytes]:
    """The members of a valid object by name as they were sent; of duplicates the last."""
    return {member.name: raw[member.start : member.end] for member in members(raw)}


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
