"""A client of sessiond, the daemon that serves the session files of coding agents.

    async with Sessiond() as client:
        session = await client.session_continue_recent(".")
        await session.append_message({"role": "user", "content": "hello"})
        async for change in session.changes():
            print(change.kind, change.entries)

`sessiond_client.blocking` is the same client without asyncio. `sessiond_client.contract` has the
classes of results, entries, messages and content blocks, `sessiond_client.errors` the exceptions.
"""

from __future__ import annotations

from msgspec import UNSET, Raw, UnsetType

from sessiond_client.client import Sessiond
from sessiond_client.exact import parse, raw_json
from sessiond_client.failures import (
    ClientClosed,
    DaemonCrashed,
    DaemonMissing,
    ErrorAnswer,
    SessiondError,
    SessionLost,
)
from sessiond_client.feed import Stream
from sessiond_client.session import Session
from sessiond_client.subscription import Subscription

__all__ = [
    "UNSET",
    "ClientClosed",
    "DaemonCrashed",
    "DaemonMissing",
    "ErrorAnswer",
    "Raw",
    "Session",
    "SessionLost",
    "Sessiond",
    "SessiondError",
    "Stream",
    "Subscription",
    "UnsetType",
    "parse",
    "raw_json",
]
