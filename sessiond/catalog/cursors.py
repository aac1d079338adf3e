"""Cursors: opaque positions in sorted lists.

A cursor names the last item seen and not an index, so that items added or removed between two
pages neither repeat nor hide others.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

import orjson

from sessiond.runtime.errors import InvalidCursor


def cursor(query: str, numbers: tuple[float, ...], path: str) -> str:
    """Encode a position in the results of `query`."""
    # JSON has no infinity.
    place = [None if number == float("inf") else number for number in numbers]
    content = [_bound(query), place, path.encode(errors="surrogateescape").hex()]
    return base64.urlsafe_b64encode(orjson.dumps(content)).decode()


def place(cursor: str, query: str, count: int) -> tuple[tuple[float, ...], str]:
    """Decode a cursor into `count` numbers and a path.

    Raises InvalidCursor if it is malformed or belongs to another query.
    """
    try:
        bound, numbers, path = orjson.loads(base64.urlsafe_b64decode(cursor))
        read = tuple(float("inf") if number is None else float(number) for number in numbers)
        decoded_path = bytes.fromhex(path).decode(errors="surrogateescape")
    except (ValueError, TypeError, binascii.Error):
        raise InvalidCursor("Not a cursor; begin again without one") from None
    if bound != _bound(query) or len(read) != count:
        raise InvalidCursor("The cursor belongs to another list; begin again without one")
    return read, decoded_path


def _bound(query: str) -> str:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:16]
