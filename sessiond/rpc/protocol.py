"""The JSON-RPC server for one client: its methods, its connection and its notifications.

`connection` reads and writes messages, and `requests` serves them. The libraries for language
servers are not used: nothing of them would be left but a dictionary of methods, and importing the
types of their protocol takes longer than everything else before the first answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs

from sessiond.files import workers
from sessiond.limits import MAX_MESSAGE_BYTES, SHORT_ANSWER_BYTES
from sessiond.rpc import codec
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import Joint, Kind, RegisteredMethod, RpcRules, Run
from sessiond.rpc.requests import Requests

CANCEL_REQUEST = "$/cancelRequest"
"""The notification that cancels a request, as in the Language Server Protocol."""


@attrs.frozen
class CancelledRequest:
    """`$/cancelRequest`."""

    id: int | str


@attrs.define
class _Family:
    """Methods that are registered on first use; `prepare` is None if it was called already."""

    load: Callable[[], None]
    prepare: Callable[[], object] | None


class Server:
    """A JSON-RPC server for one client. Upper layers register the methods."""

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        rules: RpcRules | None = None,
    ) -> None:
        self.connection = Connection(framing, max_message_bytes)
        self._calls = Requests(self.connection, self, rules or RpcRules())
        self._methods: dict[str, RegisteredMethod] = {}
        self._later: dict[str, _Family] = {}
        self.register(CANCEL_REQUEST, CancelledRequest, self._cancel, "notification", lane="")

    async def _cancel(self, params: CancelledRequest) -> None:
        self.cancel(params.id)

    def cancel(self, id_: int | str) -> None:
        """Cancel the request with this id, if it is running or queued."""
        self._calls.cancel(id_)

    def register(
        self,
        name: str,
        params_type: type | None,
        handler: Run,
        kind: Kind = "request",
        *,
        lane: str | None = None,
        expected_bytes: int = SHORT_ANSWER_BYTES,
        takes_id: bool = False,
        joint: Joint | None = None,
        closed: bool = False,
    ) -> None:
        """Serve the method `name` with `handler`, an `async def (params) -> result`.

        `params` is a `params_type`, or None if there is none; a raw member of it keeps the whole
        body in memory until it is copied. The result is an attrs object, a plain value, None, or a
        `Json`. The handler is started at once, outside of any task; before its first suspension it
        must not use what needs a task (`asyncio.timeout`, `TaskGroup`).

        Requests of one `lane` are started in order of arrival and share their limits; by default it
        is the family, the name up to the slash. Requests in lane "" are never queued.
        `expected_bytes` is the expected size of the first answer. With `takes_id` the handler
        takes a pair: the params, and the id as JSON, None for a notification. `joint` serves
        several requests that have arrived together. `closed` refuses params that the class does not
        have. Registering a name again replaces its handler.
        """
        if lane is None:
            lane = name.partition("/")[0]
        # A method that is registered again becomes the last one in `methods`.
        self._methods.pop(name, None)
        self._methods[name] = RegisteredMethod(
            name, handler, params_type, kind, lane, expected_bytes, takes_id, joint, closed
        )

    def register_later(
        self, prefix: str, load: Callable[[], None], prepare: Callable[[], object] | None = None
    ) -> None:
        """Register methods on first use: `load` registers all methods that begin with `prefix`.

        `prepare` is called before, in a worker: it imports what `load` needs. If either raises,
        the request is answered with the error, and the next request tries again.
        """
        self._later[prefix] = _Family(load, prepare)

    def loaded(self, name: str) -> RegisteredMethod | None:
        """The method of this name if it is registered now. May be called in any thread."""
        return self._methods.get(name)

    def method(self, name: str) -> RegisteredMethod | None:
        """The registered method or notification of this name, loaded if necessary, or None."""
        method = self.loaded(name)
        if method is not None:
            return method
        prefix = self._family(name)
        if prefix is None:
            return None
        self._later[prefix].load()
        del self._later[prefix]
        return self.loaded(name)

    def _family(self, name: str) -> str | None:
        return next(filter(name.startswith, self._later), None)

    def unprepared(self, name: str) -> str | None:
        """The prefix of the methods to `prepare` before the method of this name is looked up."""
        if self.loaded(name) is not None:
            return None
        prefix = self._family(name)
        return None if prefix is None or self._later[prefix].prepare is None else prefix

    async def prepare(self, family: str) -> None:
        """Do in a worker what takes long in `method`. Raises what that raises."""
        later = self._later.get(family)
        if later is not None and later.prepare is not None:
            await workers.reading(workers.LONG, later.prepare)
            later.prepare = None

    def methods(self, kind: Kind) -> Iterator[str]:
        """The registered names, in order of registration."""
        return (
            name
            for name, method in self._methods.items()
            if method.kind == kind and name != CANCEL_REQUEST
        )

    @property
    def requests(self) -> int:
        """Number of requests received so far."""
        return self._calls.received

    @property
    def shut_down(self) -> bool:
        """Whether every request is refused, as is the case after `shutdown`."""
        return self._calls.shut_down

    @shut_down.setter
    def shut_down(self, value: bool) -> None:
        self._calls.shut_down = value

    def notify(self, method: str, params: Any) -> None:
        """Send a notification; `params` is an attrs object, a plain value or a Json."""
        connection = self.connection
        connection.send(codec.notification(method, params, plain_json=connection.plain_json))

    async def serve(self, input_fd: int, output_fd: int) -> int:
        """Serve the client on these descriptors to the end; returns the exit code.

        The code is 0 at the end of input and when the client has gone, 1 if message boundaries
        were lost, else the argument of `stop`. The descriptors stay open.
        """
        return await self.connection.run(input_fd, output_fd, self._calls)

    def stop(self, code: int) -> None:
        """End `serve` with `code`, after running requests have finished and been answered."""
        self.connection.stop(code)

    def exit(self, code: int) -> None:
        """Serve the `exit` notification."""
        self.stop(code)
