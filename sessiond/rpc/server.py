"""A JSON-RPC server for one client: read, queue, start, answer, cancel, stop.

Received messages wait in one queue, in order of arrival. Each is started in a task of its own while
there is room and the client reads. Every request is answered once: an exception of any step becomes
the answer. Urgent methods, such as `$/cancelRequest`, run on arrival.

The libraries for language servers are not used: nothing of them would be left but a dictionary of
methods, and importing the types of their protocol takes longer than everything else before the
first answer.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import attrs
from msgspec import UNSET
from sessiond_protocol.errors import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_CANCELLED,
)

from sessiond.files import workers
from sessiond.rpc import codec
from sessiond.rpc.codec import BadMessage, Envelope
from sessiond.rpc.framing import BoundaryLost, Framing, Receiver, TooLong, Unfinished, frame
from sessiond.rpc.methods import Method, describe, protocol_error
from sessiond.rpc.stdio import Input, Output
from sessiond.runtime import limits
from sessiond.runtime.errors import TooLarge
from sessiond.text.spans import Buffer, Json, loads

logger = logging.getLogger(__name__)

CANCEL_REQUEST = "$/cancelRequest"
"""The notification that cancels a request, as in the Language Server Protocol."""

STOP_SECONDS = 2.0
"""How long `stop` waits for running requests, and then again for a client that does not read."""

_STARTED_AT_ONCE = 32
"""Requests of one client that are started before the event loop turns to others."""

_TAKEN_AT_ONCE = 256
"""Messages of one client that are decoded before others have their turn."""

_COST_OF_ANSWER = 8
"""How many messages one counts as that is answered on arrival: refused, or urgent."""

_BLANK_BYTES = 64
"""How many bytes of white space between messages count as one message."""

Find = Callable[[str], Method | None]


@attrs.frozen
class RpcRules:
    """The rules that a protocol based on JSON-RPC does in a way of its own."""

    batches: bool = True
    """Whether a batch is served; otherwise it is refused as a whole."""
    answers_cancelled: bool = True
    """Whether a request that was cancelled is answered, with an error."""
    null_ids: bool = True
    """Whether the id of a request may be null, which JSON-RPC 2.0 allows and discourages."""


@attrs.frozen
class CancelledRequest:
    """`$/cancelRequest`."""

    id: int | str


@attrs.define(eq=False)
class Batch:
    """Collects the answers of a batch and sends them as one array after the last one."""

    send: Callable[[Json], None]
    missing: int
    parts: list[Buffer] = attrs.field(factory=list)
    size: int = 0
    """Bytes of the answers so far."""

    def add(self, answer: bytes | Json | None) -> None:
        """Take the answer of a member; None for a notification."""
        self.missing -= 1
        if answer is not None:
            self.parts.append(b"," if self.parts else b"[")
            self.parts += [answer] if isinstance(answer, bytes) else answer.parts
            self.size += len(answer) if isinstance(answer, bytes) else answer.size
        if not self.missing and self.parts:
            self.send(Json([*self.parts, b"]"]))


@attrs.define(eq=False)
class Call:
    """A received message; `id` is JSON, empty for a notification."""

    id: bytes
    name: str = ""
    params: Any = codec.ABSENT
    method: Method | None = None
    error: Exception | None = None
    """Why it is refused."""
    batch: Batch | None = None
    decoded: Any = None
    """The params as an object, once they are decoded."""
    task: asyncio.Task[None] | None = None
    is_joined: bool = False
    """Whether it is served together with others, so that it cannot be cancelled alone."""
    is_answered: bool = False
    key: int | str | None = None
    """The id as a value; None for a notification."""
    size: int = 0
    """Bytes of the params."""


class Server:
    """Serves one client with the methods that `find` returns by name, or None for an unknown one.

    `find` may raise: then the request is answered with the exception.
    """

    def __init__(
        self,
        find: Find,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = limits.MAX_MESSAGE_BYTES,
        rules: RpcRules | None = None,
    ) -> None:
        self.plain_json = False
        self.position_encoding = "utf-16"
        self.shut_down = False
        """Whether every request is refused, as is the case after `shutdown`."""
        self.requests = 0
        """Number of requests received so far."""
        self._find = find
        self._rules = rules or RpcRules()
        self._cancelling = Method(CANCEL_REQUEST, self._cancel, CancelledRequest, is_urgent=True)
        self._most = max_message_bytes
        self._most_queued = max(limits.WAITING_BYTES, max_message_bytes)
        self._receiver = Receiver(framing, max_message_bytes)
        self._queue: deque[Call] = deque()
        self._queued_bytes = 0
        self._members: deque[bytes] = deque()
        """Members of a batch that are not taken yet; others are served meanwhile."""
        self._batch: Batch | None = None
        self._taken = 0
        """Messages taken since the last rest."""
        self._resting: asyncio.TimerHandle | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._by_id: dict[object, Call] = {}
        """Requests that are not answered yet."""
        self._input: Input | None = None
        self._output: Output | None = None
        self._context = contextvars.copy_context()
        self._code: int | None = None
        self._pumping: asyncio.Handle | None = None
        self._finished = asyncio.Event()
        self._stopped = asyncio.Event()
        self._drained: list[asyncio.Future[None]] = []

    # The connection.

    @property
    def framing(self) -> Framing:
        """The framing in use; `header` before anything was received."""
        return self._receiver.framing or "header"

    @property
    def unsent(self) -> int:
        """Number of bytes that the client has not read yet."""
        return self._output.unsent if self._output else 0

    @property
    def writable(self) -> bool:
        """Whether the client keeps up with reading; otherwise no further request is started."""
        return self._output is None or self._output.unsent <= limits.OUTGOING_HIGH_WATER

    @property
    def has_drained(self) -> bool:
        """Whether the client has read nearly everything, or is gone."""
        return self.unsent <= limits.OUTGOING_LOW_WATER

    async def drained(self) -> None:
        """Wait until `has_drained`."""
        while not self.has_drained:
            waiter = asyncio.get_running_loop().create_future()
            self._drained.append(waiter)
            await waiter

    def send(self, body: bytes | Json) -> None:
        """Queue one message; discarded outside `serve` and after the client has gone."""
        if self._output is not None:
            self._output.write(frame(body, self.framing))

    def notify(self, method: str, params: Any) -> None:
        """Send a notification; `params` is an attrs object, a plain value or a Json."""
        self.send(codec.notification(method, params, plain_json=self.plain_json))

    def receive_first(self, data: bytes) -> None:
        """Take bytes that were read from the client before `serve`."""
        if data:
            self._receiver.feed(data)

    async def serve(self, input_fd: int, output_fd: int) -> int:
        """Serve the client on these descriptors to the end; returns the exit code.

        The code is 0 at the end of input and when the client has gone, 1 if message boundaries
        were lost, else the argument of `stop`. The descriptors stay open.
        """
        self._context = contextvars.copy_context()
        self._output = Output(output_fd, self._on_progress)
        self._input = Input(input_fd, self._on_data)
        self._pump()
        finished = asyncio.create_task(self._finished.wait())
        stopped = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({finished, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not finished.done():
                await asyncio.wait({finished}, timeout=STOP_SECONDS)
                self._cancel_all()
                await asyncio.wait({finished}, timeout=STOP_SECONDS)
            if not finished.done():
                logger.warning(
                    "Ending with %d requests unfinished and %d bytes unsent",
                    len(self._running) + len(self._queue),
                    self.unsent,
                )
            return self._code or 0
        finally:
            for pending in (finished, stopped, self._pumping, self._resting, *self._running):
                if pending is not None:
                    pending.cancel()
            self._input.pause()
            self._output.close()
            self._input = self._output = None
            self._wake_drained()

    def stop(self, code: int) -> None:
        """Read nothing more, finish what was received, send all answers, and end with `code`.

        Requests that need longer than `STOP_SECONDS` are cancelled. If the client then does not
        read within the same time, the connection ends without sending the rest.
        """
        if self._code is None:
            self._code = code
        self._receiver.ended = True
        self._stopped.set()
        if self._input is not None:
            self._input.pause()
            # Later, because the answer to the request that asked for the end is not sent yet.
            self._proceed()

    def _on_progress(self) -> None:
        """Continue after the client has read something, or has gone."""
        if self._output is not None and self._output.is_lost:
            # What a client has sent is carried out, although it does not hear of it.
            self._take_in(rests=False)
            self.stop(0)
        if self._drained:
            self._wake_drained()
        if self._queue or self._receiver.ended:
            self._pump()

    def _wake_drained(self) -> None:
        if self.has_drained:
            waiting, self._drained = self._drained, []
            for waiter in waiting:
                if not waiter.done():
                    waiter.set_result(None)

    # Receiving.

    def _on_data(self, data: bytes) -> None:
        if self._stopped.is_set():
            return
        self._receiver.feed(data)
        self._receiver.ended = not data
        self._pump()

    def _take_in(self, *, rests: bool = True) -> bool:
        """Queue received messages, up to one that stops the server; whether some may be left.

        Then it rests for as long as it took. A loop that only turned to others would hardly ever
        wait, and threads that work for others get the interpreter when the loop waits.
        """
        loop = asyncio.get_running_loop()
        began, self._taken = loop.time(), 0
        while not self._stopped.is_set():
            if not self._has_room or (rests and self._resting is not None):
                return True
            if rests and self._taken >= _TAKEN_AT_ONCE:
                self._resting = loop.call_later(loop.time() - began, self._go_on)
                return True
            if self._members:
                self._take_member()
            elif not self._take_next() and (self._taken < _TAKEN_AT_ONCE or not rests):
                return False
        return False

    def _take_next(self) -> bool:
        """Take what was received next; whether there was a message, or what is none."""
        try:
            body = self._receiver.next()
        except TooLong:
            what = "The message (see --max-message)"
            self._put(Call(b"null", "reading", error=TooLarge(what, self._most)))
        except Unfinished as error:
            self._put(Call(b"null", error=BadMessage(PARSE_ERROR, str(error))))
        except BoundaryLost as error:
            logger.critical("Cannot find the next message: %s", error)
            self._put(Call(b"null", error=BadMessage(PARSE_ERROR, str(error))))
            self.stop(1)
        else:
            self._taken += self._receiver.skipped // _BLANK_BYTES
            if body is None:
                return False
            self._receive(body)
        return True

    def _go_on(self) -> None:
        self._resting = None
        self._pump()

    def _receive(self, body: bytes) -> None:
        self._taken += 1
        try:
            decoded = codec.decode(body)
        except BadMessage as error:
            # Thousands may wait for a client that does not read; a traceback would take a kilobyte.
            self._put(Call(error.id, error=error.with_traceback(None)))
        except Exception as error:  # noqa: BLE001 - no bytes may end the process
            self._put(Call(b"null", "decoding", error=error))
        else:
            if not isinstance(decoded, list):
                self._take(decoded)
            elif self._rules.batches:
                self._members.extend(decoded)
                self._batch = Batch(self.send, len(decoded))
            else:
                self._put(Call(b"null", error=codec.batch_refused()))

    def _take_member(self) -> None:
        """Take the next member of the batch that was received last."""
        self._taken += 1
        try:
            member = codec.decode_member(self._members.popleft())
        except Exception as error:  # noqa: BLE001 - no bytes may end the process
            self._put(Call(b"null", "decoding", error=error, batch=self._batch))
        else:
            self._take(member, self._batch)

    def _take(self, message: Envelope | BadMessage, batch: Batch | None = None) -> None:
        """Queue a message, or run it at once if its method is urgent."""
        if isinstance(message, BadMessage):
            self._put(Call(message.id, error=message, batch=batch))
            return
        if message.method is UNSET:
            logger.debug("Response from the client ignored")
            if batch is not None:
                batch.add(None)
            return
        if bytes(message.id) == b"null" and not self._rules.null_ids:
            refused = BadMessage(INVALID_REQUEST, "id must not be null")
            self._put(Call(b"null", error=refused, batch=batch))
            return
        size = len(memoryview(message.params))
        call = Call(bytes(message.id), message.method, message.params, batch=batch, size=size)
        call.method, call.error = self._look_up(call)
        self.requests += bool(call.id)
        if call.key is not None:
            self._by_id[call.key] = call
        if call.method is not None and call.method.is_urgent and call.error is None:
            self._run_now(call, call.method)
        else:
            self._put(call)

    def _look_up(self, call: Call) -> tuple[Method | None, Exception | None]:
        """Return the method of a message, and why the message is refused."""
        try:
            call.key = loads(call.id) if call.id else None
        except Exception as error:  # noqa: BLE001 - decoding it may raise anything
            return None, error
        if self.shut_down and call.id:
            return None, BadMessage(INVALID_REQUEST, "Shut down already")
        try:
            is_own = call.name == CANCEL_REQUEST
            method = self._cancelling if is_own else self._find(call.name)
        except Exception as error:  # noqa: BLE001 - loading its module may raise anything
            return None, error
        if method is None:
            return None, BadMessage(METHOD_NOT_FOUND, f"Method not found: {call.name}")
        if self.shut_down and not method.is_urgent:
            return method, BadMessage(INVALID_REQUEST, "Shut down already")
        return method, None

    def _put(self, call: Call) -> None:
        """Queue a message; one that is refused waits only for a client that does not read."""
        if call.error is not None and self.writable:
            self._taken += _COST_OF_ANSWER
            self._answer(call, self._failed(call, call.error))
            return
        self._queue.append(call)
        self._queued_bytes += call.size

    # Running.

    def _proceed(self) -> None:
        if self._pumping is None:
            self._pumping = asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        """Take in and start what there is room for; end if nothing is left and nothing follows."""
        if self._pumping is not None:
            self._pumping.cancel()
            self._pumping = None
        if self._input is None:
            return
        is_behind = self._take_in()
        self._start_waiting()
        if is_behind and self._resting is None and self._has_room:
            self._proceed()
        if self._receiver.ended:
            self._input.pause()
            if not (is_behind or self._queue or self._running or self.unsent):
                self._finished.set()
        elif is_behind or not self._has_room:
            self._input.pause()
        else:
            self._input.resume()

    @property
    def _has_room(self) -> bool:
        """Whether further messages may be queued."""
        return len(self._queue) < limits.WAITING_REQUESTS and self._queued_bytes < self._most_queued

    def _start_waiting(self) -> None:
        """Start what waits while there is room for it, in this turn of the loop or the next."""
        for _ in range(_STARTED_AT_ONCE):
            if not (self._queue and self.writable and len(self._running) < limits.RUNNING):
                return
            self._start(self._next())
        self._proceed()

    def _next(self) -> Call:
        call = self._queue.popleft()
        self._queued_bytes -= call.size
        return call

    def _start(self, call: Call) -> None:
        if call.is_answered:
            return
        calls = self._joined(call)
        work = self._run(call) if len(calls) == 1 else self._run_together(calls)
        try:
            task = asyncio.get_running_loop().create_task(work, context=self._context.copy())
        except Exception as error:  # noqa: BLE001 - it becomes the answer
            work.close()
            for each in calls:
                self._answer(each, self._failed(each, error))
            return
        self._running.add(task)
        for each in calls:
            each.task, each.is_joined = task, len(calls) > 1
        task.add_done_callback(functools.partial(self._finish, calls))

    def _joined(self, first: Call) -> list[Call]:
        """Take what waits behind a request and can be served with it.

        That is the same method on the same session, if the method serves several together.
        """
        calls, size = [first], first.size
        while self._queue and len(calls) < limits.JOINED and self._is_decoded(first):
            call = self._queue[0]
            size += call.size
            if call.name != first.name or size > limits.INLINE_READ_BYTES:
                break
            if not self._is_decoded(call) or call.decoded.session != first.decoded.session:
                break
            calls.append(self._next())
        return calls

    def _is_decoded(self, call: Call) -> bool:
        """Decode the params of a request that may be joined; whether it may be."""
        method = call.method
        if method is None or method.together is None or call.error or call.is_answered:
            return False
        if call.decoded is None:
            try:
                call.decoded = method.decode(call.params)
            except Exception as error:  # noqa: BLE001 - it becomes the answer
                call.error = error
        return call.error is None

    async def _run(self, call: Call) -> None:
        """Run one request or notification, and answer it."""
        if call.error is not None:
            raise call.error
        assert call.method is not None, "it was looked up"  # noqa: S101
        if not self.writable:
            # Those that were started before it have filled the output.
            await self.drained()
        if call.batch is not None and call.batch.size > limits.BATCH_ANSWER_BYTES:
            raise TooLarge("The answer to the batch", limits.BATCH_ANSWER_BYTES)
        method = call.method
        params = method.decode(call.params) if call.decoded is None else call.decoded
        result = await method.run(params)
        if not call.id:
            self._answer(call, None)
        elif isinstance(result, Json) and self.plain_json:
            answer = functools.partial(codec.answer, call.id, result, plain_json=True)
            self._answer(call, await workers.computing(result.size, answer))
        else:
            self._answer(call, codec.answer(call.id, result, plain_json=self.plain_json))

    async def _run_together(self, calls: list[Call]) -> None:
        method = calls[0].method
        assert method is not None  # noqa: S101 - only such calls are joined
        assert method.together is not None  # noqa: S101 - likewise
        results = await method.together([call.decoded for call in calls])
        for call, result in zip(calls, results, strict=True):
            if isinstance(result, BaseException):
                self._answer(call, self._failed(call, result))
            elif call.id:
                self._answer(call, codec.answer(call.id, result, plain_json=self.plain_json))

    def _run_now(self, call: Call, method: Method) -> None:
        """Run an urgent method before all that waits."""
        self._taken += _COST_OF_ANSWER
        try:
            params = method.decode(call.params)
            result = method.run(params)
            answer = codec.answer(call.id, result, plain_json=self.plain_json) if call.id else None
        except Exception as error:  # noqa: BLE001 - every exception becomes the answer
            answer = self._failed(call, error)
        self._answer(call, answer)

    def _finish(self, calls: list[Call], task: asyncio.Task[None]) -> None:
        """Answer what a task that has ended left unanswered: an exception becomes the answer.

        Not within the task, which never begins if it is cancelled before.
        """
        self._running.discard(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        for call in calls:
            if error is not None and not call.is_answered:
                self._answer(call, self._failed(call, error))
        if self._queue or self._receiver.ended:
            self._proceed()

    def _failed(self, call: Call, error: BaseException) -> bytes | Json | None:
        """Return the answer for an exception; None for a notification."""
        try:
            if isinstance(error, BadMessage):
                described = protocol_error(error.code, error.message)
            else:
                described = describe(error, call.name)
            if described["code"] == REQUEST_CANCELLED and not self._rules.answers_cancelled:
                return None
            if call.id:
                return codec.failure(call.id, described, plain_json=self.plain_json)
            level = logging.DEBUG if isinstance(error, BadMessage) else logging.WARNING
            logger.log(level, "Notification %s failed: %s", call.name, described["message"])
        except Exception:
            logger.exception("An error of %s cannot be answered", call.name)
            return codec.LAST_RESORT % call.id if call.id else None
        return None

    def _answer(self, call: Call, answer: bytes | Json | None) -> None:
        call.is_answered = True
        if call.key is not None and self._by_id.get(call.key) is call:
            del self._by_id[call.key]
        try:
            if call.batch is not None:
                call.batch.add(answer)
            elif answer is not None:
                self.send(answer)
                # What was answered on arrival waits for the rest of what has arrived.
                is_last = call.task is not None and not self._queue and len(self._running) <= 1
                if is_last and self._output is not None:
                    self._output.flush()
        except Exception:
            logger.exception("An answer of %s cannot be sent", call.name)
            self.send(codec.LAST_RESORT % (b"null" if call.batch or not call.id else call.id))

    # Cancelling.

    def _cancel(self, params: CancelledRequest) -> None:
        self.cancel(params.id)

    def cancel(self, id_: int | str) -> None:
        """Cancel the request with this id, if it is running or queued.

        What can be started is started before: what is done at once need not be done again.
        """
        self._start_waiting()
        asyncio.get_running_loop().call_soon(self._end, id_)

    def _end(self, id_: int | str) -> None:
        call = self._by_id.get(id_)
        if call is None or call.is_joined:
            return
        if call.task is not None:
            call.task.cancel()
        else:
            self._answer(call, self._failed(call, asyncio.CancelledError()))

    def _cancel_all(self) -> None:
        for task in self._running:
            task.cancel()
        for call in self._queue:
            if not call.is_answered:
                self._answer(call, self._failed(call, asyncio.CancelledError()))
        self._queue.clear()
        self._proceed()
