from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import crash, crashing, until, user

from sessiond_client import Lost
from sessiond_client.errors import ClientClosed, DaemonCrashed, ReadOnly, SessionLost


async def two_messages(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    await session.append_message(user("a"))
    await session.append_message(user("b"))
    return session


async def test_an_open_session_stays_good_with_its_leaf(client, tmp_path):
    session = await two_messages(client, tmp_path)
    first = (await session.get_entries()).entries[0].id
    await session.branch(first)
    await crash(client)
    assert (await session.get_leaf_id()).leaf_id == first
    assert (await session.append_message(user("c"))).parent_id == first


async def test_a_leaf_before_any_entry_stays_there(client, tmp_path):
    session = await two_messages(client, tmp_path)
    await session.reset_leaf()
    await crash(client)
    assert (await session.append_message(user("c"))).parent_id is None


async def test_appends_in_flight_are_done_once_and_in_order(client, tmp_path):
    session = await two_messages(client, tmp_path)
    before = session.leaf_id
    appends = [asyncio.create_task(session.append_message(user(str(i)))) for i in range(200)]
    await appends[50]
    await crash(client)
    done = await asyncio.gather(*appends)
    lines = [
        json.loads(line) for line in Path(session.state.session_file).read_bytes().splitlines()
    ]
    texts = [line["message"]["content"] for line in lines[3:]]
    assert texts == [str(i) for i in range(200)]
    assert [line["id"] for line in lines[3:]] == [each.id for each in done]
    assert [each.parent_id for each in done] == [before, *(each.id for each in done[:-1])]
    assert session.leaf_id == done[-1].id


async def test_a_branch_with_summary_in_flight_ends_at_its_entry(client, tmp_path):
    session = await two_messages(client, tmp_path)
    first = (await session.get_entries()).entries[0].id
    summary = asyncio.create_task(session.branch_with_summary(first, "left it"))
    await asyncio.sleep(0)
    await crash(client)
    done = await summary
    assert done.parent_id == first
    assert (await session.get_leaf_id()).leaf_id == done.id
    assert (await session.get_entry_count()).count == 3


async def test_a_summary_whose_answer_was_lost_is_the_leaf_without_a_repair(client, tmp_path):
    session = await two_messages(client, tmp_path)
    first = (await session.get_entries()).entries[0].id
    async with crashing("session/branchWithSummary", "after", tmp_path) as crashes:
        again = await crashes.session_open(session.state.session_file)
        summary = await again.branch_with_summary(first, "left it")
        assert summary.existed
        assert (await again.get_leaf_id()).leaf_id == summary.id
    log = (tmp_path / "log").read_text()
    assert '"session/branch"' not in log


async def test_reads_in_flight_are_sent_again(client, tmp_path):
    session = await two_messages(client, tmp_path)
    reads = [asyncio.create_task(session.get_entries()) for _ in range(20)]
    await asyncio.sleep(0)
    await crash(client)
    assert {(await read).total for read in reads} == {2}


async def test_read_only_and_follow_are_as_before(client, tmp_path):
    session = await two_messages(client, tmp_path)
    path = session.state.session_file
    reading = await client.session_open(path, read_only=True)
    following = await client.session_open(path, follow=True)
    await crash(client)
    appended = await session.append_message(user("c"))
    assert (await following.get_leaf_id()).leaf_id == appended.id
    assert (await reading.get_leaf_id()).leaf_id != appended.id
    with pytest.raises(ReadOnly):
        await reading.append_message(user("x"))


async def test_a_following_session_that_went_back_to_an_entry_stays_there(client, tmp_path):
    session = await two_messages(client, tmp_path)
    first = (await session.get_entries()).entries[0].id
    following = await client.session_open(session.state.session_file, follow=True)
    await following.branch(first)
    await crash(client)
    assert (await following.get_leaf_id()).leaf_id == first
    assert (await following.append_message(user("c"))).parent_id == first


async def test_a_crash_while_a_session_is_opened_again_keeps_its_leaf(client, tmp_path):
    async with crashing("session/open", "after", tmp_path) as crashes:
        session = await two_messages(crashes, tmp_path)
        leaf = session.leaf_id
        other = await client.session_open(session.state.session_file)
        await other.append_message(user("c"))
        await crash(crashes)
        assert (await session.append_message(user("d"))).parent_id == leaf
        assert (tmp_path / "fuse").exists()


async def test_a_session_keeps_its_handle(client, tmp_path):
    session = await two_messages(client, tmp_path)
    handle = session.handle
    await crash(client)
    await session.get_state()
    state = json.loads(await client.call("session/getState", {"session": handle}))
    assert state["sessionId"] == session.state.session_id


async def test_changes_continue_after_the_notice_of_a_restart(client, tmp_path):
    session = await two_messages(client, tmp_path)
    changes = session.changes()
    await crash(client)
    other = await client.session_open(session.state.session_file)
    restored = await asyncio.wait_for(anext(changes), 30)
    appended = await other.append_message(user("c"))
    change = await asyncio.wait_for(anext(changes), 30)
    assert (restored.kind, restored.state.entry_count) == ("reconnected", 2)
    assert restored.state is session.state
    assert change.entries[0].id == appended.id


async def test_a_subscription_continues_with_a_new_snapshot(client, tmp_path):
    session = await two_messages(client, tmp_path)
    sessions = await client.catalog_subscribe(cwd=str(tmp_path))
    changes = aiter(sessions)
    await crash(client)
    await session.append_session_info("named")
    async with asyncio.timeout(30):
        again = await anext(changes)
        assert again.kind == "reconnected"
        assert again.snapshot is sessions.snapshot
        assert (await anext(changes)).changes[0].info.name == "named"
    await sessions.close()


async def test_a_subscription_closed_before_leaves_the_others_alone(client, tmp_path):
    session = await two_messages(client, tmp_path)
    closed = await client.catalog_subscribe(cwd=str(tmp_path))
    kept = await client.catalog_subscribe(cwd=str(tmp_path))
    await closed.close()
    changes = aiter(kept)
    async with asyncio.timeout(30):
        await crash(client)
        assert (await anext(changes)).kind == "reconnected"
        await closed.close()
        await session.append_session_info("named")
        assert (await anext(changes)).changes[0].info.name == "named"


async def test_a_change_behind_the_answer_to_open_is_kept(interrupted, client, tmp_path):
    session = await two_messages(client, tmp_path)
    opened = await (await interrupted("session/open")).session_open(session.state.session_file)
    change = await asyncio.wait_for(anext(opened.changes()), 30)
    assert (change.kind, change.entry_count) == ("appended", 3)
    heard = []
    opened.on_change(heard.append)
    assert heard == []


async def test_a_change_behind_the_answer_to_open_is_kept_for_a_callback(
    interrupted, client, tmp_path
):
    session = await two_messages(client, tmp_path)
    opened = await (await interrupted("session/open")).session_open(session.state.session_file)
    await opened.get_entry_count()
    heard = []
    opened.on_change(heard.append)
    assert [change.entry_count for change in heard] == [3]


async def test_a_change_right_after_a_restart_follows_the_new_state(interrupted, client, tmp_path):
    session = await two_messages(client, tmp_path)
    first = (await session.get_entries()).entries[0].id
    client = await interrupted("session/open")
    opened = await client.session_open(session.state.session_file)
    await opened.branch(first)
    changes = opened.changes()
    await asyncio.wait_for(anext(changes), 30)
    os.kill((await client.daemon_status()).pid, signal.SIGKILL)
    again = [await asyncio.wait_for(anext(changes), 30) for _ in range(2)]
    assert [change.kind for change in again] == ["reconnected", "appended"]
    assert again[0].state.entry_count == 2
    assert opened.leaf_id == (await opened.get_leaf_id()).leaf_id == first


async def test_a_change_right_after_a_restart_follows_the_new_snapshot(
    interrupted, client, tmp_path
):
    await two_messages(client, tmp_path)
    client = await interrupted("catalog/subscribe")
    changes = aiter(await client.catalog_subscribe(cwd=str(tmp_path)))
    assert (await asyncio.wait_for(anext(changes), 30)).changes[0].kind == "removed"
    os.kill((await client.daemon_status()).pid, signal.SIGKILL)
    again = [await asyncio.wait_for(anext(changes), 30) for _ in range(2)]
    assert again[0].kind == "reconnected"
    assert again[1].changes[0].kind == "removed"


async def test_a_session_in_memory_is_lost(client):
    session = await client.session_in_memory()
    changes = session.changes()
    await crash(client)
    lost = await asyncio.wait_for(anext(changes), 30)
    assert lost.kind == "lost"
    assert [change async for change in changes] == []
    with pytest.raises(SessionLost, match="memory"):
        await session.get_leaf_id()
    await session.close()


async def test_unwritten_entries_are_lost_with_their_session(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    await session.append_session_info("named")
    await crash(client)
    with pytest.raises(SessionLost, match=r"\.jsonl"):
        await session.append_message(user("a"))


async def test_an_empty_session_comes_back(client, tmp_path):
    session = await client.session_create(str(tmp_path))
    await crash(client)
    assert (await session.append_message(user("a"))).written
    assert Path(session.state.session_file).exists()


async def test_a_daemon_that_crashes_at_every_start_is_abandoned(fake, tmp_path):
    session = await fake.session_open("/a/s/x.jsonl")
    with pytest.raises(DaemonCrashed, match="3 times in a row; its last log lines: poisoned"):
        await session.get_cwd()
    log = (tmp_path / "log").read_text()
    assert log.count("session/getCwd") == 3
    with pytest.raises(DaemonCrashed):
        await fake.session_list(".")


async def test_an_answer_in_between_restarts_the_count(fake):
    session = await fake.session_open("/a/s/x.jsonl")
    for _ in range(4):
        await crash(fake)
        assert (await session.get_leaf_id()).leaf_id is None


async def test_a_client_closed_while_its_daemon_is_ending_leaves_no_process(fake):
    session, pid = await fake.session_open("/a/s/x.jsonl"), await fake.pid()
    connection = await fake._sender.connected()
    reading = asyncio.create_task(session.get_header())
    await until(lambda: connection.lost)
    await fake.close()
    with pytest.raises(ClientClosed):
        await reading
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_client_closed_in_the_moment_of_a_crash_waits_for_the_process(fake):
    connection = await fake._sender.connected()
    reached, report = asyncio.get_running_loop().create_future(), connection._on_lost

    def lost(it):
        # What waits for this goes on before the restart has begun.
        reached.set_result(None)
        report(it)

    connection._on_lost = lost
    await crash(fake)
    await reached
    await fake.close()
    assert connection._process.returncode is not None


async def test_a_creating_call_in_flight_fails(fake):
    creating = asyncio.create_task(fake.session_create("/"))
    await asyncio.sleep(0)
    await crash(fake)
    with pytest.raises(DaemonCrashed, match="session/create"):
        await creating
    assert (await fake.session_list(".")).total == 0


async def test_a_session_closed_by_the_crash_of_its_client_can_be_closed(fake):
    session = await fake.session_open("/a/s/x.jsonl")
    with pytest.raises(DaemonCrashed):
        await session.get_cwd()
    await session.close()


async def test_a_session_whose_file_is_gone_is_lost_and_not_created_anew(client, tmp_path):
    kept = await two_messages(client, tmp_path / "kept")
    goes = await two_messages(client, tmp_path / "goes")
    gone = Path(goes.state.session_file)
    heard = asyncio.get_running_loop().create_future()
    client.on_reconnected(heard.set_result)
    streams = [kept.changes(), goes.changes()]
    os.kill(await client.pid(), signal.SIGSTOP)
    gone.unlink()
    await crash(client)
    assert (await asyncio.wait_for(heard, 20)).lost == [str(gone)]
    assert (await anext(streams[0])).kind == "reconnected"
    lost = await anext(streams[1])
    assert isinstance(lost, Lost)
    assert isinstance(lost.error, SessionLost)
    assert [change async for change in streams[1]] == []
    with pytest.raises(SessionLost):
        await goes.get_state()
    assert not gone.exists()


async def test_a_session_whose_file_is_another_session_is_lost(client, tmp_path):
    session = await two_messages(client, tmp_path)
    before, path = session.state, Path(session.state.session_file)
    os.kill(await client.pid(), signal.SIGSTOP)
    path.write_text(path.read_text().replace(before.session_id, "other", 1))
    await crash(client)
    assert (await client.daemon_status()).open_sessions == 0
    with pytest.raises(SessionLost, match="another session"):
        await session.get_entries()
    assert session.state is before


PROGRAM = """
import signal, sys
from sessiond_client import blocking

signal.signal(signal.SIGINT, signal.SIG_IGN)
with blocking.Sessiond() as client:
    session = client.session_in_memory()
    print(client.pid(), flush=True)
    sys.stdin.readline()
    session.append_message({"role": "user", "content": "still here", "timestamp": 1})
    print(session.get_entry_count().count, flush=True)
"""


def test_ctrl_c_in_a_program_does_not_end_its_daemon(agent_dir):
    """A terminal sends the signal to all processes of the foreground group."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        daemon = int(program.stdout.readline())
        assert os.getpgid(daemon) != program.pid
        os.killpg(program.pid, signal.SIGINT)
        program.stdin.write("\n")
        program.stdin.flush()
        assert program.stdout.readline() == "1\n"
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)
