from __future__ import annotations

import os
import signal
import threading

import pytest
from conftest import user

from sessiond_client import UNSET, raw_json
from sessiond_client.blocking import Session, Sessiond
from sessiond_client.errors import ClientClosed, DaemonMissing, EntryNotFound, StreamEnded


def test_sessions_of_a_folder_are_listed_opened_appended_to_and_followed(blocked, tmp_path):
    blocked.session_create(str(tmp_path)).append_message(user("hello"))
    listing = blocked.session_list(str(tmp_path))
    with blocked.session_open(listing.sessions[0].path) as session:
        assert isinstance(session, Session)
        changes = session.changes()
        other = blocked.session_open(listing.sessions[0].path)
        appended = other.append_message(user("again"))
        assert changes.get(timeout=30).entries[0].id == appended.id
        assert b'"again"' in raw_json(session.get_entry(appended.id).entry)
    assert list(changes) == []


def test_waiting_for_a_change_can_end_in_time(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    changes = session.changes()
    with pytest.raises(TimeoutError):
        changes.get(timeout=0.05)
    session.append_message(user("hello"))
    blocked.session_open(session.state.session_file).append_session_info("x")
    assert changes.get(timeout=30).name == "x"


def test_errors_are_the_same(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    with pytest.raises(EntryNotFound):
        session.branch("nope")


def test_many_threads_may_call(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    session.append_message(user("first"))

    def work():
        for _ in range(20):
            session.append_custom_entry("t", data={"x": None})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.get_entry_count().count == 81


def test_a_callback_must_not_wait_for_its_client(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    session.append_message(user("hello"))
    raised = threading.Event()

    def callback(_):
        try:
            session.get_leaf_id()
        except RuntimeError:
            raised.set()

    session.on_change(callback)
    blocked.session_open(session.state.session_file).append_session_info("x")
    assert raised.wait(10)


def test_a_subscription_is_an_iterator(blocked, tmp_path):
    with blocked.catalog_subscribe(cwd=str(tmp_path)) as sessions:
        blocked.session_create(str(tmp_path)).append_message(user("hello"))
        change = iter(sessions).get(timeout=30)
    assert sessions.snapshot.sessions == []
    assert change.changes[0].kind == "added"


def test_the_end_of_a_stream_has_an_error_of_its_own(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    changes = session.changes()
    session.close()

    def read():
        # In a generator a `StopIteration` would become a `RuntimeError`.
        yield changes.get(timeout=30)

    with pytest.raises(StreamEnded):
        list(read())
    assert list(changes) == []


def test_a_crash_is_repaired(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    session.append_message(user("hello"))
    os.kill(blocked.pid(), 9)
    assert session.get_entry_count().count == 1


def test_a_missing_program_is_reported_and_leaves_no_thread():
    with pytest.raises(DaemonMissing):
        Sessiond("/no/such/sessiond").connect()
    assert "sessiond-client" not in {thread.name for thread in threading.enumerate()}


def test_a_client_that_is_not_open_says_so_and_can_be_closed():
    client = Sessiond()
    client.close()
    for call in (client.daemon_status, client.pid, lambda: list(client.sessions())):
        with pytest.raises(ClientClosed):
            call()


def test_everything_of_a_closed_client_says_so_and_can_be_closed_again(agent_dir, tmp_path):
    with Sessiond() as client:
        session = client.session_create(str(tmp_path))
        session.append_message(user("hello"))
        subscription = client.catalog_subscribe(cwd=str(tmp_path))
        changes = session.changes()
        arrived = threading.Event()
        session.on_change(lambda _: arrived.set())
        client.session_open(session.state.session_file).append_session_info("x")
        assert arrived.wait(10)
    for call in (client.connect, client.daemon_status, session.get_entries, session.changes):
        with pytest.raises(ClientClosed):
            call()
    assert [change.name for change in changes] == ["x"]
    for each in (changes, subscription, session, client):
        each.close()


def test_connecting_again_keeps_the_daemon(blocked):
    pid = blocked.pid()
    with blocked:
        assert blocked.pid() == pid


def test_a_call_ends_after_its_time_limit(blocked):
    os.kill(blocked.pid(), signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        blocked.daemon_status(timeout=0.05)
    os.kill(blocked.pid(), signal.SIGCONT)
    assert b'"' in raw_json(blocked.daemon_status(timeout=30))


def test_every_call_that_waits_for_the_daemon_takes_a_time_limit(blocked, tmp_path):
    session = blocked.session_create(str(tmp_path))
    subscription = blocked.catalog_subscribe(cwd=str(tmp_path))
    pid = blocked.pid(timeout=30)
    os.kill(pid, signal.SIGSTOP)
    for call in (
        lambda: blocked.call("daemon/status", timeout=0.05),
        lambda: list(blocked.sessions(timeout=0.05)),
        lambda: list(blocked.search("x", timeout=0.05)),
        lambda: list(session.entries(timeout=0.05)),
        lambda: subscription.close(timeout=0.05),
    ):
        with pytest.raises(TimeoutError):
            call()
    os.kill(pid, signal.SIGCONT)
    assert blocked.call("session/getLeafId", {"session": session}, timeout=30)


def test_connecting_takes_a_time_limit(tmp_path):
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\ncat >&2\n")
    silent.chmod(0o755)
    with pytest.raises(TimeoutError):
        Sessiond(str(silent)).connect(timeout=0.05)


def test_lists_are_read_page_by_page(blocked, tmp_path):
    for name in ("a", "b", "c"):
        session = blocked.session_create(str(tmp_path / name))
        session.append_message(user(f"{name} two"))
        session.append_message(user("more"))
    texts = [entry.message.content for entry in session.entries(page_size=1)]
    assert texts == ["c two", "more"]
    assert len(list(blocked.sessions(page_size=2))) == 3
    assert [info.cwd for info in blocked.sessions(str(tmp_path / "a"))] == [str(tmp_path / "a")]
    assert len(list(blocked.search("two", page_size=2))) == 3
    page = session.get_entries(limit=1)
    assert session.get_entries(cursor=page.next_cursor, limit=1).next_cursor is UNSET
    assert list(blocked.sessions(str(tmp_path / "none"))) == []
