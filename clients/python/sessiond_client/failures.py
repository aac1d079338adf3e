"""What can go wrong. Errors the daemon answers with have classes of their own in `errors`."""

from __future__ import annotations

from typing import Any


class SessiondError(Exception):
    """Anything that this package raises by itself."""


class ErrorAnswer(SessiondError):
    """The daemon answered with an error.

    `kind` and `retryable` are None for errors of JSON-RPC itself. `retryable` says whether the
    very same request can succeed later.
    """

    def __init__(self, code: int, message: str, data: dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def kind(self) -> str | None:
        return self.data.get("kind")

    @property
    def retryable(self) -> bool | None:
        return self.data.get("retryable")


class DaemonMissing(SessiondError):
    """There is no such program to start; the message says which, and what to do."""


class DaemonCrashed(SessiondError):
    """The daemon ended without being asked to.

    Raised where the client cannot repair it: it ended again and again, or a request was in flight
    of which nobody can say whether it was done.
    """


class SessionLost(SessiondError):
    """The daemon crashed, and the session could not be opened again."""


class ClientClosed(SessiondError):
    """The client was closed, or not yet opened."""
