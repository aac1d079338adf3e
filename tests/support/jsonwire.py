"""JSON text as a JavaScript client would send it, from Python values or ready text."""

from __future__ import annotations

import json
import re
from typing import Any

import attrs

_SURROGATE = re.compile("[\ud800-\udfff]")


@attrs.frozen
class JsonText:
    """A value given as the very text to send, for spellings Python would not choose itself."""

    text: str


def dumps(value: Any) -> str:
    """As JSON.stringify: no spaces, non-ASCII raw, lone surrogates escaped."""
    if isinstance(value, JsonText):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(str(k))}:{dumps(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dumps, value)) + "]"
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", text)
