"""Admission control: which requests are started now, and which are queued.

Requests are started in order of arrival, per lane. A lane is the family of a method (`session`,
`catalog`, ...), so that long requests of one family do not delay short ones of another. A request
is queued while its lane is full, while the expected answers of the running requests would be too
large together, and while the client does not read. The queue is limited in number and bytes; beyond
these limits no further message is read.

No request is queued for ever: a lane without running requests always starts its next one, and
running requests do not wait for the client to read. So every queued request is started in the end,
provided that the client reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import attrs

from sessiond import limits
from sessiond.rpc.codec import BadMessage
from sessiond.rpc.dispatch import Batch, RegisteredMethod, Send
from sessiond.rpc.message import Message


@attrs.define(eq=False)
class Call:
    """A received request or notification, with the function that sends its answer.

    `id_` is JSON, None for a notification. `size` is the number of bytes of its params.
    """

    method: RegisteredMethod
    message: Message
    id_: bytes | None
    send: Send
    batch: Batch | None = None
    size: int = 0
    expected: int = 0
    """Expected size of its answer in bytes, as estimated when it was counted as running."""
    cancelled: bool = False
    """Whether it was answered while it was queued, so that it must not be started."""


@attrs.define(eq=False)
class Refusal:
    """An error answer to a message that is not served; it waits only for the client to read."""

    id_: bytes
    error: dict[str, object]
    send: Send


@attrs.define(eq=False)
class BatchArrived:
    """A received batch; its members become separate calls when it is started."""

    members: Sequence[Message | BadMessage]
    size: int


Item = Call | Refusal | BatchArrived


@attrs.define(eq=False)
class _Lane:
    waiting: deque[Call] = attrs.field(factory=deque)
    running: int = 0


class Admission:
    """The running and the queued messages of one connection."""

    def __init__(self, waiting_bytes: int = limits.WAITING_BYTES) -> None:
        self.waiting = 0
        self.batches = 0
        """Number of batches that were started and are not answered yet."""
        self._limit = waiting_bytes
        self._bytes = 0
        self._expected = 0
        self._lanes: dict[str, _Lane] = {}
        self._refusals: deque[Refusal] = deque()
        # A batch that cannot be started yet, and all messages received after it: the members of
        # the batch come before these.
        self._behind: deque[Item] = deque()

    @property
    def has_room(self) -> bool:
        """Whether another message may be read."""
        return self.waiting < limits.WAITING_REQUESTS and self._bytes < self._limit

    def admit(self, item: Item, *, writable: bool, of_batch: bool = False) -> bool:
        """Accept a message: true if the caller has to start it now, false if it is queued.

        `of_batch` marks a member of a started batch. Members are always queued, so that a large
        batch does not occupy the event loop without a break.
        """
        writable = writable and not of_batch
        if self._behind and not of_batch:
            self._behind.append(item)
        elif isinstance(item, Refusal):
            if writable and not self._refusals:
                return True
            self._refusals.append(item)
        elif isinstance(item, BatchArrived):
            if writable and self._batch_fits:
                self.batches += 1
                return True
            self._behind.append(item)
        else:
            lane = self._lane(item.method)
            if writable and not lane.waiting and self._fits(lane, item.method):
                return True
            lane.waiting.append(item)
        self.waiting += 1
        if not isinstance(item, Refusal):
            self._bytes += item.size
        return False

    def next(self) -> Item | None:
        """Remove and return the next queued message that may be started, or None.

        Requires that the client is reading.
        """
        if not self.waiting:
            return None
        self._distribute()
        item = self._startable()
        if item is not None:
            self.waiting -= 1
            if not isinstance(item, Refusal):
                self._bytes -= item.size
        return item

    def _startable(self) -> Item | None:
        if self._refusals:
            return self._refusals.popleft()
        for lane in self._lanes.values():
            while lane.waiting and lane.waiting[0].cancelled:
                self._bytes -= lane.waiting.popleft().size
                self.waiting -= 1
            if lane.waiting and self._fits(lane, lane.waiting[0].method):
                return lane.waiting.popleft()
        # The first item can only be a batch: the items before it are in their lanes already.
        if self._behind and self._batch_fits:
            self.batches += 1
            return self._behind.popleft()
        return None

    def _distribute(self) -> None:
        """Move messages that were received after a started batch to their lanes."""
        while self._behind and not isinstance(self._behind[0], BatchArrived):
            item = self._behind.popleft()
            if isinstance(item, Refusal):
                self._refusals.append(item)
            else:
                assert isinstance(item, Call)  # noqa: S101 - for the type checker
                self._lane(item.method).waiting.append(item)

    def replace(self, call: Call, refusal: Refusal) -> None:
        """Cancel a queued call, and answer it with `refusal` as soon as the client reads."""
        call.cancelled = True
        self._refusals.append(refusal)
        self.waiting += 1

    def started(self, call: Call, announced: int = 0) -> None:
        """Count a call that has suspended as running, until `finished`.

        `announced`: how many bytes its handler examines for the answer, as far as is known.
        """
        call.expected = max(call.method.expected_bytes, announced)
        self._lane(call.method).running += 1
        self._expected += call.expected
        self._bytes += call.size

    def finished(self, call: Call) -> None:
        """The opposite of `started`."""
        self._lane(call.method).running -= 1
        self._expected -= call.expected
        self._bytes -= call.size

    def batch_finished(self) -> None:
        """Count a batch as answered."""
        self.batches -= 1

    @property
    def _batch_fits(self) -> bool:
        return self.batches < limits.MAX_RUNNING_BATCHES

    def _lane(self, method: RegisteredMethod) -> _Lane:
        lane = self._lanes.get(method.lane)
        if lane is None:
            lane = self._lanes[method.lane] = _Lane()
        return lane

    def _fits(self, lane: _Lane, method: RegisteredMethod) -> bool:
        if not lane.running:
            return True
        expected = self._expected + method.expected_bytes
        return lane.running < limits.RUNNING_PER_LANE and expected <= limits.EXPECTED_ANSWER_BYTES
