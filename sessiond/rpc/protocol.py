"""The JSON-RPC side of the daemon: pygls' server and protocol, with our bytes in and out.

Of pygls we use the feature registry, the request futures and cancellation. Its read loop decodes
every nested object as if it were a message, leaves bad messages without an answer and reads in a
thread, so messages come from `connection` instead and go out through it.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import attrs
import cattrs
import msgspec
from lsprotocol.types import CANCEL_REQUEST
from msgspec import UNSET
from pygls.protocol import JsonRPCProtocol
from pygls.server import JsonRPCServer

from sessiond.errors import TooLarge
from sessiond.jsontext import loads
from sessiond.limits import MAX_MESSAGE_BYTES
from sessiond.rpc import codec
from sessiond.rpc.codec import ABSENT, BadMessage, Envelope
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import Batch, Kind, Method, Run, Send, Started, describe
from sessiond.rpc.framing import BoundaryLost, Event, Oversized, Unreadable

logger = logging.getLogger(__name__)


@attrs.frozen
class CancelParams:
    """`$/cancelRequest`."""

    id: int | str


class Protocol(JsonRPCProtocol):
    """Starts what arrives, in order of arrival, and answers it."""

    _server: Server
    # pygls says concurrent.futures, but puts asyncio's in as well.
    _request_futures: dict[int | str, asyncio.Future[Any]]  # type: ignore[assignment]

    def __init__(self, server: Server, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.requests = 0
        self.shut_down = False
        self.in_hand: set[asyncio.Task[Any]] = set()
        cancel = Method(CANCEL_REQUEST, self._cancel, CancelParams, "notification")
        self.fm.add_builtin_feature(CANCEL_REQUEST, cancel)

    async def _cancel(self, params: CancelParams) -> None:
        # The request may well be finished by now.
        if params.id in self._request_futures:
            self._handle_cancel_notification(params.id)

    def receive(self, event: Event | BoundaryLost) -> None:
        """Handle what the framing found."""
        connection = self._server.connection
        if isinstance(event, bytes):
            self._receive_body(event)
        elif isinstance(event, Oversized):
            limit = connection.max_message_bytes
            self._fail(b"null", describe(TooLarge("The message", limit), ""), connection.send)
        elif isinstance(event, Unreadable):
            self._refuse(BadMessage(codec.PARSE_ERROR, event.reason), connection.send)
        else:
            # Not through logging, which may be turned down or go elsewhere.
            with suppress(OSError):
                os.write(2, f"sessiond: cannot find the next message: {event}\n".encode())
            self._refuse(BadMessage(codec.PARSE_ERROR, str(event)), connection.send)

    def _receive_body(self, body: bytes) -> None:
        send = self._server.connection.send
        try:
            message = codec.decode(body)
        except BadMessage as error:
            self._refuse(error, send)
            return
        except Exception as error:  # noqa: BLE001 - no bytes may end the process
            self._fail(b"null", describe(error, "decoding"), send)
            return
        if isinstance(message, Envelope):
            self._start(message, send)
            return
        batch = Batch(send, len(message))
        for member in message:
            if isinstance(member, BadMessage):
                self._refuse(member, batch.add)
            elif not self._start(member, batch.add):
                batch.add(None)

    def _refuse(self, error: BadMessage, send: Send) -> None:
        self._fail(error.id, {"code": error.code, "message": error.message}, send)

    def _start(self, message: Envelope, send: Send) -> bool:
        """Start a message; returns whether it will be answered."""
        name = message.method
        if name is UNSET:
            logger.debug("Response from the client ignored")
            return False
        method = self._server.method(name)
        if message.id is ABSENT:
            if method is None or (self.shut_down and method.kind == "request"):
                logger.debug("Notification %s ignored", name)
            else:
                self._run(method, message.params, None, send)
            return False
        self.requests += 1
        id_ = bytes(message.id)
        if self.shut_down:
            self._refuse(BadMessage(codec.INVALID_REQUEST, "Shut down already", id_), send)
        elif method is None:
            message_ = f"Method not found: {name}"
            self._refuse(BadMessage(codec.METHOD_NOT_FOUND, message_, id_), send)
        else:
            self._run(method, message.params, id_, send)
        return True

    def _run(self, method: Method, raw: msgspec.Raw, id_: bytes | None, send: Send) -> None:
        try:
            params = codec.decode_params(method.decoder, raw)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
            self._failed(method, error, id_, send)
            return
        coroutine = method.run(params)
        context = contextvars.copy_context()
        try:
            waiting_for = context.run(coroutine.send, None)
        except StopIteration as finished:
            if id_ is not None:
                self._succeeded(method, finished.value, id_, send)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - a boundary
            self._failed(method, error, id_, send)
        else:
            loop = asyncio.get_running_loop()
            task = loop.create_task(Started(coroutine, waiting_for), context=context)
            self.in_hand.add(task)
            key = None if id_ is None else loads(id_)
            if key is not None:
                self._request_futures[key] = task
            task.add_done_callback(partial(self._finished, method, key, id_, send))

    def _finished(
        self,
        method: Method,
        key: int | str | None,
        id_: bytes | None,
        send: Send,
        task: asyncio.Task[Any],
    ) -> None:
        self.in_hand.discard(task)
        if key is not None and self._request_futures.get(key) is task:
            del self._request_futures[key]
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            self._failed(method, error, id_, send)
        elif id_ is not None:
            self._succeeded(method, task.result(), id_, send)
        self._server.connection.settle()

    def _succeeded(self, method: Method, result: Any, id_: bytes, send: Send) -> None:
        try:
            body = codec.answer(id_, result, plain_json=self._server.connection.plain_json)
        except Exception as error:  # noqa: BLE001 - a result that cannot be encoded is our fault
            self._failed(method, error, id_, send)
        else:
            send(body)

    def _failed(self, method: Method, error: BaseException, id_: bytes | None, send: Send) -> None:
        described = describe(error, method.name)
        if id_ is not None:
            self._fail(id_, described, send)
        elif described["code"] != codec.REQUEST_CANCELLED:
            logger.warning("Notification %s failed: %s", method.name, described["message"])

    def _fail(self, id_: bytes, error: dict[str, Any], send: Send) -> None:
        send(codec.failure(id_, error, plain_json=self._server.connection.plain_json))

    def _send_data(self, data: Any) -> None:
        # Whatever else pygls may send goes out the same way.
        self._server.connection.send(codec.encode(data))

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; `params` is an attrs object, a plain value or a Json."""
        connection = self._server.connection
        connection.send(codec.notification(method, params, plain_json=connection.plain_json))


class Server(JsonRPCServer):
    """A JSON-RPC server for one client. It knows no method: they are registered from above."""

    protocol: Protocol

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self.connection = Connection(framing, max_message_bytes)
        self._later: dict[str, Callable[[], None]] = {}
        super().__init__(Protocol, cattrs.Converter)

    def register(
        self, name: str, params_type: type | None, handler: Run, kind: Kind = "request"
    ) -> None:
        """Serve `name` with `handler`, an `async def (params) -> result`.

        `params` is a `params_type`, or None without one; a raw member of it keeps the whole body
        in memory until it is copied. The result is an attrs object, a plain
        value, None, or a `Json` for the whole of it. The handler is started at once, outside of
        any task; until it first waits, it must not use what needs one (`asyncio.timeout`,
        `TaskGroup`).
        """
        self.feature(name)(Method(name, handler, params_type, kind))

    def register_later(self, prefix: str, load: Callable[[], None]) -> None:
        """Serve what has names that begin so: `load` registers it when the first is asked for."""
        self._later[prefix] = load

    def method(self, name: str) -> Method | None:
        """What serves the method or notification."""
        features = self.protocol.fm
        found: Method | None = features.features.get(name) or features.builtin_features.get(name)
        if found is not None:
            return found
        prefix = next(filter(name.startswith, self._later), None)
        if prefix is None:
            return None
        self._later.pop(prefix)()
        return self.method(name)

    def methods(self, kind: Kind) -> Iterator[str]:
        """The names registered, in order of registration."""
        return (name for name, method in self.protocol.fm.features.items() if method.kind == kind)

    @property
    def requests(self) -> int:
        """Requests received so far."""
        return self.protocol.requests

    @property
    def shut_down(self) -> bool:
        """Whether every request is refused, which is so after `shutdown`."""
        return self.protocol.shut_down

    @shut_down.setter
    def shut_down(self, value: bool) -> None:
        self.protocol.shut_down = value

    def notify(self, method: str, params: Any) -> None:
        """Send a notification; `params` is an attrs object, a plain value or a Json."""
        self.protocol.notify(method, params)

    async def serve(self, input_fd: int, output_fd: int) -> int:
        """Serve the client on these descriptors until it is done; returns the exit code.

        0 at the end of input and when the client has gone, 1 when message boundaries were lost,
        else what `stop` said. The descriptors stay open.
        """
        protocol = self.protocol
        return await self.connection.run(input_fd, output_fd, protocol.receive, protocol.in_hand)

    def stop(self, code: int) -> None:
        """End `serve` with `code`: requests in hand finish, their answers are sent."""
        self.connection.stop(code)

    def exit(self, code: int) -> None:
        """What the `exit` notification asks for."""
        self.stop(code)
