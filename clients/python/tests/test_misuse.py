"""A client elsewhere than where it was opened, one that nobody closes, and copies of errors."""

from __future__ import annotations

import asyncio
import copy
import gc
import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor

import pytest
from conftest import until, user

from sessiond_client import Sessiond, blocking, errors
from sessiond_client.errors import ClientClosed, LeafConflict, MisplacedCall

FORK = multiprocessing.get_context("fork")
# Python warns of a fork beside threads, which is what is tested here.
forks = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def in_child(work):
    """Return what a function returns in a forked process."""
    ours, theirs = FORK.Pipe()
    child = FORK.Process(target=lambda: theirs.send(work()))
    child.start()
    try:
        assert ours.poll(30), "the child hangs"
        return ours.recv()
    finally:
        child.kill()
        child.join()


def raised_by(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001 - any
        return type(error).__name__
    return "nothing"


@forks
def test_a_blocking_client_is_not_open_in_a_forked_process(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    session.append_message(user("hello"))
    subscription = blocked.catalog_subscribe(cwd=str(tmp_path))
    changes = session.changes()
    calls = {
        "call": blocked.daemon_status,
        "with timeout": lambda: blocked.daemon_status(timeout=1),
        "any": lambda: blocked.call("daemon/status"),
        "session": session.get_entries,
        "pages": lambda: list(blocked.sessions()),
        "stream": changes.get,
        "changes": session.changes,
        "connect": blocked.connect,
    }
    closing = [changes.close, subscription.close, session.close, blocked.close]
    told = in_child(
        lambda: (
            {name: raised_by(call) for name, call in calls.items()},
            [raised_by(close) for close in closing],
        )
    )
    assert told == (dict.fromkeys(calls, "ClientClosed"), ["nothing"] * len(closing))
    assert session.get_entry_count().count == 1


@forks
def test_another_client_can_be_opened_in_a_forked_process(blocked, tmp_path):
    blocked.session_create(str(tmp_path)).append_message(user("hello"))

    def work():
        with blocking.Sessiond() as mine:
            return mine.session_list(str(tmp_path)).total

    assert in_child(work) == 1


@forks
async def test_a_client_is_not_open_in_a_forked_process(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    changes = session.changes()
    calls = [client.daemon_status, session.get_state, client.pid, changes.__anext__]
    closing = [session.close, client.close]

    def work():
        return [
            raised_by(lambda call=call: asyncio.run(_awaited(call))) for call in calls + closing
        ]

    told = await asyncio.to_thread(in_child, work)
    assert told == ["ClientClosed"] * len(calls) + ["nothing"] * len(closing)
    assert (await session.get_entry_count()).count == 0


async def _awaited(call):
    async with asyncio.timeout(20):
        return await call()


async def test_a_client_refuses_calls_from_another_event_loop(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    subscription = await client.catalog_subscribe(cwd=str(tmp_path))
    calls = {
        "call": client.daemon_status,
        "any": lambda: client.call("daemon/status"),
        "session": session.get_entries,
        "stream": session.changes().__anext__,
        "subscription": aiter(subscription).__anext__,
        "connect": client.connect,
        "closing a session": session.close,
        "closing": client.close,
    }

    def elsewhere():
        return {
            name: raised_by(lambda call=call: asyncio.run(_awaited(call)))
            for name, call in calls.items()
        }

    assert await asyncio.to_thread(elsewhere) == dict.fromkeys(calls, "MisplacedCall")
    await session.append_message(user("hello"))


def test_a_client_whose_event_loop_has_ended_says_so(agent_dir):
    async def opened():
        async with Sessiond() as client:
            return client

    client = asyncio.run(opened())
    with pytest.raises(MisplacedCall, match="event loop"):
        asyncio.run(client.daemon_status())


@pytest.mark.parametrize("kind", errors.KINDS.values(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],  # noqa: S301
)
def test_errors_can_be_copied(kind, copied):
    error = kind(-32001, "why", {"kind": kind.__name__, "retryable": True, "expected": None})
    again = copied(error)
    assert (type(again), str(again)) == (kind, "why")
    assert (again.code, again.message, again.data) == (error.code, "why", error.data)
    assert (again.kind, again.retryable) == (kind.__name__, True)


@pytest.mark.parametrize("name", ["ClientClosed", "DaemonCrashed", "SessionLost", "StreamEnded"])
def test_errors_of_the_client_can_be_copied(name):
    again = copy.deepcopy(getattr(errors, name)("why"))
    assert (type(again).__name__, str(again)) == (name, "why")


def conflict(path: str) -> None:
    with blocking.Sessiond() as client:
        session = client.session_open(path)
        session.append_message(user("x"), expected_leaf_id=None)


def test_an_error_of_the_daemon_comes_back_from_a_process_pool(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    session.append_message(user("hello"))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        failed = pool.submit(conflict, session.state.session_file)
        with pytest.raises(LeafConflict) as caught:
            failed.result(timeout=50)
    assert caught.value.leaf_id == session.leaf_id


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_the_daemon_of_a_client_that_nobody_has_any_more_ends(agent_dir):
    client = await Sessiond().connect()
    session = await client.session_in_memory()
    pid = await client.pid()
    del client
    gc.collect()
    assert (await session.get_entry_count()).count == 0
    del session
    with pytest.warns(ResourceWarning, match=f"daemon {pid}"):
        gc.collect()
    # Until the tasks that close the connection have ended, its pipes are open.
    await until(lambda: ended(pid) and asyncio.all_tasks() == {asyncio.current_task()})


async def test_the_daemon_of_a_blocking_client_that_nobody_has_any_more_ends(agent_dir):
    client = blocking.Sessiond().connect()
    session = client.session_in_memory()
    pid = client.pid()
    threads = {each for each in threading.enumerate() if each.name == "sessiond-client"}
    del client
    gc.collect()
    assert session.get_entry_count().count == 0
    held = [session]
    del session
    with pytest.warns(ResourceWarning, match="not closed"):
        held.clear()
    await until(lambda: ended(pid) and not any(each.is_alive() for each in threads))


async def test_a_client_that_was_closed_warns_of_nothing(agent_dir, recwarn):
    async with Sessiond() as client:
        await client.session_in_memory()
    with blocking.Sessiond() as client:
        client.session_in_memory()
    client = None
    gc.collect()
    assert [str(each.message) for each in recwarn] == []


def test_a_blocking_client_that_is_not_open_is_closed():
    with pytest.raises(ClientClosed):
        blocking.Sessiond().daemon_status(timeout=1)
