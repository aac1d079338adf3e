"""All exceptions: those of the client, and one class for each kind of error of the daemon."""

from __future__ import annotations

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
from sessiond_client.generated import errors as _generated
from sessiond_client.generated.errors import *  # noqa: F403 - all names of the contract

__all__ = [  # noqa: PLE0604 - strings, as generated
    "ClientClosed",
    "DaemonCrashed",
    "DaemonMissing",
    "ErrorAnswer",
    "InvalidAnswer",
    "MisplacedCall",
    "SessionLost",
    "SessiondError",
    "StreamEnded",
    *_generated.__all__,
]
