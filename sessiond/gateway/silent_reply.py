"""Replies that say that there is nothing to say."""

from __future__ import annotations

import functools
import re

from sessiond.gateway.config.dialect import CODERCLAW, Dialect
from sessiond.jsontext.spans import JS_SPACE

TOKEN = "NO_REPLY"  # noqa: S105 - a word, not a secret


def is_silent(text: str, token: str = TOKEN, dialect: Dialect = CODERCLAW) -> bool:
    """Whether the reply begins with the token, or ends with it but for punctuation.

    Only ASCII letters, digits and `_` make words; the token's case counts. For OpenClaw the token
    has to be all of it, in any case.
    """
    if dialect.silence_is_whole:
        return text.strip(JS_SPACE).upper() == token.upper()
    return bool(text) and _pattern(token).search(text) is not None


def could_become_silent(text: str, token: str = TOKEN, dialect: Dialect = CODERCLAW) -> bool:
    """Whether the end of a reply that is still coming could be the beginning of the token.

    Such text is held back until that is decided, so that the token never flashes up.
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
