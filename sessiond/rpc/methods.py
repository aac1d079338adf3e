"""The methods that are served, and the error objects of their exceptions."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import attrs
import msgspec
from sessiond_protocol.errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    JSON_RPC_KINDS,
    REQUEST_CANCELLED,
)

from sessiond.rpc.params import decode_params, members_of
from sessiond.runtime.errors import (
    InvalidParams,
    InvalidRequest,
    OutOfResources,
    ProtocolError,
    SessiondError,
)

logger = logging.getLogger(__name__)

Run = Callable[[Any], Coroutine[Any, Any, Any]]
RunTogether = Callable[[Sequence[Any]], Coroutine[Any, Any, Sequence[Any]]]


@attrs.define(slots=False)
class Method:
    """A method that is served. Without slots, because its decoder is created on first use.

    `run` takes the params as a `params_type`, or None if it has none. The result is an attrs
    object, a plain value, None, or a `Json`.
    """

    name: str
    run: Callable[[Any], Any]
    params_type: type | None
    is_urgent: bool = False
    """Whether it runs on arrival, before all that waits; `run` is then a plain function."""
    is_closed: bool = False
    """Whether params that are not members of `params_type` are refused."""
    together: RunTogether | None = None
    """Serves several requests on one session; returns the result of each, or its exception."""

    def decode(self, raw: msgspec.Raw) -> Any:
        """Return params as an object of `params_type`. Raises InvalidParams."""
        return decode_params(self._decoder, raw, self._members if self.is_closed else None)

    @functools.cached_property
    def _members(self) -> frozenset[str]:
        return members_of(self.params_type)

    @functools.cached_property
    def _decoder(self) -> msgspec.json.Decoder[Any] | None:
        """Created for the first request, because creating all decoders at the start is slow."""
        return None if self.params_type is None else msgspec.json.Decoder(self.params_type)


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
