"""Work that was refused for want of threads is never done."""

import threading

import pytest

from sessiond.errors import OutOfResources
from sessiond.fair_pool import FairPool
from sessiond.files import workers

DEADLINE = 30


def refuse(_):
    raise RuntimeError("can't start new thread")


@pytest.fixture
def pool():
    pool = FairPool(2)
    yield pool
    pool.shutdown()


def test_work_that_was_refused_is_not_done_later(pool, monkeypatch):
    done = []
    with monkeypatch.context() as shortage:
        shortage.setattr(threading.Thread, "start", refuse)
        refused = pool.submit(done.append, "refused")
        with pytest.raises(RuntimeError) as raised:
            refused.result(DEADLINE)
        assert isinstance(OutOfResources.of(raised.value), OutOfResources)
    pool.submit(done.append, "accepted").result(DEADLINE)
    pool.shutdown()
    assert done == ["accepted"]


def test_all_threads_can_be_started_before_a_shortage(pool, monkeypatch):
    pool.start_all()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    # Passed only by two threads at the same time.
    both = threading.Barrier(2)
    for work in [pool.submit(both.wait, DEADLINE) for _ in range(2)]:
        work.result(DEADLINE)


async def test_a_daemon_needs_no_further_threads(monkeypatch):
    workers.start_threads()
    with monkeypatch.context() as shortage:
        shortage.setattr(threading.Thread, "start", refuse)
        assert await workers.undisturbed(lambda: "written") == "written"
        assert await workers.scanning(lambda: "read") == "read"
        assert await workers.computing(1 << 30, lambda: "computed") == "computed"
        assert await workers.decoding(lambda: "decoded") == "decoded"
