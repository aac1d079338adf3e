"""Which requests are started now and which wait: bounds on what one client has in hand.

Requests are started in order of arrival, per lane. A lane is the family of a method (`session`,
`catalog`, ...), so that long requests of one family do not hold up short ones of another. A request
waits while its lane is full, while the answers that are expected of the requests in hand would be
too large together, and while the client does not read. Waiting requests are bounded in number and
bytes; beyond that no further message is read.

Why nothing waits for ever: a lane that has nothing in hand always starts its next request, and what
is in hand does not wait for the client to read. So all that waits is started in the end, provided
that the client reads.
"""

from __future__ import annotations

from collections import deque

import attrs
from msgspec import Raw

from sessiond import limits
from sessiond.rpc.codec import BadMessage, Envelope
from sessiond.rpc.dispatch import Batch, Method, Send


@attrs.define(eq=False)
class Call:
    """A request or notification that was received, with where its answer goes.

    `id_` is JSON, None for a notification. `size` is its share of the message in bytes.
    """

    method: Method
    params: Raw
    id_: bytes | None
    send: Send
    batch: Batch | None = None
    size: int = 0
    expected: int = 0
    """Bytes its answer is expected to have, as of the moment it was counted as in hand."""
    cancelled: bool = False
    """Answered already, while it waited; it is not started any more."""


@attrs.define(eq=False)
class Refusal:
    """An answer that says why a message is not served; it waits only for the client to read."""

    id_: bytes
    error: dict[str, object]
    send: Send


@attrs.define(eq=False)
class BatchArrived:
    """A batch as it was received; its members are calls of their own once it is started."""

    members: list[Envelope | BadMessage]
    size: int


Item = Call | Refusal | BatchArrived


@attrs.define(eq=False)
class _Lane:
    waiting: deque[Call] = attrs.field(factory=deque)
    in_hand: int = 0


class Admission:
    """What one connection has in hand, and what waits for its turn."""

    def __init__(self, waiting_bytes: int = limits.WAITING_BYTES) -> None:
        self.waiting = 0
        self.batches = 0
        """Batches that were started and are not answered yet."""
        self._limit = waiting_bytes
        self._bytes = 0
        self._expected = 0
        self._lanes: dict[str, _Lane] = {}
        self._refusals: deque[Refusal] = deque()
        # Arrived after a batch that cannot be started yet, which is the first of them. Its members
        # come before them.
        self._behind: deque[Item] = deque()

    @property
    def has_room(self) -> bool:
        """Whether a further message may be read."""
        return self.waiting < limits.WAITING_REQUESTS and self._bytes < self._limit

    def admit(self, item: Item, *, writable: bool, of_batch: bool = False) -> bool:
        """Take in what arrived: true if it is to be started now, false if it waits.

        With `of_batch` it is a member of a batch that was started. These always wait, so that many
        of them do not take their time in one go.
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
        """The next of what waits that may be started. The client must be ready to read."""
        if not self.waiting:
            return None
        self._pass_on()
        found = self._startable()
        if found is not None:
            self.waiting -= 1
            if not isinstance(found, Refusal):
                self._bytes -= found.size
        return found

    def _startable(self) -> Item | None:
        if self._refusals:
            return self._refusals.popleft()
        for lane in self._lanes.values():
            while lane.waiting and lane.waiting[0].cancelled:
                self._bytes -= lane.waiting.popleft().size
                self.waiting -= 1
            if lane.waiting and self._fits(lane, lane.waiting[0].method):
                return lane.waiting.popleft()
        # Only a batch can be there: the members of an earlier one are in their lanes by now.
        if self._behind and self._batch_fits:
            self.batches += 1
            return self._behind.popleft()
        return None

    def _pass_on(self) -> None:
        """Give what arrived after a batch that was started its place in the lanes."""
        while self._behind and not isinstance(self._behind[0], BatchArrived):
            item = self._behind.popleft()
            if isinstance(item, Refusal):
                self._refusals.append(item)
            else:
                assert isinstance(item, Call)  # noqa: S101 - for the type checker
                self._lane(item.method).waiting.append(item)

    def replace(self, call: Call, refusal: Refusal) -> None:
        """Answer a waiting call so instead of starting it, as soon as the client reads."""
        call.cancelled = True
        self._refusals.append(refusal)
        self.waiting += 1

    def started(self, call: Call) -> None:
        """Count a call that has to wait for something, until `finished`."""
        call.expected = call.method.expected_bytes
        self._lane(call.method).in_hand += 1
        self._expected += call.expected
        self._bytes += call.size

    def finished(self, call: Call) -> None:
        """The opposite of `started`."""
        self._lane(call.method).in_hand -= 1
        self._expected -= call.expected
        self._bytes -= call.size

    def batch_finished(self) -> None:
        """Count a batch as answered."""
        self.batches -= 1

    @property
    def _batch_fits(self) -> bool:
        return self.batches < limits.MAX_BATCHES_IN_HAND

    def _lane(self, method: Method) -> _Lane:
        lane = self._lanes.get(method.lane)
        if lane is None:
            lane = self._lanes[method.lane] = _Lane()
        return lane

    def _fits(self, lane: _Lane, method: Method) -> bool:
        if not lane.in_hand:
            return True
        expected = self._expected + method.expected_bytes
        return lane.in_hand < limits.IN_HAND_PER_LANE and expected <= limits.EXPECTED_ANSWER_BYTES
