"""Texts that agents put before a prompt: elements with tags, and metadata of who sent it."""

from __future__ import annotations

import re
from collections.abc import Collection

_METADATA = re.compile(r"\s*[A-Z][A-Za-z ]{0,60}\(untrusted metadata\):\n```json\n")
_FENCE = "\n```"
_SENT = re.compile(r"\s*\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d(?: [^\]\n]{1,40})?\] ?")
_OPENS = re.compile(r"\s*<([A-Za-z][A-Za-z_-]{0,60})(?:\s[^<>]{0,400})?>")


def injected_length(text: str, names: Collection[str]) -> int:
    """Return the length of the elements with these names with which a text begins.

    An element counts only if its own end tag closes it, so a prompt may begin with any tag. White
    space before an element belongs to it. Linear in the length of the text.
    """
    end = 0
    while (opened := _OPENS.match(text, end)) is not None and opened[1] in names:
        tag = f"</{opened[1]}>"
        closed = text.find(tag, opened.end())
        if closed < 0:
            break
        end = closed + len(tag)
    return end


def without_metadata(text: str) -> str:
    """Return a message without the blocks about its sender that gateways put before it.

    These are a line that ends with `(untrusted metadata):` and JSON in a fence, and the time behind
    them in brackets (openclaw/openclaw #39722). Linear in the length of the text.
    """
    end = 0
    while (begin := _METADATA.match(text, end)) is not None:
        fence = text.find(_FENCE, begin.end() - 1)
        if fence < 0:
            break
        end = fence + len(_FENCE)
    if not end:
        return text
    sent = _SENT.match(text, end)
    return text[sent.end() if sent is not None else end :].strip()
