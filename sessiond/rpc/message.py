"""A received message, with or without its params decoded."""

from __future__ import annotations

from typing import Any

import msgspec

from sessiond.rpc.codec import Envelope
from sessiond.rpc.dispatch import RegisteredMethod


class Ready(msgspec.Struct, frozen=True, eq=False):
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
    if isinstance(message, Envelope):
        params = method.decode(message.params)
    elif message.error is not None:
        raise message.error
    else:
        params = message.params
    return (params, bytes(envelope_of(message).id) or None) if method.takes_id else params
