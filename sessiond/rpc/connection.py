"""One client: bytes through the framing, backpressure, and how a connection comes to its end."""

from __future__ import annotations

import asyncio
import logging
from typing import Literal, Protocol

from sessiond.jsontext.spans import Json
from sessiond.limits import MAX_MESSAGE_BYTES, OUTGOING_HIGH_WATER
from sessiond.rpc.framing import BoundaryLost, Event, Framing, Receiver, frame
from sessiond.rpc.stdio import Input, Output

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.005
"""How long arrived messages are started in one go before the loop gets its turn."""

STOP_SECONDS = 2.0
"""How long an ordered stop waits for requests in hand, and then for a client that does not read."""


class Work(Protocol):
    """What is done with messages, as far as a connection has to know of it."""

    @property
    def busy(self) -> bool:
        """Whether anything received is still to be answered or done."""

    @property
    def unfinished(self) -> int:
        """Messages started and not done, or waiting for their turn."""

    @property
    def has_room(self) -> bool:
        """Whether a further message may be read."""

    def receive(self, event: Event | BoundaryLost) -> None:
        """Start a message, or have it wait for its turn."""

    def start_next(self) -> bool:
        """Start one that waits for its turn, if one may be started; the client is reading."""

    def cancel_all(self) -> None:
        """End what is in hand and what waits for its turn."""


class Connection:
    """The client's end of the wire, and what it said of itself in `initialize`."""

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self.plain_json = False
        self.position_encoding = "utf-16"
        self.max_message_bytes = max_message_bytes
        self._receiver = Receiver(framing, max_message_bytes)
        self._input: Input | None = None
        self._output: Output | None = None
        self._code: int | None = None
        self._stopping = False
        self._blocked = False
        self._pumping: asyncio.Handle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._drained: list[asyncio.Future[None]] = []

    @property
    def framing(self) -> Framing:
        """The framing spoken; `header` as long as nothing has arrived."""
        return self._receiver.framing or "header"

    @property
    def unsent(self) -> int:
        """Bytes the client has not taken yet."""
        return self._output.unsent if self._output else 0

    @property
    def writable(self) -> bool:
        """Whether the client keeps up; while it does not, no further request is started."""
        return self.unsent <= OUTGOING_HIGH_WATER

    async def drained(self) -> None:
        """Wait until `writable`, which is at once if it is or if the client has gone."""
        while not self.writable:
            waiter = asyncio.get_running_loop().create_future()
            self._drained.append(waiter)
            await waiter

    def send(self, body: bytes | Json) -> None:
        """Queue one message. Outside `run` and after the loss of the client it is thrown away."""
        if self._output is not None:
            self._output.write(frame(body, self.framing))

    async def run(self, input_fd: int, output_fd: int, work: Work) -> int:
        """Serve until the end of input or `stop`; returns the exit code.

        `proceed` is to be called when something of the work is done.
        """
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._work = work
        self._output = Output(output_fd, self._on_progress)
        self._input = Input(input_fd, self._on_data)
        if self._stopping:
            self._arm()
        else:
            self._input.resume()
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
        """Read nothing more, finish what was received, drain, and end with `code`.

        Requests that need longer than `STOP_SECONDS` are cancelled, and a client that then does
        not read within the same time is given up.
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
            # Not at once: the answer of the request that asked for the end is still to be sent.
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
        """Go on with what waited for something to be done; end if there is nothing left to do."""
        if self._output is None or self._ended.done():
            return
        if self._pumping is None:
            if self._blocked or self._work.busy:
                self._pumping = asyncio.get_running_loop().call_soon(self._pump)
            else:
                self._settle()

    def _settle(self) -> None:
        exhausted = self._stopping or (self._receiver.ended and not self._blocked)
        if self._code is None or not exhausted or self._work.busy or self.unsent:
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
        """Start what waits and read what has arrived, as far as the client takes the answers."""
        assert self._input is not None  # noqa: S101 - only `run` starts it
        assert self._output is not None  # noqa: S101 - likewise
        self._pumping = None
        self._blocked = False
        self._output.cork()
        try:
            starved = self._start_messages(self._output)
        finally:
            self._output.uncork()
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
        """Start what waits and take in what has arrived, by turns; returns whether all is taken in.

        By turns, so that a cancellation or a short request does not wait for many that came before.
        """
        loop = asyncio.get_running_loop()
        end_of_slice = loop.time() + SLICE_SECONDS
        while True:
            if not self.writable:
                output.flush()
            started = self.writable and self._work.start_next()
            starved = False
            if not self._stopping and self._work.has_room:
                starved = not self._take_in()
            if not started and (starved or self._stopping or not self._work.has_room):
                self._blocked = not starved and not self._stopping
                return starved
            if loop.time() > end_of_slice:
                self._blocked = not starved
                self._pumping = loop.call_soon(self._pump)
                return starved

    def _take_in(self) -> bool:
        """Take in the next message; returns whether there was one."""
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
        """The client has taken something, or has gone."""
        assert self._output is not None  # noqa: S101 - it is the caller
        self._wake_drained()
        if self._output.lost:
            self._on_lost()
        if self.writable:
            self.proceed()

    def _on_lost(self) -> None:
        """The reader has gone: do what was sent before, and end in any case."""
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
        if self._drained and self.writable:
            waiting, self._drained = self._drained, []
            for waiter in waiting:
                if not waiter.done():
                    waiter.set_result(None)
