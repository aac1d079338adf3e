"""The messages in lines of a transcript, as gateways look for them: in a part of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sessiond.jsontext.spans import loads


def messages(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The message of each line that has one.

    The first and the last line of a part of a file may be incomplete. Lines that are not JSON are
    passed over, and bytes that are not UTF-8 become U+FFFD.
    """
    for line in lines:
        try:
            entry = loads(line.decode(errors="replace").encode())
        except ValueError:
            continue
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(message, dict):
            yield message
