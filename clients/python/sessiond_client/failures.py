"""The exceptions of the client. `errors` has a class for each kind of error of the daemon."""

from __future__ import annotations

from typing import Any


class SessiondError(Exception):
    """Base class of all exceptions of this package."""


class ErrorAnswer(SessiondError):
    """The daemon answered with an error.

    `kind` and `retryable` are None for errors of JSON-RPC itself. `retryable` says whether the same
    request can succeed later.
    """

    def __init__(self, code: int, message: str, data: dict[str, Any]) -> None:
        super().__init__(code, message, data)  # from which `copy` and `pickle` make it again
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return self.message

    @property
    def kind(self) -> str | None:
        return self.data.get("kind")

    @property
    def retryable(self) -> bool | None:
        return self.data.get("retryable")


class DaemonMissing(SessiondError):
    """The program cannot be found or started; the message names it and says what to do."""


class DaemonCrashed(SessiondError):
    """The daemon ended unexpectedly, and the client cannot recover from it.

    Either it crashed several times in a row, or it is unknown whether a request in flight was
    carried out.
    """


class SessionLost(SessiondError):
    """The daemon crashed, and the session could not be opened again."""


class InvalidAnswer(SessiondError, ValueError):
    """An answer of the daemon does not fit the contract; the message has the place."""


class ClientClosed(SessiondError):
    """The client was closed, was not opened yet, or was opened before this process was forked."""


class MisplacedCall(SessiondError, RuntimeError):
    """The call would wait for ever: it is made in another event loop than that of the client.

    Or, in the blocking form, in a callback, which must not wait for its own client.
    """


class StreamEnded(SessiondError):
    """No more values will come: the session, the subscription or the stream was closed."""
