"""Parts of valid JSON as the bytes they are, however deep it nests.

Decoders count their recursion on top of the caller's, so a line that could be decoded when it was
read may be too deep where it is looked at later. These functions do not mind.
"""

from __future__ import annotations

import re

import msgspec

from sessiond.jsontext.spans import Buffer, loads, members, raw_members

_STRUCTURE = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)
_decode = msgspec.json.Decoder(list[msgspec.Raw]).decode


def object_members(raw: bytes) -> dict[str, bytes]:
    """The members of the object `raw` by name, of duplicates the last; it must be valid JSON."""
    try:
        return raw_members(raw)
    except ValueError:
        return {member.name: raw[member.start : member.end] for member in members(raw)}


def string_of(raw: bytes | None) -> str | None:
    """The value of a JSON string; None for any other value and for None."""
    if raw is None or not raw.startswith(b'"'):
        return None
    return str(loads(raw))


def elements(raw: Buffer) -> list[bytes]:
    """Each element of the array `raw`, in order; nothing for a value that is no array.

    `raw` must be valid JSON.
    """
    try:
        return [bytes(element) for element in _decode(raw)]
    except (msgspec.MsgspecError, RecursionError):
        # No array, or one with lone surrogates or too deep for the decoder.
        return _split(bytes(raw).strip())


def _split(raw: bytes) -> list[bytes]:
    if raw[:1] != b"[" or not raw[1:-1].strip():
        return []
    found = []
    depth, start = 0, 1
    for token in _STRUCTURE.finditer(raw):
        first = raw[token.start()]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
        elif first == 0x2C and depth == 1:
            found.append(raw[start : token.start()].strip())
            start = token.end()
    found.append(raw[start:-1].strip())
    return found
