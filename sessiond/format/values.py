"""Values as they go into lines."""

from __future__ import annotations

import re

from sessiond.jsontext.parts import object_members
from sessiond.jsontext.spans import js_trim, minify

_NEWLINES = re.compile(r"[\r\n]+")


def normalized_replacement(role: str | None, replacement: bytes) -> bytes:
    """The replacement as pi stores it: for a target of role assistant or toolResult, string content
    becomes the only member, as one text block. `role` is the target Entry's.

    `replacement` must be `null` or an object with a string or array `content`.
    """
    if role in ("assistant", "toolResult") and replacement[:1] == b"{":
        content = object_members(replacement).get("content", b"")
        if content[:1] == b'"':
            return b'{"content":' + text_block(content) + b"}"
    return replacement


def text_block(text: bytes) -> bytes:
    """An array of one text block around a raw JSON string."""
    return b'[{"type":"text","text":' + text + b"}]"


def clean_name(name: str) -> str:
    """A session name on one line: runs of CR and LF become a space, then trimmed."""
    return js_trim(_NEWLINES.sub(" ", name))


def one_line(raw: bytes | None) -> bytes | None:
    """Without white space between tokens if that would break the line; None stays None."""
    if raw is not None and (b"\n" in raw or b"\r" in raw):
        return minify(raw)
    return raw
