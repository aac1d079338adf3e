"""Decide whether a reply is silent, also while it is still coming."""

from __future__ import annotations

import functools
import re

from sessiond.agents.dialect import USUAL, Dialect
from sessiond.text.spans import JS_SPACE

SILENT_TOKEN = "NO_REPLY"  # noqa: S105 - a word, not a secret


def is_silent(text: str, token: str = SILENT_TOKEN, dialect: Dialect = USUAL) -> bool:
    """Whether a reply begins with the token, or ends with it except for punctuation.

    Only ASCII letters, digits and `_` form words, and the case of the token counts. In OpenClaw the
    whole reply must be the token, in any case.
    """
    if dialect.silence_is_whole:
        return text.strip(JS_SPACE).upper() == token.upper()
    return bool(text) and _pattern(token).search(text) is not None


def could_become_silent(text: str, token: str = SILENT_TOKEN, dialect: Dialect = USUAL) -> bool:
    """Whether the end of an incomplete reply could be the beginning of the token.

    Such text is held back until this is decided, so that the token is never shown.
    """
    if is_silent(text, token, dialect):
        return False
    if dialect.silence_is_whole:
        return token.upper().startswith(text.lstrip(JS_SPACE).upper())
    if token.startswith(text.lstrip(JS_SPACE)):
        return True
    return any(
        text.endswith(token[:size]) and _BOUNDARY.match(text, len(text) - size)
        for size in range(min(len(token), len(text)) - 1, 0, -1)
    )


_BOUNDARY = re.compile(r"\b", re.ASCII)


@functools.lru_cache(maxsize=16)
def _pattern(token: str) -> re.Pattern[str]:
    word = re.escape(token)
    leading = rf"\A[{JS_SPACE}]*{word}(?=\Z|\W)"
    trailing = rf"\b{word}\b\W*+\Z"
    return re.compile(f"{leading}|{trailing}", re.ASCII)
