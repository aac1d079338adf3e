"""The JSON-RPC side of the daemon: pygls' server and protocol, with our bytes in and out.

Of pygls we use the feature registry and the server's life. Its read loop decodes every nested
object as if it were a message, leaves bad messages without an answer and reads in a thread, so
messages come from `connection` instead, are served by `requests`, and go out through `connection`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs
import cattrs
from lsprotocol.types import CANCEL_REQUEST
from pygls.protocol import JsonRPCProtocol
from pygls.server import JsonRPCServer

from sessiond.limits import MAX_MESSAGE_BYTES, SHORT_ANSWER_BYTES
from sessiond.rpc import codec
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import Kind, Method, Run
from sessiond.rpc.requests import Requests

logger = logging.getLogger(__name__)


@attrs.frozen
class CancelParams:
    """`$/cancelRequest`."""

    id: int | str


class Protocol(JsonRPCProtocol):
    """What pygls sends by itself, and the notifications of the daemon."""

    _server: Server

    def _send_data(self, data: Any) -> None:
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
        self._calls = Requests(self.connection, self.method)
        self._later: dict[str, Callable[[], None]] = {}
        super().__init__(Protocol, cattrs.Converter)
        self.register(CANCEL_REQUEST, CancelParams, self._cancel, "notification", lane="")

    async def _cancel(self, params: CancelParams) -> None:
        self._calls.cancel(params.id)

    def register(
        self,
        name: str,
        params_type: type | None,
        handler: Run,
        kind: Kind = "request",
        *,
        lane: str | None = None,
        expected_bytes: int = SHORT_ANSWER_BYTES,
    ) -> None:
        """Serve `name` with `handler`, an `async def (params) -> result`.

        `params` is a `params_type`, or None without one; a raw member of it keeps the whole body
        in memory until it is copied. The result is an attrs object, a plain
        value, None, or a `Json` for the whole of it. The handler is started at once, outside of
        any task; until it first waits, it must not use what needs one (`asyncio.timeout`,
        `TaskGroup`).

        Requests of one `lane` are started in order of arrival and share their bounds; without one
        it is the family, the name up to the slash. What is in lane "" never waits for its turn.
        `expected_bytes` is the size of an answer to expect of it before it has given one.
        Registering a name a second time replaces what served it.
        """
        if lane is None:
            lane = name.partition("/")[0]
        self.protocol.fm.features.pop(name, None)
        self.feature(name)(Method(name, handler, params_type, kind, lane, expected_bytes))

    def register_later(self, prefix: str, load: Callable[[], None]) -> None:
        """Serve what has names that begin so: `load` registers it when the first is asked for.

        If it raises, the request is answered with the error, and the next one loads again.
        """
        self._later[prefix] = load

    def method(self, name: str) -> Method | None:
        """What serves the method or notification."""
        features: dict[str, Method] = self.protocol.fm.features
        found = features.get(name)
        if found is not None:
            return found
        prefix = next(filter(name.startswith, self._later), None)
        if prefix is None:
            return None
        self._later[prefix]()
        del self._later[prefix]
        return features.get(name)

    def methods(self, kind: Kind) -> Iterator[str]:
        """The names registered, in order of registration."""
        features: dict[str, Method] = self.protocol.fm.features
        return (
            name
            for name, method in features.items()
            if method.kind == kind and name != CANCEL_REQUEST
        )

    @property
    def requests(self) -> int:
        """Requests received so far."""
        return self._calls.received

    @property
    def shut_down(self) -> bool:
        """Whether every request is refused, which is so after `shutdown`."""
        return self._calls.shut_down

    @shut_down.setter
    def shut_down(self, value: bool) -> None:
        self._calls.shut_down = value

    def notify(self, method: str, params: Any) -> None:
        """Send a notification; `params` is an attrs object, a plain value or a Json."""
        self.protocol.notify(method, params)

    async def serve(self, input_fd: int, output_fd: int) -> int:
        """Serve the client on these descriptors until it is done; returns the exit code.

        0 at the end of input and when the client has gone, 1 when message boundaries were lost,
        else what `stop` said. The descriptors stay open.
        """
        return await self.connection.run(input_fd, output_fd, self._calls)

    def stop(self, code: int) -> None:
        """End `serve` with `code`: requests in hand finish, their answers are sent."""
        self.connection.stop(code)

    def exit(self, code: int) -> None:
        """What the `exit` notification asks for."""
        self.stop(code)
