"""Clean texts of a session for people: remove terminal sequences and lone surrogates."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that the text can be encoded in UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def clean(text: str) -> str:
    """Remove terminal sequences and control characters; lines end with LF alone."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return whole(_CONTROL.sub("", text))
