"""Damages to the bytes of any file, shared by the campaigns that damage files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Damage = Callable[[bytes, random.Random], bytes]
"""The damaged bytes, given those of a healthy file that is not empty."""


_ODD = [
    *(b"null", b"true", b"[]", b"{}", b'""', b"-0", b"1e400", b"-1e400", b"9007199254740993"),
    *(b"1" + b"0" * 400, rb'"\ud83d"', rb'"a\u0000b"', b'"\xff\xfe"', b'["x"]', b'{"a":{}}'),
]
_VALUE = re.compile(rb'(?<=:)(?:"[^"]*"|-?[0-9.]+|true|false|null|\[[^\[\]]*\])')
_NAME = re.compile(rb'"([a-zA-Z_]+)":')


def flipped(text: bytes, chance: random.Random) -> bytes:
    """Flip some bits."""
    damaged = bytearray(text)
    for _ in range(chance.randrange(1, 20)):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def cut(text: bytes, chance: random.Random) -> bytes:
    """Remove a part, or the end."""
    start, end = sorted(chance.randrange(len(text)) for _ in range(2))
    return text[:start] + text[end:] if chance.random() < 0.5 else text[:end]


def spliced(text: bytes, chance: random.Random) -> bytes:
    """Repeat a part at another place."""
    start, end, at = (chance.randrange(len(text)) for _ in range(3))
    return text[:at] + text[min(start, end) : max(start, end)] + text[at:]


def with_nul(text: bytes, chance: random.Random) -> bytes:
    """Insert NUL bytes."""
    at = chance.randrange(len(text))
    return text[:at] + b"\0" * chance.choice([1, 4096]) + text[at:]


def not_utf8(text: bytes, chance: random.Random) -> bytes:
    """Insert bytes that are not UTF-8."""
    damaged = bytearray(text)
    for _ in range(chance.randrange(1, 5)):
        damaged[chance.randrange(len(damaged))] = chance.randrange(0x80, 0x100)
    return bytes(damaged)


def swapped(text: bytes, chance: random.Random) -> bytes:
    """Replace some values by values of other types."""
    share = chance.choice([0.02, 0.2, 0.9])
    return _VALUE.sub(
        lambda match: chance.choice(_ODD) if chance.random() < share else match[0], text
    )


def deep(text: bytes, chance: random.Random) -> bytes:
    """Nest a value deeply."""
    depth = chance.choice([200, 900, 2000, 100_000])
    places = [match.end() for match in re.finditer(b":", text)]
    at = chance.choice(places or [0])
    return text[:at] + b"[" * depth + b"]" * depth + b',"deep":' + text[at:]


def in_a_name(text: bytes, chance: random.Random) -> bytes:
    """Damage a byte of the name of a member."""
    names = [match.span(1) for match in _NAME.finditer(text)]
    if not names:
        return text
    damaged = bytearray(text)
    damaged[chance.randrange(*chance.choice(names))] = chance.randrange(0x80, 0x100)
    return bytes(damaged)


DAMAGES: list[Damage] = [
    *(flipped, cut, spliced, with_nul, not_utf8, in_a_name, swapped, swapped, deep),
    lambda text, _chance: b"\xef\xbb\xbf" + text,
    lambda text, _chance: text.replace(b"\n", b"\r\n"),
    lambda text, chance: b"\n" * chance.randrange(1, 5000) + text,
    lambda _text, chance: chance.choice([b"", b" \n", b"null", b"[]", b"{", b"{}\n", b"\xff"]),
]
"""Everything that may have happened to a file of lines."""
