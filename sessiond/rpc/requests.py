"""Answer every request exactly once, whatever fails.

The steps are: decode, look up the method, decode params, run the handler, encode the answer, queue
it. An exception in any step becomes the answer. Handlers are started at once and continue in a task
only if they suspend.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import UNSET
from sessiond_protocol.errors import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
)

from sessiond import limits
from sessiond.errors import TooLarge
from sessiond.jsontext.spans import loads
from sessiond.rpc import codec
from sessiond.rpc.admission import Admission, BatchArrived, Call, Refusal
from sessiond.rpc.codec import ABSENT, BadMessage, Envelope
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import Batch, Method, Send, Started, describe
from sessiond.rpc.framing import BoundaryLost, Event, Oversized, Unreadable
from sessiond.rpc.params import decode_params

logger = logging.getLogger(__name__)

Key = int | float | str
"""A request id as `$/cancelRequest` gives it."""


class Requests:
    """The requests of one connection. `find` returns the method of a name, or None."""

    def __init__(self, connection: Connection, find: Callable[[str], Method | None]) -> None:
        self.received = 0
        self.shut_down = False
        self._connection = connection
        self._find = find
        self._admission = Admission(max(limits.WAITING_BYTES, connection.max_message_bytes))
        self._tasks: set[asyncio.Task[Any]] = set()
        self._running: dict[Key, asyncio.Task[Any]] = {}
        self._waiting: dict[Key, Call] = {}

    @property
    def busy(self) -> bool:
        """Whether a received message is not finished yet."""
        return bool(self._tasks or self._admission.waiting)

    @property
    def unfinished(self) -> int:
        """Number of messages that are running or queued."""
        return len(self._tasks) + self._admission.waiting

    @property
    def has_room(self) -> bool:
        """Whether another message may be read."""
        return self._admission.has_room

    def start_next(self) -> bool:
        """Start a queued message; returns false if none may be started."""
        item = self._admission.next()
        if item is None:
            return False
        self._start(item)
        return True

    def cancel(self, key: Key) -> None:
        """Cancel the request with this id, if it is running or queued."""
        task = self._running.get(key)
        if task is not None:
            task.cancel()
            return
        call = self._waiting.pop(key, None)
        if call is not None and call.id_ is not None:
            error = describe(asyncio.CancelledError(), call.method.name)
            self._admission.replace(call, Refusal(call.id_, error, call.send))
            self._connection.proceed()

    def cancel_all(self) -> None:
        """Cancel running requests, and answer queued ones without starting them."""
        for task in self._tasks:
            task.cancel()
        for key in list(self._waiting):
            self.cancel(key)

    def receive(self, event: Event | BoundaryLost) -> None:
        """Handle an event of the framing."""
        connection = self._connection
        if isinstance(event, bytes):
            self._receive_body(event)
        elif isinstance(event, Oversized):
            error = describe(TooLarge("The message", connection.max_message_bytes), "")
            self._submit(Refusal(b"null", error, connection.send))
        else:
            reason = event.reason if isinstance(event, Unreadable) else str(event)
            if isinstance(event, BoundaryLost):
                # Not through logging, which may be disabled or redirected.
                with suppress(OSError):
                    os.write(2, f"sessiond: cannot find the next message: {reason}\n".encode())
            self._refuse(BadMessage(PARSE_ERROR, reason), connection.send)

    def _receive_body(self, body: bytes) -> None:
        send = self._connection.send
        try:
            message = codec.decode(body)
        except BadMessage as error:
            self._refuse(error, send)
        except Exception as error:  # noqa: BLE001 - no bytes may end the process
            self._submit(Refusal(b"null", describe(error, "decoding"), send))
        else:
            if isinstance(message, Envelope):
                self._take(message, send, None)
            else:
                self._submit(BatchArrived(message, len(body)))

    def _refuse(self, error: BadMessage, send: Send, batch: Batch | None = None) -> None:
        refusal = Refusal(error.id, {"code": error.code, "message": error.message}, send)
        self._submit(refusal, batch)

    def _submit(self, item: Call | Refusal | BatchArrived, batch: Batch | None = None) -> None:
        writable = self._connection.writable
        if self._admission.admit(item, writable=writable, of_batch=batch is not None):
            self._start(item)
        elif isinstance(item, Call) and item.id_ is not None:
            self._waiting[loads(item.id_)] = item

    def _start(self, item: Call | Refusal | BatchArrived) -> None:
        if isinstance(item, Refusal):
            self._fail(item.id_, item.error, item.send)
        elif isinstance(item, Call):
            self._run(item)
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

    def _take(self, message: Envelope, send: Send, batch: Batch | None) -> bool:
        """Queue or start one message; returns whether it will be answered."""
        name = message.method
        if name is UNSET:
            logger.debug("Response from the client ignored")
            return False
        try:
            method = self._find(name)
        except Exception as error:  # noqa: BLE001 - loading its module may raise anything
            described = describe(error, name)
            if message.id is ABSENT:
                logger.warning("Notification %s failed: %s", name, described["message"])
                return False
            self.received += 1
            self._submit(Refusal(bytes(message.id), described, send), batch)
            return True
        size = len(memoryview(message.params))
        if message.id is ABSENT:
            if method is None or (self.shut_down and method.kind == "request"):
                logger.debug("Notification %s ignored", name)
            else:
                self._begin(Call(method, message.params, None, send, batch, size))
            return False
        self.received += 1
        id_ = bytes(message.id)
        if self.shut_down:
            self._refuse(BadMessage(INVALID_REQUEST, "Shut down already", id_), send, batch)
        elif method is None:
            message_ = f"Method not found: {name}"
            self._refuse(BadMessage(METHOD_NOT_FOUND, message_, id_), send, batch)
        else:
            self._begin(Call(method, message.params, id_, send, batch, size))
        return True

    def _begin(self, call: Call) -> None:
        if call.method.lane:
            self._submit(call, call.batch)
        else:
            self._run(call)

    def _run(self, call: Call) -> None:
        if self._waiting and call.id_ is not None:
            key = loads(call.id_)
            if self._waiting.get(key) is call:
                del self._waiting[key]
        if call.batch is not None and call.batch.size > limits.BATCH_ANSWER_BYTES:
            self._failed(call, TooLarge("The answer to the batch", limits.BATCH_ANSWER_BYTES))
            return
        try:
            params = decode_params(call.method.decoder, call.params)
            coroutine = call.method.run(params)
            context = contextvars.copy_context()
        except Exception as error:  # noqa: BLE001 - every exception becomes the answer
            self._failed(call, error)
            return
        try:
            waiting_for = context.run(coroutine.send, None)
        except StopIteration as finished:
            self._succeeded(call, finished.value)
        except (Exception, asyncio.CancelledError, GeneratorExit) as error:  # noqa: BLE001 - likewise
            self._failed(call, error)
        else:
            self._carry_on(call, Started(coroutine, waiting_for), context)

    def _carry_on(self, call: Call, coroutine: Started, context: contextvars.Context) -> None:
        try:
            task = asyncio.get_running_loop().create_task(coroutine, context=context)
        except Exception as error:  # noqa: BLE001 - it cannot continue, but it is answered
            with suppress(Exception):
                coroutine.close()
            self._failed(call, error)
            return
        self._admission.started(call)
        self._tasks.add(task)
        key = None if call.id_ is None else loads(call.id_)
        if key is not None:
            self._running[key] = task
        task.add_done_callback(partial(self._finished, call, key))

    def _finished(self, call: Call, key: Key | None, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._admission.finished(call)
        if key is not None and self._running.get(key) is task:
            del self._running[key]
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            self._failed(call, error)
        else:
            call.method.learn(self._succeeded(call, task.result()))
        self._connection.proceed()

    def _succeeded(self, call: Call, result: Any) -> int:
        """Answer with `result`; returns the size of the answer in bytes."""
        if call.id_ is None:
            return 0
        try:
            body = codec.answer(call.id_, result, plain_json=self._connection.plain_json)
            size = len(body) if isinstance(body, bytes) else body.size
            call.send(body)
        except Exception as error:  # noqa: BLE001 - a result that cannot be sent is an error, too
            self._failed(call, error)
            return 0
        return size

    def _failed(self, call: Call, error: BaseException) -> None:
        try:
            described = describe(error, call.method.name)
        except Exception:
            logger.exception("An error of %s cannot be described", call.method.name)
            described = {"code": INTERNAL_ERROR, "message": "Internal error"}
        if call.id_ is not None:
            self._fail(call.id_, described, call.send)
        elif described["code"] != REQUEST_CANCELLED:
            logger.warning("Notification %s failed: %s", call.method.name, described["message"])

    def _fail(self, id_: bytes, error: dict[str, Any], send: Send) -> None:
        try:
            answer = codec.failure(id_, error, plain_json=self._connection.plain_json)
            send(answer)
        except Exception:
            logger.exception("An error cannot be answered")
            send(codec.LAST_RESORT % id_)
