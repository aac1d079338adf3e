"""The published OpenRPC document, as `rpc.discover` answers it."""

from __future__ import annotations

from pathlib import Path

import attrs
import msgspec

FILE = Path(__file__).with_name("openrpc.json")


@attrs.frozen
class _Named:
    name: str


def names() -> tuple[list[str], list[str]]:
    """Return the names of the methods and of the notifications, without making their classes."""
    document = msgspec.json.decode(FILE.read_bytes(), type=dict[str, msgspec.Raw])
    return _names(document["methods"]), _names(document["x-notifications"])


def _names(described: msgspec.Raw) -> list[str]:
    return [each.name for each in msgspec.json.decode(described, type=list[_Named])]


def published() -> bytes:
    """Return the document as JSON on one line."""
    return msgspec.json.format(FILE.read_bytes(), indent=-1)
