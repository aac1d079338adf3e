"""The published OpenRPC document, as `rpc.discover` answers it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

if TYPE_CHECKING:
    from importlib.abc import ResourceLoader

FILE = Path(__file__).with_name("openrpc.json")


def document() -> bytes:
    """Return the document as it is installed with this contract."""
    # From the loader, because another build may have replaced the file since. `pkgutil` would do
    # the same, but importing it takes a hundredth of the start-up time.
    return cast("ResourceLoader", __spec__.loader).get_data(str(FILE))


class _Listed(msgspec.Struct):
    name: str
    sender: str = msgspec.field(default="client", name="x-sender")


def names() -> tuple[list[str], list[str]]:
    """Return the names of the methods and of the notifications, without making their classes."""
    described = msgspec.json.decode(document(), type=dict[str, msgspec.Raw])
    listed = msgspec.json.decode(described["methods"], type=list[_Listed])
    methods = [each.name for each in listed if each.sender == "client"]
    return methods, [each.name for each in listed[len(methods) :]]


def published() -> bytes:
    """Return the document as JSON on one line."""
    return msgspec.json.format(document(), indent=-1)
