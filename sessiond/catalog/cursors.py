"""Opaque places in sorted lists.

They name the last item seen, not a number, so that what comes or goes in between neither repeats
nor hides others.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

import orjson

from sessiond.errors import InvalidCursor


def cursor(query: str, numbers: tuple[float, ...], path: str) -> str:
    """Mark a place in what `query` asked for."""
    # A number beyond all others has no JSON.
    place = [None if number == float("inf") else number for number in numbers]
    shown = [_bound(query), place, path.encode(errors="surrogateescape").hex()]
    return base64.urlsafe_b64encode(orjson.dumps(shown)).decode()


def place(cursor: str, query: str, count: int) -> tuple[tuple[float, ...], str]:
    """Read the place back: `count` numbers and a path. Raises InvalidCursor for another query's."""
    try:
        asked, numbers, path = orjson.loads(base64.urlsafe_b64decode(cursor))
        read = tuple(float("inf") if number is None else float(number) for number in numbers)
        found = bytes.fromhex(path).decode(errors="surrogateescape")
    except (ValueError, TypeError, binascii.Error):
        raise InvalidCursor("Not a cursor; begin again without one") from None
    if asked != _bound(query) or len(read) != count:
        raise InvalidCursor("The cursor belongs to another list; begin again without one")
    return read, found


def _bound(query: str) -> str:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:16]
