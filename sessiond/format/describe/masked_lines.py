"""Mask secrets in the lines of a session, so that each line stays what it was otherwise."""

from __future__ import annotations

import json
import re

from sessiond.format.describe.secrets import masked, may_be_masked

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"(?P<colon>\s*:)?|\\?(?P<cut>\Z))', re.DOTALL)
_ESCAPED = ("\\u", "\\/")
"""Escapes that may hide a character of a secret."""


def masked_line(line: bytes) -> bytes:
    """The line with secrets of known forms masked in its strings; all other bytes are kept.

    Strings are masked one by one, because a secret that is cut off extends to the end of its text.
    A line that is not UTF-8 or has unfinished strings is masked as one text.
    """
    text = line.decode("utf-8", "surrogateescape")
    if not may_be_masked(text) and not any(escape in text for escape in _ESCAPED):
        return line
    key = ""

    def mask(found: re.Match[str]) -> str:
        nonlocal key
        written = found[0]
        if found["colon"] is not None:
            key = written[1 : written.rindex('"')]
            return _masked_string(written[: written.rindex('"') + 1], "") + found["colon"]
        of_key, key = key, ""
        return _masked_string(written, of_key)

    if any(found["cut"] is not None for found in _STRING.finditer(text)):
        return masked(text).encode("utf-8", "surrogateescape")
    return _STRING.sub(mask, text).encode("utf-8", "surrogateescape")


def _masked_string(written: str, key: str) -> str:
    try:
        value = json.loads(written, strict=False)
    except ValueError:
        return masked(written)
    hidden = masked(value)
    # Some forms are only recognised after the name of the secret.
    if key and hidden == value and not masked(f"{key}={value}").endswith(f"={value}"):
        hidden = "[masked]"
    if hidden == value:
        return written
    # Lone surrogates, which stood for bytes or escapes, are written as they were read.
    return json.dumps(hidden, ensure_ascii="\\" in written)
