"""Texts that agents put before a prompt, each an element with tags: `<name …>…</name>`."""

from __future__ import annotations

import re
from collections.abc import Collection

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
