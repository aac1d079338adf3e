"""The connection to one client: bytes through the framing, backpressure, and an orderly end."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import time
from typing import Literal, Protocol

from sessiond.jsontext.spans import Json
from sessiond.limits import MAX_MESSAGE_BYTES, OUTGOING_HIGH_WATER
from sessiond.rpc.events import BoundaryLost, Event
from sessiond.rpc.framing import Framing, Receiver, frame
from sessiond.rpc.stdio import Input, Output

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.005
"""How long messages are started without a break before the event loop continues."""

SHARED_SLICE_SECONDS = 0.001
"""The same beside other clients, whose messages wait meanwhile."""

STOP_SECONDS = 2.0
"""How long `stop` waits for running requests, and then again for a client that does not read."""


class Work(Protocol):
    """The functions of `requests.Requests` that a connection uses; that module imports this one."""

    @property
    def busy(self) -> bool:
        """Whether a received message is not finished yet."""

    @property
    def unfinished(self) -> int:
        """Number of messages that are running or waiting to be started."""

    @property
    def has_room(self) -> bool:
        """Whether another message may be read."""

    def receive(self, event: Event | BoundaryLost) -> None:
        """Start a message, or queue it."""

    def start_next(self) -> bool:
        """Start a queued message if one may be started; requires that the client is reading."""

    def finish_joined(self) -> None:
        """Serve the requests that wait to be joined by others that have arrived."""

    def cancel_all(self) -> None:
        """Cancel running and queued messages."""


class Connection:
    """The connection to the client, and the options it chose in `initialize`."""

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self.plain_json = False
        self.position_encoding = "utf-16"
        self.max_message_bytes = max_message_bytes
        self.is_shared = False
        """Whether the event loop serves other clients, too."""
        self._receiver = Receiver(framing, max_message_bytes)
        self._input: Input | None = None
        self._output: Output | None = None
        self._code: int | None = None
        self._stopping = False
        self._blocked = False
        self._pumping: asyncio.Handle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._drained: list[tuple[int, int, asyncio.Future[None]]] = []
        """A heap of what waits in `drained`: the mark, a number against equal ones, the waiter."""
        self._numbers = itertools.count()

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
        return self.unsent <= OUTGOING_HIGH_WATER

    @property
    def queued(self) -> int:
        """Number of bytes that were ever to be sent."""
        return self._output.queued if self._output else 0

    def has_sent(self, mark: int) -> bool:
        """Whether it is `writable` and the first `mark` bytes were sent, or the client has gone."""
        return self._output is None or (self.writable and self._output.sent >= mark)

    async def drained(self, mark: int = 0) -> None:
        """Wait until `has_sent(mark)`."""
        while not self.has_sent(mark):
            waiter = asyncio.get_running_loop().create_future()
            heapq.heappush(self._drained, (mark, next(self._numbers), waiter))
            await waiter

    def send(self, body: bytes | Json) -> None:
        """Queue one message; discarded outside `run` and after the client has gone."""
        if self._output is not None:
            self._output.write(frame(body, self.framing))

    def receive_first(self, data: bytes) -> None:
        """Take bytes that were read from the client before `run`."""
        self._receiver.feed(data)
        self._blocked = bool(data)

    async def run(self, input_fd: int, output_fd: int, work: Work) -> int:
        """Serve until the end of input or `stop`; returns the exit code.

        `work` must call `proceed` whenever it has finished a message.
        """
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._work = work
        self._output = Output(output_fd, self._on_progress)
        self._input = Input(input_fd, self._on_data)
        if self._stopping:
            self._arm()
        else:
            self._input.resume()
            self.proceed()
        try:
            return await self._ended
        finally:
            for handle in (self._pumping, self._deadline):
                if handle is not None:
                    handle.cancel()
            self._input.close()
            self._output.close()
            self._output = None
            self._wake_drained()

    def stop(self, code: int) -> None:
        """Read nothing more, finish what was received, send all answers, and end with `code`.

        Requests that need longer than `STOP_SECONDS` are cancelled. If the client then does not
        read within the same time, the connection ends without sending the rest.
        """
        if not self._stopping:
            self._stopping = True
            self._code = code
        if self._input is not None:
            self._input.pause()
            self._arm()

    def _arm(self) -> None:
        if self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(STOP_SECONDS, self._cancel_all)
            # Later, because the answer to the request that asked for the end is not sent yet.
            loop.call_soon(self.proceed)

    def _cancel_all(self) -> None:
        self._stopping = True
        self._deadline = asyncio.get_running_loop().call_later(STOP_SECONDS, self._give_up)
        self._work.cancel_all()
        self.proceed()

    def _give_up(self) -> None:
        if not self._ended.done():
            logger.warning(
                "Ending with %d requests unfinished and %d bytes unsent",
                self._work.unfinished,
                self.unsent,
            )
            self._ended.set_result(self._code or 0)

    def proceed(self) -> None:
        """Continue with queued messages; end the connection if nothing is left to do."""
        if self._output is None or self._ended.done():
            return
        if self._pumping is None:
            if self._blocked or self._work.busy:
                self._pumping = asyncio.get_running_loop().call_soon(self._pump)
            else:
                self._settle()

    def _settle(self) -> None:
        exhausted = self._stopping or (self._receiver.ended and not self._blocked)
        if not exhausted or self._code is None or self._work.busy or self.unsent:
            return
        if not self._ended.done():
            self._ended.set_result(self._code)

    def _on_data(self, data: bytes) -> None:
        if data:
            self._receiver.feed(data)
        else:
            self._receiver.end()
        if not self._blocked and self._pumping is None:
            self._pump()

    def _pump(self) -> None:
        """Start queued messages and take in received ones, while the client reads the answers."""
        assert self._input is not None  # noqa: S101 - only `run` starts it
        assert self._output is not None  # noqa: S101 - likewise
        self._pumping = None
        self._blocked = False
        self._output.cork()
        try:
            starved = self._start_messages(self._output)
        finally:
            self._output.uncork()
            if self._drained:
                self._wake_drained()
        if not starved or self._stopping:
            self._input.pause()
        elif not self._receiver.ended:
            self._input.wanted = self._receiver.wanted
            self._input.resume()
        elif self._code is None:
            self._code = 0
        if self._output.lost:
            self._on_lost()
        self._settle()

    def _start_messages(self, output: Output) -> bool:
        """Start queued messages and take in received ones alternately.

        Alternately, so that a cancellation or a short request does not wait for many earlier
        ones. Returns whether all received messages were taken in.
        """
        slice_seconds = SHARED_SLICE_SECONDS if self.is_shared else SLICE_SECONDS
        end_of_slice = time.monotonic() + slice_seconds
        while True:
            if output.unsent > OUTGOING_HIGH_WATER:
                output.flush()
            started = output.unsent <= OUTGOING_HIGH_WATER and self._work.start_next()
            has_room = not self._stopping and self._work.has_room
            starved = has_room and not self._take_in()
            if not started and (starved or not has_room):
                self._work.finish_joined()
                self._blocked = not starved and not self._stopping
                return starved
            if time.monotonic() > end_of_slice:
                self._work.finish_joined()
                self._blocked = not starved
                self._pumping = asyncio.get_running_loop().call_soon(self._pump)
                return starved

    def _take_in(self) -> bool:
        """Take in the next received message; returns whether there was one."""
        try:
            event = self._receiver.next_event()
        except BoundaryLost as error:
            self._work.receive(error)
            self.stop(1)
            return True
        if event is None:
            return False
        self._work.receive(event)
        return True

    def _on_progress(self) -> None:
        """Continue after the client has read something, or has gone."""
        assert self._output is not None  # noqa: S101 - the caller, which is silent once closed
        self._wake_drained()
        if self._output.lost:
            self._on_lost()
        if self.writable:
            self.proceed()

    def _on_lost(self) -> None:
        """The client has gone: finish what it sent before, then end."""
        assert self._input is not None  # noqa: S101 - made together with the output
        if self._deadline is not None:
            return
        if not self._receiver.ended:
            self._receiver.feed(self._input.rest())
            self._receiver.end()
            self._blocked = True
        if self._code is None:
            self._code = 0
        self._arm()

    def _wake_drained(self) -> None:
        while self._drained and self.has_sent(self._drained[0][0]):
            _, _, waiter = heapq.heappop(self._drained)
            if not waiter.done():
                waiter.set_result(None)
