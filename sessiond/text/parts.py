"""Read parts of valid JSON as bytes, at any depth of nesting.

A decoder counts its recursion on top of the caller's. A line that could be decoded when it was
read may therefore be too deep in another place. These functions fall back to tokens in that case,
and for lone surrogates, which msgspec refuses.
"""

from __future__ import annotations

import re

import msgspec

from sessiond.text.spans import STRING, Buffer, is_json, loads, members
from sessiond.text.utf8 import readable

_STRUCTURE = re.compile(STRING + rb"|[\[\]{},]", re.DOTALL)
_decode_array = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def object_members(raw: bytes) -> dict[str, bytes]:
    """Return the members of the object `raw` by name; of duplicates the last one counts.

    `raw` must be a valid JSON object.
    """
    try:
        return {name: bytes(value) for name, value in _decode_object(raw).items()}
    except (msgspec.MsgspecError, RecursionError):
        return {member.name: raw[member.start : member.end] for member in members(raw)}


def members_of_line(line: bytes) -> dict[str, bytes] | None:
    """Return the members of a line of any bytes; None if it is not a JSON object.

    Bytes that are not UTF-8 are replaced in names and values, as `utf8.readable` does.
    """
    line = readable(line)
    try:
        return {name: bytes(value) for name, value in _decode_object(line).items()}
    except (msgspec.MsgspecError, RecursionError):
        # Lone surrogates, or nested too deeply for the decoder; else it is no object.
        is_object = line.lstrip().startswith(b"{") and is_json(line)
        return object_members(line) if is_object else None


def join_members(*pairs: tuple[str, bytes | None]) -> bytes:
    """Build an object from names and raw values; members whose value is None are left out."""
    # One `join` of bytes, because that releases the interpreter while it copies large values.
    parts = [b"{"]
    for name, value in pairs:
        if value is not None:
            parts += (b'"%b":' % name.encode(), value, b",")
    if len(parts) == 1:
        return b"{}"
    parts[-1] = b"}"
    return b"".join(parts)


def string_of(raw: bytes | None) -> str | None:
    """Return the value of a JSON string; None for any other value and for None."""
    if raw is None or not raw.startswith(b'"'):
        return None
    return str(loads(raw))


def elements(raw: Buffer) -> list[bytes]:
    """Return the elements of the array `raw` in order; none for a value that is not an array.

    `raw` must be valid JSON.
    """
    try:
        return [bytes(element) for element in _decode_array(raw)]
    except (msgspec.MsgspecError, RecursionError):
        # Lone surrogates, or nested too deeply for the decoder.
        text = bytes(raw).strip()
        return _elements_by_tokens(text) if text[:1] == b"[" else []


def _elements_by_tokens(raw: bytes) -> list[bytes]:
    if not raw[1:-1].strip():
        return []
    values = []
    depth, start = 0, 1
    for token in _STRUCTURE.finditer(raw):
        first = raw[token.start()]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
        elif first == 0x2C and depth == 1:
            values.append(raw[start : token.start()].strip())
            start = token.end()
    values.append(raw[start:-1].strip())
    return values
