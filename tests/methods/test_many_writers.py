"""One session file, written by several processes at once, some of which die."""

import asyncio
import itertools
import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reference.pi import Pi
from support.app import assistant, user
from support.client import spawned
from support.effort import effort
from support.preloaded import Preloaded, preloaded
from support.process import Daemon, isolated_environment
from support.session_lines import header, line
from support.writers import Ear, Handle, ids_in, plain_writer

SESSIOND = [sys.executable, "-m", "sessiond"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text(header() + line("root"))
    return path


@pytest.fixture(scope="module")
def daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preloaded]:
    with preloaded(tmp_path_factory.mktemp("home")) as process:
        yield process


LOCKSTEP = 102
"""Each writer appends its last entries two by two, and waits for the others before the next two."""


async def fill(
    handle: Handle,
    count: int,
    plain: asyncio.StreamWriter,
    plain_share: int,
    all_writers: asyncio.Barrier,
) -> None:
    """Append `count` entries: twenty of them under way at any time, the last in lockstep.

    For every five acknowledged, the plain writer is made to write `plain_share`.
    """
    under_way = asyncio.Semaphore(20)
    acknowledged = 0

    async def append(number: int) -> None:
        nonlocal acknowledged
        answer = (await handle.start_append(f"{handle.name}{number}")).value
        assert answer["result"]["id"] == f"{handle.name}{number}"
        assert answer["result"]["written"]
        acknowledged += 1
        if acknowledged % 5 == 0:
            plain.write(b"." * plain_share)
        under_way.release()

    async with asyncio.TaskGroup() as tasks:
        for number in range(count - LOCKSTEP):
            await under_way.acquire()
            tasks.create_task(append(number))
    for number in range(count - LOCKSTEP, count, 2):
        await all_writers.wait()
        await asyncio.gather(append(number), append(number + 1))


async def test_two_daemons_and_a_plain_writer_lose_and_invent_nothing(tmp_path: Path, file: Path):
    """A thousand entries by four writers: each is in the file once and reported once."""
    counts = {"a": 250, "b": 180, "c": 300, "p": 270, "d": 0}
    env = isolated_environment(tmp_path)
    async with spawned(SESSIOND, env=env) as (one, _), spawned(SESSIOND, env=env) as (two, _):
        ears = Ear(one), Ear(two)
        a, b = [await Handle.open(ears[0], file, name) for name in "ab"]
        c = await Handle.open(ears[1], file, "c")
        d = await Handle.open(ears[1], file, "d", readOnly=True, follow=True)
        handles = [a, b, c, d]
        together = asyncio.Barrier(3)
        async with plain_writer(file, "p", "root") as plain, asyncio.TaskGroup() as tasks:
            tasks.create_task(fill(a, counts["a"], plain, 3, together))
            tasks.create_task(fill(b, counts["b"], plain, 0, together))
            tasks.create_task(fill(c, counts["c"], plain, 2, together))
        trees = [await handle.call("getTree") for handle in handles]
        states = [await handle.call("getState") for handle in handles]
        for handle in handles:
            await handle.ear.until(handle.session, sum(counts.values()) - counts[handle.name])
        for ear in ears:
            await ear.until_silence()

    # Whole lines only: `ids_in` parses every one of them.
    written = ids_in(file)
    expected = {name: [f"{name}{number}" for number in range(n)] for name, n in counts.items()}
    assert len(written) == 1 + sum(counts.values()) == 1001
    for name, ids in expected.items():
        assert [entry_id for entry_id in written if entry_id[0] == name] == ids
    # They wrote at the same time: in lockstep, every two of each lie next to those of the others.
    assert sum(x[0] != y[0] for x, y in itertools.pairwise(written)) > 100

    chains = {
        child: parent for ids in expected.values() for parent, child in itertools.pairwise(ids)
    }
    firsts = [ids[0] for ids in expected.values() if ids]
    chains |= dict.fromkeys(firsts, "root")
    for tree, state in zip(trees, states, strict=True):
        assert tree == trees[0]
        assert tree["roots"] == ["root"]
        parents = {
            child: node["entry"]["id"] for node in tree["nodes"] for child in node["children"]
        }
        assert parents == chains
        assert (state["entryCount"], state["tipId"]) == (len(written), written[-1])
        assert (state["generation"], state["diagnostics"]) == (0, [])
    for handle in handles:
        told = handle.ear.told[handle.session]
        assert [each["kind"] for each in told] == ["appended"] * len(told)
        assert [each["sequence"] for each in told] == list(range(1, len(told) + 1))
        others = [entry_id for entry_id in written[1:] if entry_id[0] != handle.name]
        assert handle.ear.ids(handle.session) == others


async def test_two_daemons_that_recreate_a_deleted_file_at_once_both_keep_their_entries(
    daemons: Preloaded, file: Path
):
    expected = ["root"]
    async with daemons.daemon() as (one, _), daemons.daemon() as (two, _):
        handles = [await Handle.open(Ear(one), file, "a"), await Handle.open(Ear(two), file, "b")]
        for number in range(20):
            file.unlink()
            pair = [f"{handle.name}{number}" for handle in handles]
            under_way = [
                handle.start_append(entry_id)
                for handle, entry_id in zip(handles, pair, strict=True)
            ]
            for answer in await asyncio.gather(*under_way):
                assert answer.value["result"]["written"]
            found = ids_in(file)
            assert found[: len(expected)] == expected
            assert sorted(found[len(expected) :]) == pair
            expected = found
            for handle in handles:
                assert (await handle.call("getEntryCount"))["count"] == len(expected)
        trees = [await handle.call("getTree") for handle in handles]
        assert trees[0] == trees[1]


async def test_two_daemons_that_open_an_old_file_at_once_migrate_it_to_the_same(
    daemons: Preloaded, tmp_path: Path
):
    time = "2026-01-01T00:00:00.000Z"
    old = [{"type": "session", "id": "x", "timestamp": time, "cwd": "/w"}]
    old += [{"type": "message", "timestamp": time, "message": user(f"n{n}")} for n in range(500)]
    async with daemons.daemon() as (one, _), daemons.daemon() as (two, _):
        for number in range(5):
            file = tmp_path / f"{number}.jsonl"
            file.write_text("".join(json.dumps(each) + "\n" for each in old))
            handles = await asyncio.gather(
                *(Handle.open(Ear(client), file, "n") for client in (one, two))
            )
            trees = [await handle.call("getTree") for handle in handles]
            assert trees[0] == trees[1]
            assert [node["entry"]["message"]["content"] for node in trees[0]["nodes"]] == [
                each["message"]["content"] for each in old[1:]
            ]
            assert ids_in(file) == [node["entry"]["id"] for node in trees[0]["nodes"]]
            for handle in handles:
                assert (await handle.start_append(f"after{id(handle)}")).value["result"]["written"]
            assert len(ids_in(file)) == 502


ROUNDS = effort(6, 10)
BATCH = 200


@pytest.mark.parametrize("seed", range(effort(1, 5)))
async def test_acknowledged_entries_survive_ten_kills(daemons: Preloaded, file: Path, seed: int):
    """A client that repeats unacknowledged appends under the same ids gets each entry once."""
    chance = random.Random(seed)
    sent: list[str] = []
    acknowledged = 0
    torn = cut_short = 0
    for number in range(ROUNDS + 1):
        async with daemons.daemon("--watch", "off") as (client, pid):
            handle = await Handle.open(Ear(client), file, "n")
            last = number == ROUNDS
            if not last:
                sent += [f"r{number}n{count}" for count in range(BATCH)]
            waiting = sent[acknowledged:]
            lives_for = len(waiting) if last else chance.randrange(1, BATCH * 3 // 4)
            answers = [handle.start_append(entry_id, text_of(entry_id)) for entry_id in waiting]
            # On a busy machine all may be acknowledged before the kill before this one comes.
            if answers:
                done, _ = await asyncio.wait_for(asyncio.wait([answers[lives_for - 1]]), 30)
                assert "result" in done.pop().result().value
            if not last:
                os.kill(pid, signal.SIGKILL)
                await client.output_ends()
        got = [answer.result().value for answer in answers if not answer.exception()]
        assert [answer["result"]["id"] for answer in got] == waiting[: len(got)]
        acknowledged += len(got)
        cut_short += len(got) < len(waiting)
        *lines, tail = file.read_bytes().split(b"\n")
        # Everything acknowledged is there, in order; then what was written and not acknowledged.
        there = [entry["id"] for entry in map(whole, lines[1:]) if entry]
        assert there == ["root", *sent[: len(there) - 1]]
        assert len(there) - 1 >= acknowledged
        assert sum(whole(each) is None for each in lines) <= torn
        unwritten = sent[len(there) - 1 :]
        if not tail and not last and unwritten and (not torn or chance.random() < 0.5):
            # Few systems let death come in the middle of a write; this is what it leaves if it does.
            tail = line(unwritten[0]).encode()[: chance.randrange(1, 100)]
            with file.open("ab") as out:
                out.write(tail)
        torn += bool(tail)
    assert acknowledged == len(sent)
    assert cut_short > 0
    assert torn > 0
    content = file.read_bytes()
    assert content.endswith(b"\n")
    entries = [entry for entry in map(whole, content.splitlines()[1:]) if entry]
    assert [entry["id"] for entry in entries] == ["root", *sent]
    assert [entry["parentId"] for entry in entries] == [None, "root", *sent[:-1]]


def text_of(entry_id: str) -> str:
    """Some are big enough for death to come in the middle of the write."""
    return entry_id * 20_000 if entry_id.endswith("77") else entry_id


def whole(text: bytes) -> dict[str, Any] | None:
    try:
        entry: dict[str, Any] = json.loads(text)
    except ValueError:
        return None
    return entry


async def test_a_client_whose_daemon_died_may_send_everything_again(daemons: Preloaded, file: Path):
    ids = [f"n{number}" for number in range(20)]
    async with daemons.daemon() as (client, pid):
        handle = await Handle.open(Ear(client), file, "n")
        for entry_id in ids[:12]:
            await handle.start_append(entry_id)
        os.kill(pid, signal.SIGKILL)
        await client.output_ends()
    before = file.read_bytes()
    async with daemons.daemon() as (client, _):
        handle = await Handle.open(Ear(client), file, "n")
        answers = [(await handle.start_append(entry_id)).value["result"] for entry_id in ids]
        assert [answer["id"] for answer in answers] == ids
        assert [answer["parentId"] for answer in answers] == ["root", *ids[:-1]]
        assert (await handle.call("getLeafId")) == {"leafId": ids[-1]}
    assert file.read_bytes().startswith(before)
    assert ids_in(file) == ["root", *ids]


async def test_a_daemon_killed_while_writing_leaves_no_lock_and_its_entries_are_reported(
    daemons: Preloaded, file: Path
):
    async with daemons.daemon("--lock-timeout", "0") as (other, _):
        survivor = await Handle.open(Ear(other), file, "s")
        async with daemons.daemon() as (client, pid):
            handle = await Handle.open(Ear(client), file, "n")
            answers = [handle.start_append(f"n{number}", "x" * 50_000) for number in range(200)]
            await answers[20]
            os.kill(pid, signal.SIGKILL)
            await client.output_ends()
        retried = 0
        while "error" in (answer := (await survivor.start_append("s0")).value):
            # The system may take a moment to close what the dead one had open.
            assert answer["error"]["data"]["kind"] == "Busy"
            assert (retried := retried + 1) < 1000
        count = (await survivor.call("getEntryCount"))["count"]
        await survivor.ear.until(survivor.session, count - 2)
        told = survivor.ear.ids(survivor.session)
    assert told == [f"n{number}" for number in range(count - 2)]


# --- the agent itself ---------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    path = tmp_path / "shared.jsonl"
    said = {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    path.write_text(header() + line("u") + line("a", "u", message=said))
    return path


def texts(messages: list[dict[str, Any]]) -> list[Any]:
    return [message["content"] for message in messages if message["role"] == "user"]


@pytest.mark.node
def test_a_handle_is_notified_of_appends_by_pi_and_pi_reads_those_of_the_daemon(
    daemon: Daemon, pi: Pi, shared: Path
):
    handle = daemon.request("session/open", path=str(shared), follow=True)["session"]
    theirs = pi.do("open", path=str(shared))
    ids = [pi.call(theirs, "appendMessage", user("from pi", timestamp=1))]
    ids += [pi.call(theirs, "appendSessionInfo", "Named by pi")]
    heard: list[str] = []
    while len(heard) < len(ids):
        told = daemon.notification("session/didChange")
        assert (told["session"], told["kind"], told["path"]) == (handle, "appended", str(shared))
        heard += [each["id"] for each in told["entries"]]
    assert heard == ids
    assert (told["leafId"], told["tipId"], told["name"]) == (ids[-1], ids[-1], "Named by pi")
    context = daemon.request("session/buildSessionContext", session=handle)
    assert texts(context["messages"]) == ["x", "from pi"]

    message = user("from sessiond", timestamp=2)
    mine = daemon.request("session/appendMessage", session=handle, message=message)
    assert mine["parentId"] == ids[-1]
    # pi reads a file when it opens it.
    theirs = pi.do("open", path=str(shared))
    assert pi.call(theirs, "getLeafId") == mine["id"]
    context = pi.call(theirs, "buildSessionContext")
    assert texts(context["messages"]) == ["x", "from pi", "from sessiond"]
    daemon.request("session/close", session=handle)


@pytest.mark.node
def test_pi_and_the_daemon_append_side_by_side_and_see_the_same_tree(
    daemon: Daemon, pi: Pi, shared: Path
):
    handle = daemon.request("session/open", path=str(shared))["session"]
    theirs = pi.do("open", path=str(shared))
    mine, others = [], []
    for number in range(100):
        params = {"session": handle, "newEntryId": f"d{number}", "message": assistant("ours")}
        post = {"jsonrpc": "2.0", "id": f"d{number}", "method": "session/appendMessage"}
        daemon.post({**post, "params": params})
        others.append(pi.call(theirs, "appendMessage", user("theirs", timestamp=1)))
    heard: list[str] = []
    while len(mine) < 100 or len(heard) < 100:
        answer = json.loads(daemon.read_body())
        if "id" in answer:
            assert answer["result"]["written"]
            mine.append(answer["result"]["id"])
        elif answer["method"] == "session/didChange":
            heard += [each["id"] for each in answer["params"]["entries"]]
    assert mine == [f"d{number}" for number in range(100)]
    assert heard == others
    assert sorted(ids_in(shared)) == sorted(["u", "a", *mine, *others])
    ours = daemon.request("session/getEntries", session=handle)["entries"]
    again = pi.do("open", path=str(shared))
    assert pi.call(again, "getEntries") == ours
    # Each went on below its own last entry.
    assert daemon.request("session/getLeafId", session=handle) == {"leafId": mine[-1]}
    assert pi.call(theirs, "getLeafId") == others[-1]
    for leaf in (mine[-1], others[-1]):
        branch = daemon.request("session/getBranch", session=handle, fromId=leaf)["entries"]
        assert pi.call(again, "getBranch", leaf) == branch
        assert len(branch) == 102
    daemon.request("session/close", session=handle)
