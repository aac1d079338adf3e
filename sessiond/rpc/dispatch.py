"""The parts of request handling: methods, started coroutines, batches, error objects."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal

import attrs
import msgspec
from sessiond_protocol.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    JSON_RPC_KINDS,
    REQUEST_CANCELLED,
)

from sessiond.errors import (
    InvalidParams,
    InvalidRequest,
    OutOfResources,
    ProtocolError,
    SessiondError,
)
from sessiond.jsontext.spans import Buffer, Json
from sessiond.rpc import codec
from sessiond.rpc.params import decode_params, members_of, refuse_unknown

logger = logging.getLogger(__name__)

Kind = Literal["request", "notification"]
Run = Callable[[Any], Coroutine[Any, Any, Any]]
Send = Callable[[bytes | Json], None]


@attrs.frozen
class Joint:
    """How requests of a method that arrive one after another can be served together.

    `run` gets the params of several requests with equal `key`s. It returns the result of each, or
    the exception that is its answer; for the first ones only, if the others have to be served one
    by one.
    """

    key: Callable[[Any], object]
    run: Callable[[Sequence[Any]], Coroutine[Any, Any, Sequence[Any]]]


@attrs.define(slots=False)
class RegisteredMethod:
    """A method that is served. Without slots, because its decoder is created on first use."""

    name: str
    run: Run
    params_type: type | None
    kind: Kind
    lane: str = ""
    """Methods of the same lane share their limits; "" is started on arrival, without limits."""
    expected_bytes: int = 0
    """Expected size in bytes of an answer that is not ready at once."""
    takes_id: bool = False
    """Whether `run` takes a pair: the params, and the id as JSON, None for a notification."""
    joint: Joint | None = None
    closed: bool = False
    """Whether params that are not members of `params_type` are refused."""

    def decode(self, raw: msgspec.Raw) -> Any:
        """Return params as an object of `params_type`. Raises InvalidParams."""
        params = decode_params(self.decoder, raw)
        if self.closed:
            refuse_unknown(raw, self._members)
        return params

    @functools.cached_property
    def _members(self) -> frozenset[str]:
        return members_of(self.params_type)

    @functools.cached_property
    def decoder(self) -> msgspec.json.Decoder[Any] | None:
        """Created for the first request, because creating all decoders at the start is slow."""
        return None if self.params_type is None else msgspec.json.Decoder(self.params_type)

    def learn(self, size: int) -> None:
        """Adapt `expected_bytes` to the size of an answer: upwards at once, downwards by halves."""
        self.expected_bytes = max(size, self.expected_bytes // 2)


@attrs.frozen
class RpcRules:
    """What a protocol that is based on JSON-RPC does in a way of its own."""

    batches: bool = True
    """Whether a batch is served; otherwise it is refused as a whole."""
    answers_cancelled: bool = True
    """Whether a request that was cancelled is answered, with an error."""


ANSWERED_LATER = object()
"""Returned by a handler that sends the answer itself, later; the request counts as finished."""


class Started(Coroutine[Any, Any, Any]):
    """Wraps a coroutine that was run to its first suspension, so that a task can continue it.

    `waiting_for` is what that suspension yielded: a future, or None to be resumed soon.
    """

    def __init__(
        self, coroutine: Coroutine[Any, Any, Any], waiting_for: asyncio.Future[Any] | None
    ) -> None:
        self._coroutine = coroutine
        self._waiting_for = waiting_for
        self._in_task = False

    def send(self, value: Any) -> Any:
        if self._in_task:
            return self._coroutine.send(value)
        self._in_task = True
        return self._waiting_for

    def throw(self, *error: Any) -> Any:
        if not self._in_task:
            # Cancelled before the task's first step. Do as a task does: cancel the future that the
            # coroutine waits for, which then raises the error in the coroutine.
            self._in_task = True
            if self._waiting_for is not None and self._waiting_for.cancel():
                return self._waiting_for
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        raise NotImplementedError


@attrs.define(eq=False)
class Batch:
    """Collects the answers of a batch and sends them as one array after the last one."""

    send: Send
    missing: int
    done: Callable[[], None] = lambda: None
    """Called when all answers have been added."""
    answers: list[bytes | Json] = attrs.field(factory=list)
    size: int = 0
    """Bytes of the answers so far."""

    def add(self, answer: bytes | Json | None) -> None:
        if answer is not None:
            self.answers.append(answer)
            self.size += len(answer) if isinstance(answer, bytes) else answer.size
        self.missing -= 1
        if self.missing:
            return
        try:
            if self.answers:
                self._send_all()
        finally:
            self.answers = []
            self.done()

    def _send_all(self) -> None:
        try:
            parts: list[Buffer] = []
            for one in self.answers:
                parts.append(b"," if parts else b"[")
                parts += [one] if isinstance(one, bytes) else one.parts
            parts.append(b"]")
            self.send(Json(parts))
        except Exception:
            logger.exception("A batch cannot be answered")
            self.send(codec.LAST_RESORT % b"null")


def describe(error: BaseException, method: str) -> dict[str, Any]:
    """Return the error object for an exception; an unexpected one is logged with a traceback."""
    shortage = OutOfResources.of(error)
    if shortage is not None:
        logger.warning("%s failed: %s", method, shortage.data["strerror"])
        error = shortage
    match error:
        case SessiondError():
            data = {"kind": error.kind, "retryable": error.retryable, **error.data}
            return {"code": error.code, "message": error.message, "data": data}
        case InvalidParams():
            return protocol_error(INVALID_PARAMS, error.message, pointer=error.pointer)
        case ProtocolError():
            return {"code": error.code, "message": error.message, **error.data}
        case InvalidRequest():
            return protocol_error(INVALID_REQUEST, str(error))
        case asyncio.CancelledError():
            return protocol_error(REQUEST_CANCELLED, f"{method} was cancelled")
    logger.error("%s failed", method, exc_info=error)
    what = f"{type(error).__name__}: {error}"
    return protocol_error(INTERNAL_ERROR, f"Internal error in {method}: {what}")


def protocol_error(code: int, message: str, **data: object) -> dict[str, Any]:
    """Return the error object of an error of JSON-RPC itself, whose kind follows from its code."""
    described = {"kind": JSON_RPC_KINDS[code], "retryable": False, **data}
    return {"code": code, "message": message, "data": described}
