"""Work that was refused for want of threads is never done, and no start blocks for ever."""

import threading

import pytest

from sessiond import threads
from sessiond.errors import OutOfResources
from sessiond.files import workers
from sessiond.threads import Pool

DEADLINE = 10


def refuse(_):
    raise RuntimeError("can't start new thread")


@pytest.fixture
def pool():
    pool = Pool(2)
    yield pool
    pool.shutdown()


def test_work_that_was_refused_is_not_done_later(pool, monkeypatch):
    done = []
    with monkeypatch.context() as shortage:
        shortage.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError) as raised:
            pool.submit(done.append, "refused")
        assert isinstance(OutOfResources.of(raised.value), OutOfResources)
    pool.submit(done.append, "accepted").result(DEADLINE)
    pool.shutdown()
    assert done == ["accepted"]


def test_work_is_done_by_the_threads_that_exist_if_no_other_can_be_started(pool, monkeypatch):
    proceed = threading.Event()
    first = pool.submit(proceed.wait, DEADLINE)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    second = pool.submit(lambda: "done")
    proceed.set()
    assert first.result(DEADLINE)
    assert second.result(DEADLINE) == "done"


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


def test_a_thread_that_dies_before_it_begins_does_not_block_its_starter(monkeypatch):
    monkeypatch.setattr(threads, "_BEGIN_SECONDS", 0.01)
    # What the system does to a thread for whose first call there is no memory.
    monkeypatch.setattr(threading, "_start_new_thread", lambda *_: None)
    thread = threads.Thread(target=pytest.fail)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        thread.start()
    assert thread not in threading.enumerate()
