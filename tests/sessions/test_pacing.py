"""When messages go out: at once to a client that reads, merged for one that does not."""

import asyncio
import selectors

import attrs
from hypothesis import given
from hypothesis import strategies as st

from sessiond.sessions.notifications.pacing import PAUSE, SHORT_PAUSE, Pacer

SIZE = 100
"""Bytes of each message."""


class Selector(selectors.DefaultSelector):
    """Does not wait: adds the time that it would have waited to `now`."""

    now = 0.0

    def select(self, timeout=None):
        assert timeout is not None, "nothing will ever happen"
        self.now += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time."""

    def __init__(self):
        self.selector = Selector()
        super().__init__(self.selector)

    def time(self):
        return self.selector.now


@attrs.define
class Client:
    """A channel whose client reads everything or nothing."""

    reads: bool = True
    queued: int = 0
    read: int = 0
    waiting: list = attrs.field(factory=list)

    def queue(self):
        self.queued += SIZE
        self.go_on(reads=self.reads)

    def go_on(self, *, reads):
        self.reads = reads
        if reads:
            self.read = self.queued
            waiting, self.waiting = self.waiting, []
            for waiter in waiting:
                if not waiter.done():
                    waiter.set_result(None)

    @property
    def has_drained(self):
        return self.read >= self.queued

    async def drained(self):
        while not self.has_drained:
            waiter = asyncio.get_running_loop().create_future()
            self.waiting.append(waiter)
            await waiter


@attrs.define
class Source:
    """A source of changes, with the times of its messages and their numbers of changes."""

    client: Client
    pause: float = SHORT_PAUSE
    changes: int = 0
    told: list = attrs.field(factory=list)
    pacer: Pacer = attrs.field(init=False)

    def __attrs_post_init__(self):
        self.pacer = Pacer(self.client, self.send, self.pause)

    def change(self):
        self.changes += 1
        self.pacer.due()

    def send(self):
        self.told.append((asyncio.get_running_loop().time(), self.changes))
        self.client.queue()


def in_virtual_time(work):
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


async def change_at(moments, sources):
    """Change a source at each of these (second, number of the source)."""
    loop = asyncio.get_running_loop()
    for moment, number in sorted(moments):
        await asyncio.sleep(moment - loop.time())
        sources[number].change()
    await asyncio.sleep(2 * PAUSE)


def test_a_reading_client_gets_each_change_immediately():
    async def work():
        source = Source(Client())
        moments = [number * 0.0055 for number in range(100)]
        await change_at([(moment, 0) for moment in moments], [source])
        assert [round(moment, 6) for moment, _ in source.told] == [
            round(moment, 6) for moment in moments
        ]

    in_virtual_time(work())


def test_a_second_change_waits_for_the_end_of_the_pause():
    async def work():
        source = Source(Client(), PAUSE)
        await change_at([(0.0, 0), (0.02, 0), (0.03, 0)], [source])
        assert [(round(moment, 6), count) for moment, count in source.told] == [(0, 1), (PAUSE, 3)]

    in_virtual_time(work())


def test_more_than_two_hundred_changes_a_second_are_merged():
    async def work():
        source = Source(Client())
        await change_at([(number / 20_000, 0) for number in range(20_000)], [source])
        assert 150 < len(source.told) <= 201
        assert source.told[-1][1] == 20_000

    in_virtual_time(work())


def test_the_first_change_of_every_source_is_sent_immediately():
    async def work():
        client = Client()
        sources = [Source(client) for _ in range(3000)]
        await change_at([(1.0, number) for number in range(3000)], sources)
        assert all(source.told == [(1.0, 1)] for source in sources)

    in_virtual_time(work())


def test_a_client_that_does_not_read_has_one_message_in_the_queue():
    async def work():
        client = Client(reads=False)
        sources = [Source(client) for _ in range(2)]
        moments = [(number / 1000, number % 2) for number in range(4000)]
        await change_at(moments, sources)
        assert client.queued == SIZE
        client.go_on(reads=True)
        await asyncio.sleep(PAUSE)
        assert [source.told[-1][1] for source in sources] == [2000, 2000]
        assert sorted(len(source.told) for source in sources) == [1, 2]

    in_virtual_time(work())


def test_nothing_is_sent_after_the_stop():
    async def work():
        client = Client(reads=False)
        sources = [Source(client) for _ in range(2)]
        await change_at([(0.0, 0), (0.01, 0)], sources)
        sources[0].pacer.stop()
        sources[1].change()
        sources[1].pacer.stop()
        client.go_on(reads=True)
        await asyncio.sleep(PAUSE)
        assert [len(source.told) for source in sources] == [1, 0]

    in_virtual_time(work())


MOMENTS = st.integers(0, 600).map(lambda number: number / 1000)


@given(
    st.lists(st.tuples(MOMENTS, st.integers(0, 2)), max_size=60),
    st.lists(MOMENTS, max_size=6).map(sorted),
    st.sampled_from([PAUSE, SHORT_PAUSE]),
)
def test_every_change_is_reported_and_none_waits_longer_than_the_pause_while_the_client_reads(
    changes, turns, pause
):
    """At each of `turns` the client begins to read, or stops."""

    async def work():
        client = Client()
        sources = [Source(client, pause) for _ in range(3)]
        changing = asyncio.create_task(change_at(changes, sources))
        for number, turn in enumerate(turns):
            await asyncio.sleep(turn - asyncio.get_running_loop().time())
            client.go_on(reads=bool(number % 2))
        await changing
        assert client.queued - client.read <= 3 * SIZE
        client.go_on(reads=True)
        await asyncio.sleep(2 * PAUSE)
        for number, source in enumerate(sources):
            own = sorted(moment for moment, changed in changes if changed == number)
            assert [count for _, count in source.told] == sorted({c for _, c in source.told})
            assert (source.told[-1][1] if source.told else 0) == len(own)
            if turns:
                continue
            for count, moment in enumerate(own, start=1):
                told = next(at for at, including in source.told if including >= count)
                assert told - moment <= pause + 1e-6

    in_virtual_time(work())
