"""JSON values with the semantics of JavaScript: lengths, truth, and JSON.stringify (ECMA-262)."""

from __future__ import annotations

import re

import orjson

from sessiond.text.parts import object_members
from sessiond.text.respell import STRINGS, Style, respell
from sessiond.text.spans import js_string, loads

# What orjson spells differently from JavaScript: numbers outside strings, and names of members.
_ODD_NUMBER = re.compile(rb"[0-9][.eE]|[0-9]{16}|-0")
_INDEX_NAME = re.compile(rb'"[0-9]+"\s*:')
_LARGEST_INDEX = 2**32 - 2
_INDEX_DIGITS = 10


def utf16_length(text: str) -> int:
    """Return `text.length` of JavaScript: a character outside the BMP counts two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_key(text: str) -> bytes:
    """Return a key that sorts by code unit, as `sort()` in JavaScript does."""
    return text.encode("utf-16-be", "surrogatepass")


def utf16_head(text: str, units: int) -> str:
    """Return at most the first `units` code units, without splitting a surrogate pair."""
    if text.isascii() or len(text) * 2 <= units:
        return text[:units]
    encoded = text[: units + 1].encode("utf-16-le", "surrogatepass")
    if len(encoded) <= 2 * units:
        return text
    at = 2 * units
    high, low = encoded[at - 1 : at], encoded[at + 1 : at + 2]
    if b"\xd8" <= high <= b"\xdb" and b"\xdc" <= low <= b"\xdf":
        at -= 2
    return encoded[:at].decode("utf-16-le", "surrogatepass")


def truthy(raw: bytes | None) -> bool:
    """Whether a value is true in JavaScript; None means undefined."""
    if not raw or raw in {b'""', b"null", b"false"}:
        return False
    return raw[0] not in b"-0123456789" or float(raw) != 0


def entries_of(raw: bytes) -> list[tuple[str, bytes]]:
    """Return `Object.entries` of an object: array indices first, in numeric order."""
    members = object_members(raw)
    order = _indices_first([js_string(name) for name in members])
    return [(name, members[name]) for name in map(loads, order)]


def stringify(raw: bytes) -> str:
    """Return `JSON.stringify(JSON.parse(raw))`; `raw` must be valid JSON of any depth."""
    if not _ODD_NUMBER.search(STRINGS.sub(b"", raw)) and not _INDEX_NAME.search(raw):
        try:
            return orjson.dumps(orjson.loads(raw)).decode()
        except (ValueError, TypeError):
            # Lone surrogates, or too deep for the decoder or the encoder.
            pass
    return respell(raw, _JAVASCRIPT).decode()


def _indices_first(names: list[bytes]) -> list[bytes]:
    indices = [name for name in names if _is_index(name)]
    if not indices:
        return names
    others = [name for name in names if not _is_index(name)]
    return sorted(indices, key=lambda name: int(name[1:-1])) + others


def _is_index(name: bytes) -> bool:
    """Whether a name, as a JSON string, is an array index in its canonical spelling."""
    digits = name[1:-1]
    if not digits.isdigit() or len(digits) > _INDEX_DIGITS:
        return False
    return (digits == b"0" or digits[:1] != b"0") and int(digits) <= _LARGEST_INDEX


def number_text(token: bytes) -> str:
    """Spell a JSON number as JavaScript does; `null` if it exceeds the range of a double."""
    value = float(token)
    if value in (float("inf"), float("-inf")):
        return "null"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    # The significant digits, and the exponent: the value is 0.digits times 10^point.
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    point = len(whole) - leading + int(exponent or 0)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    shown = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{shown}e{'+' if point > 0 else '-'}{abs(point - 1)}"


_JAVASCRIPT = Style(number=lambda token: number_text(token).encode(), order=_indices_first)
