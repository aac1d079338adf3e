"""Damages to the bytes of any file, shared by the campaigns that damage files."""

from __future__ import annotations

import random
from collections.abc import Callable

Damage = Callable[[bytes, random.Random], bytes]
"""The damaged bytes, given those of a healthy file that is not empty."""


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
