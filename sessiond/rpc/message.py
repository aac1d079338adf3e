"""A received message, with or without its params decoded."""

from __future__ import annotations

from typing import Any

import attrs

from sessiond.rpc.codec import Envelope
from sessiond.rpc.dispatch import RegisteredMethod
from sessiond.rpc.params import decode_params


@attrs.frozen
class Ready:
    """A message whose params are decoded already; `error` is the exception if that failed."""

    envelope: Envelope
    params: Any = None
    error: Exception | None = None


Message = Envelope | Ready


def envelope_of(message: Message) -> Envelope:
    return message.envelope if isinstance(message, Ready) else message


def size_of(message: Message) -> int:
    """Number of bytes of the params."""
    return len(memoryview(envelope_of(message).params))


def params_of(message: Message, method: RegisteredMethod) -> Any:
    """The params as an object of the class that the method declares. Raises InvalidParams.

    With `takes_id` a pair: the params, and the id as JSON or None.
    """
    if method.takes_id:
        return _params(message, method), bytes(envelope_of(message).id) or None
    return _params(message, method)


def _params(message: Message, method: RegisteredMethod) -> Any:
    if isinstance(message, Envelope):
        return decode_params(method.decoder, message.params)
    if message.error is not None:
        raise message.error
    return message.params
