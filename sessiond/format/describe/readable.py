"""Texts of a session for people: without what would steer a terminal or be half a character."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that the text has a form in UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def clean(text: str) -> str:
    """Take out terminal sequences and control characters; lines end with LF alone."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return whole(_CONTROL.sub("", text))
