"""Answer every request exactly once, even after failures.

The steps are: decode, look up the method, decode params, run the handler, encode the answer, queue
it. An exception in any step becomes the answer. Handlers are started at once and continue in a task
only if they suspend.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from msgspec import UNSET
from sessiond_protocol.errors import INVALID_REQUEST, METHOD_NOT_FOUND

from sessiond import limits
from sessiond.errors import TooLarge
from sessiond.files import workers
from sessiond.jsontext.spans import loads
from sessiond.rpc import codec
from sessiond.rpc.admission import Admission, BatchArrived, Call, Refusal
from sessiond.rpc.answers import Answers
from sessiond.rpc.codec import ABSENT, BadMessage, Envelope
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import Batch, RegisteredMethod, RpcRules, Send, describe, protocol_error
from sessiond.rpc.events import BoundaryLost, Event, Oversized, Pieces
from sessiond.rpc.intake import FirstUse, HeldMessage, Methods, decode_large, unreadable
from sessiond.rpc.message import Message, Ready, envelope_of
from sessiond.rpc.running import Key, Running

logger = logging.getLogger(__name__)

Decoded = Message | Sequence[Message | BadMessage] | Exception
"""A message, the members of a batch, or why a body cannot be decoded."""


class Requests:
    """The requests of one connection, served by `methods`."""

    def __init__(self, connection: Connection, methods: Methods, rules: RpcRules) -> None:
        self.received = 0
        self.shut_down = False
        self._connection = connection
        self._methods = methods
        self._answers = Answers(connection, rules)
        self._admission = Admission(max(limits.WAITING_BYTES, connection.max_message_bytes))
        self._running = Running(connection, self._admission, self._answers)
        self._waiting: dict[Key, Call] = {}
        self._first_use = FirstUse(methods, self._release)
        self._decoding: asyncio.Task[None] | None = None
        self._starts_none = False

    @property
    def busy(self) -> bool:
        """Whether a received message is not finished yet."""
        return bool(
            self._running or self._admission.waiting or self._decoding or self._first_use.held
        )

    @property
    def unfinished(self) -> int:
        """Number of messages that are running or queued."""
        begun = len(self._running) + (self._decoding is not None)
        return begun + len(self._first_use) + self._admission.waiting

    @property
    def has_room(self) -> bool:
        """Whether another message may be read."""
        # Not while a body is decoded, so that messages stay in order.
        if self._decoding is not None or (self._first_use.held and not self._first_use.has_room):
            return False
        return self._admission.has_room

    def start_next(self) -> bool:
        """Start a queued message; returns false if none may be started."""
        item = self._admission.next() if self._admission.waiting else None
        if item is None:
            return False
        self._start(item)
        return True

    def finish_joined(self) -> None:
        """Serve the requests that wait to be joined by others."""
        self._running.finish_joined()

    def cancel(self, key: Key) -> None:
        """Cancel the request with this id, if it is running or queued."""
        if self._running.cancel(key):
            return
        if (call := self._waiting.pop(key, None)) is not None and call.id_ is not None:
            error = describe(asyncio.CancelledError(), call.method.name)
            self._admission.replace(call, Refusal(call.id_, error, call.send))
            self._connection.proceed()
        elif held := self._first_use.cancel(key):
            self._release(held, asyncio.CancelledError())

    def cancel_all(self) -> None:
        """Cancel running requests, and answer all others without starting them."""
        self._starts_none = True
        self._running.cancel_all()
        for held in self._first_use.cancel_all():
            self._release(held, asyncio.CancelledError())

    def receive(self, event: Event | BoundaryLost) -> None:
        """Handle an event of the framing."""
        if isinstance(event, bytes | Pieces):
            self._receive_body(event)
            return
        send = self._connection.send
        if isinstance(event, Oversized):
            error = TooLarge("The message (see --max-message)", self._connection.max_message_bytes)
            self._submit(Refusal(b"null", describe(error, "Reading"), send))
        else:
            self._refuse(unreadable(event), send)

    def _receive_body(self, body: bytes | Pieces) -> None:
        try:
            if isinstance(body, Pieces) or len(body) > limits.INLINE_READ_BYTES:
                decoding = self._receive_large(body)
                self._decoding = asyncio.get_running_loop().create_task(decoding)
                return
            decoded: Decoded = codec.decode(body)
        except Exception as error:  # noqa: BLE001 - no bytes may end the process
            decoded = error
        self._receive_decoded(decoded, len(body))

    async def _receive_large(self, body: bytes | Pieces) -> None:
        try:
            decoded: Decoded = await workers.decoding(decode_large, body, self._methods.loaded)
        except Exception as error:  # noqa: BLE001 - likewise
            decoded = error
        self._decoding = None
        self._receive_decoded(decoded, len(body))
        self.finish_joined()
        self._connection.proceed()

    def _receive_decoded(self, decoded: Decoded, size: int) -> None:
        if isinstance(decoded, Envelope | Ready):
            self._take(decoded, self._connection.send, None)
        elif isinstance(decoded, BadMessage):
            self._refuse(decoded, self._connection.send)
        elif isinstance(decoded, Sequence) and self._answers.rules.batches:
            self._submit(BatchArrived(decoded, size))
        elif isinstance(decoded, Sequence):
            self._refuse(codec.batch_refused(), self._connection.send)
        else:
            error = describe(decoded, "decoding")
            self._submit(Refusal(b"null", error, self._connection.send))

    def _refuse(self, error: BadMessage, send: Send, batch: Batch | None = None) -> None:
        refused = protocol_error(error.code, error.message)
        self._submit(Refusal(error.id, refused, send), batch)

    def _submit(self, item: Call | Refusal | BatchArrived, batch: Batch | None = None) -> None:
        writable = self._connection.writable
        if self._admission.admit(item, writable=writable, of_batch=batch is not None):
            self._start(item)
        elif isinstance(item, Call) and item.id_ is not None:
            self._waiting[loads(item.id_)] = item

    def _start(self, item: Call | Refusal | BatchArrived) -> None:
        if isinstance(item, Call):
            self._run(item)
        elif isinstance(item, Refusal):
            self.finish_joined()
            self._answers.fail(item.id_, item.error, item.send)
        else:
            batch = Batch(self._connection.send, len(item.members), self._batch_done)
            for member in item.members:
                if isinstance(member, BadMessage):
                    self._refuse(member, batch.add, batch)
                elif not self._take(member, batch.add, batch):
                    batch.add(None)

    def _batch_done(self) -> None:
        self._admission.batch_finished()
        self._connection.proceed()

    def _take(self, arrived: Message, send: Send, batch: Batch | None) -> bool:
        """Queue or start one message; returns whether it will be answered."""
        message = envelope_of(arrived)
        name = message.method
        if name is UNSET:
            logger.debug("Response from the client ignored")
            return False
        if self.shut_down and message.id is not ABSENT:
            self.received += 1
            error = BadMessage(INVALID_REQUEST, "Shut down already", bytes(message.id))
            self._refuse(error, send, batch)
            return True
        if not self._first_use.held and (method := self._methods.loaded(name)) is not None:
            # Nearly every message: without the steps of the rest.
            return self._admit(method, message, arrived, send, batch)
        if self._first_use.hold(name, arrived, send, batch):
            return message.id is not ABSENT
        return self._look_up(name, arrived, send, batch)

    def _release(self, held: HeldMessage, error: BaseException | None) -> None:
        """Continue with a message that was held back; `error` becomes its answer."""
        self._look_up(held.name, held.message, held.send, held.batch, error)
        self.finish_joined()
        self._connection.proceed()

    def _look_up(
        self,
        name: str,
        arrived: Message,
        send: Send,
        batch: Batch | None,
        error: BaseException | None = None,
    ) -> bool:
        """Find the method of a message and admit it; returns whether it will be answered.

        With `error` the message is answered with that instead.
        """
        message = envelope_of(arrived)
        method = None
        if error is None:
            try:
                method = self._methods.method(name)
            except Exception as raised:  # noqa: BLE001 - loading its module may raise anything
                error = raised
        if method is not None:
            return self._admit(method, message, arrived, send, batch)
        id_ = bytes(message.id) or None
        if id_ is None:
            self._answers.ignored(name, error)
            return False
        self.received += 1
        if error is not None:
            self._submit(Refusal(id_, describe(error, name), send), batch)
        else:
            unknown = BadMessage(METHOD_NOT_FOUND, f"Method not found: {name}", id_)
            self._refuse(unknown, send, batch)
        return True

    def _admit(
        self,
        method: RegisteredMethod,
        message: Envelope,
        arrived: Message,
        send: Send,
        batch: Batch | None,
    ) -> bool:
        """Queue or start a message of this method; returns whether it will be answered."""
        id_ = bytes(message.id) or None
        if id_ is not None:
            self.received += 1
        elif self.shut_down and method.kind == "request":
            logger.debug("Notification %s ignored", method.name)
            return False
        call = Call(method, arrived, id_, send, batch, len(memoryview(message.params)))
        if method.lane:
            self._submit(call, batch)
        else:
            self._run(call)
        return id_ is not None

    def _run(self, call: Call) -> None:
        if self._waiting and call.id_ is not None:
            key = loads(call.id_)
            if self._waiting.get(key) is call:
                del self._waiting[key]
        if self._starts_none:
            self._answers.failed(call, asyncio.CancelledError())
        else:
            self._running.start(call)
