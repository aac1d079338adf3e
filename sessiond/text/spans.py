"""Work on JSON (RFC 8259) as text: find and replace members in bytes without decoding values.

The daemon stores and forwards the bytes it received. These functions locate members in bytes and
replace them by other bytes. The fast paths use msgspec and orjson. Both refuse lone surrogate
escapes, which JavaScript often writes, so each has a slow path that works on tokens.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import attrs
import msgspec
import orjson

from sessiond.text.quotes import convert_outside
from sessiond.text.surrogates import without_lone_surrogates

Buffer = bytes | bytearray | memoryview

JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that trim() of JavaScript removes; strip() of Python removes other ones."""


JS_SPACES = re.compile(f"[{JS_SPACE}]+")


def js_trim(text: str) -> str:
    """`String.prototype.trim`."""
    return text.strip(JS_SPACE)


STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
"""Expression of a JSON string. Quantifiers are possessive, and a string that does not end extends
to the end of the text: a megabyte of `\\"` would otherwise be searched again from every quote."""
_STRING_OR_SPACE = re.compile(rb"(" + STRING + rb")|[ \t\r\n]+", re.DOTALL)
_NAME = re.compile(rb"[ \t\r\n,]*+(" + STRING + rb")[ \t\r\n]*+:[ \t\r\n]*+", re.DOTALL)
_SCALAR = re.compile(STRING + rb"|[^\[\]{},\" \t\r\n]++", re.DOTALL)
_MEMBER_END = re.compile(rb"[ \t\r\n]*+[,}]")
_TO_BRACKET = re.compile(rb"(?:[^\[\]{}\"]++|" + STRING + rb")*+[\[\]{}]", re.DOTALL)
_FLAT = re.compile(rb"[\[{](?:[^\[\]{}\"]++|" + STRING + rb")*+[\]}]", re.DOTALL)
_NUMBER = re.compile(rb"-?[0-9](?=[0-9.eE+-]{3})[0-9]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""Numbers of at least four characters; shorter ones are always safe."""
_SCALAR_OR_SIGN = re.compile(
    rb"[ \t\r\n]*+(?:"
    rb'("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")'
    rb"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)"
    rb"|([\[\]{},:])|\Z)"
)
# Escapes of surrogates, and exponents. All other JSON that orjson refuses takes many bytes: numbers
# with more digits than a double can hold, and deep nesting.
_REFUSED_BY_ORJSON = re.compile(rb"\\u[dD]|[0-9][eE]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SAFE_INTEGER = 2**53
_DOUBLE_DIGITS = 308
"""Integers with at most this many digits are within the range of a double."""
_ENCODER = msgspec.json.Encoder()
_RAW_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


@attrs.define
class Json:
    """An encoded JSON value in parts, which are written one after another without joining them."""

    parts: list[Buffer]

    @classmethod
    def of(cls, *parts: Buffer) -> Json:
        return cls(list(parts))

    @property
    def size(self) -> int:
        """Number of bytes."""
        return sum(len(part) for part in self.parts)

    def __bytes__(self) -> bytes:
        return b"".join(self.parts)


def js_string(text: str) -> bytes:
    """Encode a string as JSON.stringify does: only lone surrogates are escaped."""
    try:
        return _ENCODER.encode(text)
    except UnicodeEncodeError:
        quoted = json.dumps(text, ensure_ascii=False)
        return _SURROGATE.sub(lambda surrogate: f"\\u{ord(surrogate[0]):04x}", quoted).encode()


def loads(raw: Buffer) -> Any:
    """Decode to Python values; strings may contain lone surrogates.

    Integers beyond 64 bits may become floats, as in JavaScript. Raises ValueError for text that is
    not JSON, which includes NaN, and for nesting beyond the limit of the interpreter.
    """
    try:
        return orjson.loads(raw)
    except ValueError:
        if len(raw) < _DOUBLE_DIGITS and not _REFUSED_BY_ORJSON.search(raw):
            # A file may have a million short lines that are not JSON: fail fast.
            raise
        return _loads_slowly(raw)


def _loads_slowly(raw: Buffer) -> Any:
    try:
        return json.loads(bytes(raw).decode(), parse_constant=_refuse, parse_int=_integer)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _integer(digits: str) -> int | float:
    # Such an int cannot be converted to a float; JavaScript gives infinity.
    return int(digits) if len(digits) <= _DOUBLE_DIGITS else float(digits)


@attrs.frozen
class Member:
    """A top-level member of an object: its name and the positions of its key and value."""

    name: str
    key_start: int
    start: int
    end: int


def members(raw: bytes) -> list[Member]:
    """Return the top-level members of the object `raw`, in order, with duplicates.

    `raw` must be a valid JSON object of any depth. If it is cut off, the members before the cut are
    returned.
    """
    spans: list[Member] = []
    at = raw.index(b"{") + 1
    while name := _NAME.match(raw, at):
        value = _SCALAR.match(raw, name.end())
        end = value.end() if value else _end_of_container(raw, name.end())
        if not _MEMBER_END.match(raw, end):
            # The text is cut off in this member.
            break
        spans.append(Member(loads(name[1]), name.start(1), name.end(), end))
        at = end
    return spans


def _end_of_container(raw: bytes, start: int) -> int:
    """Return the end of the array or object that begins at `start`."""
    flat = _FLAT.match(raw, start)
    if flat:
        return flat.end()
    depth, at = 0, start
    # Not `finditer`: if no bracket is left, that searches again from every byte.
    while match := _TO_BRACKET.match(raw, at):
        at = match.end()
        depth += 1 if raw[at - 1] in b"[{" else -1
        if depth == 0:
            return at
    return len(raw)


def raw_members(raw: Buffer) -> dict[str, bytes]:
    """Return the top-level members of an object by name, values as bytes; the last duplicate wins.

    Raises ValueError if `raw` is not a JSON object.
    """
    try:
        return {name: bytes(value) for name, value in _RAW_MEMBERS.decode(raw).items()}
    except (msgspec.DecodeError, RecursionError):
        text = bytes(raw)
    try:
        _RAW_MEMBERS.decode(without_lone_surrogates(text))
    except (msgspec.DecodeError, RecursionError):
        if not isinstance(loads(text), dict):
            raise ValueError("not a JSON object") from None
    return {member.name: text[member.start : member.end] for member in members(text)}


def replace_member(raw: bytes, name: str, value: bytes) -> bytes:
    """Assign a member as JavaScript does: replace it in its place, or append it."""
    places = members(raw)
    spans = [member for member in places if member.name == name]
    if spans:
        # Of duplicates readers use the last value, so that is the one to replace.
        return raw[: spans[-1].start] + value + raw[spans[-1].end :]
    end = raw.rindex(b"}")
    comma = b"," if places else b""
    return raw[:end] + comma + js_string(name) + b":" + value + raw[end:]


def without_member(raw: bytes, name: str) -> bytes:
    """Delete every member with a name, as `delete` in JavaScript does."""
    kept = [member for member in members(raw) if member.name != name]
    return b"{" + b",".join(raw[member.key_start : member.end] for member in kept) + b"}"


def minify(raw: bytes) -> bytes:
    """Remove white space between tokens; strings are not changed."""
    if b"\0" in raw or b"\1" in raw:
        # Not JSON: control characters are escaped there.
        return _STRING_OR_SPACE.sub(rb"\1", raw)
    return convert_outside(raw, lambda text: text.translate(None, b" \t\r\n"))


def plain(raw: bytes) -> bytes:
    r"""Convert a value for clients with limited JSON libraries (`capabilities.plainJson`).

    Lone surrogates become `\ufffd`. Integers beyond 2^53 and numbers outside the range of a double
    become strings with the same spelling.
    """
    raw = without_lone_surrogates(raw)
    if b"\0" in raw or b"\1" in raw:
        # Not JSON: control characters are escaped there.
        return raw
    return convert_outside(raw, _plain_numbers)


def _plain_numbers(text: bytes) -> bytes:
    return _NUMBER.sub(_plain_number, text)


def _plain_number(match: re.Match[bytes]) -> bytes:
    digits = match[0]
    if digits.lstrip(b"-").isdigit():
        unsafe = len(digits) > 17 or abs(int(digits)) > _SAFE_INTEGER
    else:
        unsafe = float(digits) in (float("inf"), float("-inf"))
    return b'"' + digits + b'"' if unsafe else digits


def is_json(raw: bytes) -> bool:
    """Whether the UTF-8 text `raw` is one JSON value of any depth.

    Slow; use it for text that the decoders refuse.
    """
    closers = bytearray()  # of the arrays and objects that are open
    expected, at = "value", 0
    while match := _SCALAR_OR_SIGN.match(raw, at):
        at = match.end()
        string, scalar, sign = match.groups()
        if string is None and scalar is None and sign is None:
            return expected == "end" and not closers
        if sign is None and expected in ("value", "first value"):
            expected = "end"
        elif string is not None and expected in ("name", "first name"):
            expected = "colon"
        elif sign == b":" and expected == "colon":
            expected = "value"
        elif sign in (b"[", b"{") and expected in ("value", "first value"):
            closers += b"]" if sign == b"[" else b"}"
            expected = "first value" if sign == b"[" else "first name"
        elif sign == b"," and expected == "end" and closers:
            expected = "value" if closers[-1:] == b"]" else "name"
        elif closers[-1:] == sign and expected in ("end", "first value", "first name"):
            closers.pop()
            expected = "end"
        else:
            return False
    return False
