"""All exceptions: those of the client, and one for every kind of error the daemon answers with."""

from __future__ import annotations

from sessiond_client.failures import (
    ClientClosed,
    DaemonCrashed,
    DaemonMissing,
    ErrorAnswer,
    SessiondError,
    SessionLost,
)
from sessiond_client.generated import errors as _generated
from sessiond_client.generated.errors import *  # noqa: F403 - whatever the contract has

__all__ = [  # noqa: PLE0604 - strings, as generated
    "ClientClosed",
    "DaemonCrashed",
    "DaemonMissing",
    "ErrorAnswer",
    "SessionLost",
    "SessiondError",
    *_generated.__all__,
]
