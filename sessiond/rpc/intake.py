"""Steps of a received message that take too long for the event loop.

Large bodies are decoded in a worker, their params included. The first request of a family waits
until a worker has imported its modules.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import attrs
import msgspec
from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.errors import PARSE_ERROR

from sessiond import limits
from sessiond.jsontext.spans import loads
from sessiond.jsontext.surrogates import without_lone_surrogates
from sessiond.rpc import codec
from sessiond.rpc.codec import ABSENT, BadMessage, Envelope
from sessiond.rpc.dispatch import Batch, RegisteredMethod, Send
from sessiond.rpc.events import BoundaryLost, Pieces, Unreadable
from sessiond.rpc.message import Message, Ready, envelope_of, size_of


class Methods(Protocol):
    """The functions of `protocol.Server` that requests use; that module imports this one."""

    def loaded(self, name: str) -> RegisteredMethod | None:
        """The registered method of this name. May be called in any thread."""

    def method(self, name: str) -> RegisteredMethod | None:
        """The method of this name, loaded if necessary, or None."""

    def unprepared(self, name: str) -> str | None:
        """The family of this method, if `prepare` has to be called before `method`."""

    async def prepare(self, family: str) -> None:
        """Do in a worker what `method` would take long for."""


def decode_large(
    received: bytes | Pieces, loaded: Callable[[str], RegisteredMethod | None]
) -> Message | list[Message | BadMessage]:
    """Decode a body, and the params of each large request whose method is loaded.

    Raises BadMessage.
    """
    body = received.joined() if isinstance(received, Pieces) else received
    message = codec.decode(body)
    if isinstance(message, Envelope):
        return _ready(message, loaded)
    return [_ready(one, loaded) if isinstance(one, Envelope) else one for one in message]


def _ready(message: Envelope, loaded: Callable[[str], RegisteredMethod | None]) -> Message:
    if message.method is UNSET or len(memoryview(message.params)) <= limits.INLINE_READ_BYTES:
        return message
    method = loaded(message.method)
    if method is None:
        return message
    try:
        return Ready(message, method.decode(message.params))
    except Exception as error:  # noqa: BLE001 - it becomes the answer of this request
        return Ready(message, error=error)


def unreadable(event: Unreadable | BoundaryLost) -> BadMessage:
    """The error for a message that cannot be read; lost boundaries are also told on stderr."""
    reason = event.reason if isinstance(event, Unreadable) else str(event)
    if isinstance(event, BoundaryLost):
        # Not through logging, which may be disabled or redirected.
        with suppress(OSError):
            os.write(2, f"sessiond: cannot find the next message: {reason}\n".encode())
    return BadMessage(PARSE_ERROR, reason)


@attrs.frozen(eq=False)
class HeldMessage:
    """A message that waits for an import, with its method and the session that it names."""

    name: str
    message: Message
    send: Send
    batch: Batch | None
    family: str | None
    session: str | None


class FirstUse:
    """Holds messages back while the modules of their family are imported.

    Later messages that name the same session wait behind them, so that requests of a session stay
    in order. `release` is called with each held message, in order, and with the exception if the
    import failed.
    """

    def __init__(
        self, methods: Methods, release: Callable[[HeldMessage, Exception | None], None]
    ) -> None:
        self._methods = methods
        self._release = release
        self.held: list[HeldMessage] = []
        """The messages that wait, in order of arrival."""
        self._bytes = 0
        self._importing: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self.held)

    @property
    def has_room(self) -> bool:
        """Whether another message may be read."""
        return len(self.held) < limits.RUNNING_PER_LANE and self._bytes < limits.WAITING_BYTES

    def hold(self, name: str, message: Message, send: Send, batch: Batch | None) -> bool:
        """Hold a message back if it has to wait; `name` is its method."""
        family = self._methods.unprepared(name)
        if family is None and not self.held:
            return False
        session = _session_of(message)
        if family is None and (session is None or all(session != it.session for it in self.held)):
            return False
        if self._importing is None:
            self._importing = asyncio.get_running_loop().create_task(self._import())
        self.held.append(HeldMessage(name, message, send, batch, family, session))
        self._bytes += size_of(message)
        return True

    def cancel(self, key: object) -> HeldMessage | None:
        """Take out the message with this id."""
        for number, held in enumerate(self.held):
            id_ = bytes(envelope_of(held.message).id)
            if id_ and loads(id_) == key:
                self._bytes -= size_of(held.message)
                return self.held.pop(number)
        return None

    def cancel_all(self) -> list[HeldMessage]:
        """Take out all messages."""
        held, self.held, self._bytes = self.held, [], 0
        return held

    async def _import(self) -> None:
        while family := next(filter(None, (held.family for held in self.held)), None):
            error = None
            try:
                await self._methods.prepare(family)
            except Exception as raised:  # noqa: BLE001 - an import may raise anything
                error = raised
            self._continue(family, error)
        self._importing = None

    def _continue(self, family: str, error: Exception | None) -> None:
        """Release what waited for this family, and what waited behind that."""
        for held in self.cancel_all():
            failed = error if held.family == family else None
            if failed or not self.hold(held.name, held.message, held.send, held.batch):
                self._release(held, failed)


class _SessionOnly(msgspec.Struct, gc=False):
    session: str | UnsetType = UNSET


_decode_session = msgspec.json.Decoder(_SessionOnly).decode


def _session_of(message: Message) -> str | None:
    """The session handle that the params name; None if they name none or are not valid."""
    if isinstance(message, Ready):
        handle = getattr(message.params, "session", None)
        return handle if isinstance(handle, str) else None
    params = message.params
    if params is ABSENT:
        return None
    try:
        named = _named(params)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return None if named is UNSET else named


def _named(params: Raw) -> str | UnsetType:
    try:
        return _decode_session(params).session
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return _decode_session(without_lone_surrogates(bytes(params))).session
