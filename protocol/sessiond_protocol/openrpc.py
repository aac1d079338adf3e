"""The published OpenRPC document, as `rpc.discover` answers it."""

from __future__ import annotations

from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("openrpc.json")


def published() -> bytes:
    """Return the document as JSON on one line."""
    return msgspec.json.format(FILE.read_bytes(), indent=-1)
