"""A client of sessiond, the daemon that serves the session files of coding agents.

    async with Sessiond() as client:
        session = await client.session_continue_recent(".")
        await session.append_message(user_text("hello"))
        async for change in session.changes():
            print(change.kind, change.entries)

`sessiond_client.blocking` is the same client without asyncio. The classes of results, entries,
messages and content blocks, and the exceptions, can be imported from here.
"""

from __future__ import annotations

from importlib.metadata import version

from msgspec import UNSET, Raw, UnsetType

from sessiond_client.client import Sessiond
from sessiond_client.events import (
    Lost,
    Reconnected,
    SessionChange,
    SessionReconnected,
    SubscriptionReconnected,
)
from sessiond_client.exact import parse, raw_json
from sessiond_client.failures import (
    ClientClosed,
    DaemonCrashed,
    DaemonMissing,
    ErrorAnswer,
    InvalidAnswer,
    MisplacedCall,
    SessiondError,
    SessionLost,
    StreamEnded,
)
from sessiond_client.feed import Stream
from sessiond_client.generated import contract as _contract
from sessiond_client.generated import errors as _errors
from sessiond_client.generated.contract import *  # noqa: F403 - all names of the contract
from sessiond_client.generated.errors import *  # noqa: F403 - all errors of the daemon
from sessiond_client.message import assistant_message, user_text
from sessiond_client.session import Session
from sessiond_client.subscription import Subscription
from sessiond_client.times import as_datetime

__version__ = version("sessiond-client")

__all__ = [
    "UNSET",
    "ClientClosed",
    "DaemonCrashed",
    "DaemonMissing",
    "ErrorAnswer",
    "InvalidAnswer",
    "Lost",
    "MisplacedCall",
    "Raw",
    "Reconnected",
    "Session",
    "SessionChange",
    "SessionLost",
    "SessionReconnected",
    "Sessiond",
    "SessiondError",
    "Stream",
    "StreamEnded",
    "Subscription",
    "SubscriptionReconnected",
    "UnsetType",
    "__version__",
    "as_datetime",
    "assistant_message",
    "parse",
    "raw_json",
    "user_text",
]
# Type checkers understand this form.
__all__ += _contract.__all__
__all__ += _errors.__all__
