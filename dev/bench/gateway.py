"""Measure a gateway's store: beginning sessions, and notifications of a gateway's changes."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import generate
import orjson
import wire
from budgets import BUDGETS
from table import Row, amount, limited, median, percentile

BUDGET = BUDGETS["gateway"]
SESSIONS = 500
COUNT = 400
ROUNDS = 5
CHANGES = 150
LARGE_MB = 50
LARGE_ROUNDS = 3
_LARGE, _SMALL = 1, 2
"""Ids of requests."""
PRETTY = orjson.OPT_INDENT_2
NODE = "Node: lock, parse, change, stringify, rename, unlock"


def run() -> list[Row]:
    ours: list[float] = []
    waiting: list[float] = []
    node: list[float] = []
    for _ in range(ROUNDS):  # alternately, so that other work of the machine affects both sides
        ours.append(pipelined())
        waiting.append(one_at_a_time())
        node.append(by_node())
    spans = latencies()
    waits = beside_large_store()
    size = len(orjson.dumps(store("/"), option=PRETTY)) / SESSIONS / 1000
    begin = f"`gateway/begin`, {SESSIONS} sessions of {size:.1f} KB"
    return [
        beside_node(f"{begin}, pipelined, per second", median(ours), median(node)),
        beside_node(f"{begin}, one per round trip, per second", median(waiting), median(node)),
        limited(
            f"foreign change of a store of {SESSIONS} → notification, p50",
            median(spans),
            BUDGET["notification"],
            f"p99 {amount(percentile(spans, 0.99), 'ms')}",
        ),
        limited(
            f"a small request while `gateway/get`, `list` and `patch` work on {LARGE_MB} MB, p99",
            percentile(waits, 0.99),
            BUDGET["small request"],
            f"p50 {amount(median(waits), 'ms')}, longest {amount(max(waits), 'ms')}",
        ),
    ]


def beside_node(work: str, ours: float, node: float) -> Row:
    return Row(work, f"{ours:,.0f}", f"{node:,.0f} ({NODE})", f"{ours / node:.2f} x")


def entry(number: int, folder: str) -> dict[str, Any]:
    """Return a typical entry of a longer conversation; about 1.4 KB."""
    chosen = random.Random(number)
    session_id = f"{number:08x}-1d5c-4f7e-9b60-2f4c8a1e7d35"
    account, peer = "default", peer_of(number)
    known = ("browser", "calendar", "github", "notes", "weather")
    skills = chosen.sample(known, chosen.randrange(1, 3))
    prompt = "".join(
        f"<skill><name>{name}</name><description>Use this when asked about {name}.</description>"
        f"<location>~/skills/{name}/SKILL.md</location></skill>\n"
        for name in skills
    )
    person = " ".join(chosen.choices(generate.WORDS, k=2))
    tokens = chosen.randrange(2_000, 150_000)
    route = {"channel": "telegram", "to": f"telegram:{peer}", "accountId": account}
    return {
        "sessionId": session_id,
        "updatedAt": int(time.time() * 1000) - number,
        "sessionFile": f"{folder}/{session_id}.jsonl",
        "systemSent": True,
        "abortedLastRun": False,
        "chatType": "direct",
        "deliveryContext": route,
        "lastChannel": route["channel"],
        "lastTo": route["to"],
        "lastAccountId": account,
        "origin": {
            "label": f"{person} id:{peer}",
            "provider": "telegram",
            "surface": "telegram",
            "chatType": "direct",
            "from": f"telegram:{peer}",
            "to": route["to"],
            "accountId": account,
        },
        "skillsSnapshot": {
            "prompt": prompt,
            "skills": [{"name": name, "primaryEnv": f"{name.upper()}_KEY"} for name in skills],
            "version": 3,
        },
        "modelProvider": "anthropic",
        "model": "claude-sonnet-4-5",
        "contextTokens": 200_000,
        "inputTokens": tokens // 3,
        "outputTokens": 900 + number,
        "totalTokens": tokens,
        "totalTokensFresh": True,
        "compactionCount": number % 4,
    }


def peer_of(number: int) -> str:
    return str(600_000_000 + number * 7_919)


def key_of(number: int) -> str:
    return f"agent:main:telegram:direct:{peer_of(number)}"


def store(folder: str) -> dict[str, Any]:
    return {key_of(number): entry(number, folder) for number in range(SESSIONS)}


def lay(state: Path) -> Path:
    """Create a store and the transcripts of its sessions; returns the path of the store."""
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    sessions = store(str(folder))
    for known in sessions.values():
        header = {"type": "session", "version": 3, "id": known["sessionId"]}
        header |= {"timestamp": generate.stamp(0), "cwd": generate.CWD}
        Path(known["sessionFile"]).write_bytes(generate.line(header))
    path = folder / "sessions.json"
    path.write_bytes(orjson.dumps(sessions, option=PRETTY))
    return path


def daemon(state: Path) -> wire.Process:
    return wire.Process([*wire.DAEMON, "--profile", "coderclaw", "--agent-dir", str(state)])


def messages() -> Iterator[bytes]:
    """Yield requests for the next message of the sessions, in random order."""
    drawn = random.Random(1)
    for number in itertools.count():
        context = message(drawn.randrange(SESSIONS), number)
        yield wire.framed(wire.body_of(number, "gateway/begin", context=context))


def message(session: int, number: int) -> dict[str, str]:
    """The context of a message of a session."""
    peer = f"telegram:{peer_of(session)}"
    return {
        "SessionKey": key_of(session),
        "Body": f"[Telegram {peer}] what is new? {number}",
        "CommandBody": f"what is new? {number}",
        "From": peer,
        "To": peer,
        "ChatType": "direct",
        "Provider": "telegram",
        "Surface": "telegram",
        "OriginatingChannel": "telegram",
        "OriginatingTo": peer,
        "AccountId": "default",
        "ConversationLabel": f"Größe {number} id:{peer}",
    }


def pipelined() -> float:
    """Return messages per second, from the first byte sent to the last answer read."""
    with tempfile.TemporaryDirectory() as folder, daemon(Path(folder)) as server:
        lay(Path(folder))
        requests = messages()
        check(server, next(requests))
        data = b"".join(itertools.islice(requests, COUNT))
        thread = threading.Thread(target=server.send, args=(data,))
        start = time.perf_counter()
        thread.start()
        for _ in range(COUNT):
            answer = server.receive()
        taken = time.perf_counter() - start
        thread.join()
        if b'"error"' in answer:
            raise RuntimeError(answer.decode())
        return COUNT / taken


def one_at_a_time() -> float:
    with tempfile.TemporaryDirectory() as folder, daemon(Path(folder)) as server:
        lay(Path(folder))
        requests = messages()
        check(server, next(requests))
        start = time.perf_counter()
        for request in itertools.islice(requests, COUNT):
            server.send(request)
            answer = server.receive()
        taken = time.perf_counter() - start
        if b'"error"' in answer:
            raise RuntimeError(answer.decode())
        return COUNT / taken


def check(server: wire.Process, request: bytes) -> None:
    """Check that the sessions continue, so that only this case is measured."""
    server.send(request)
    answer = orjson.loads(server.receive())
    assert answer["result"]["isNewSession"] is False, answer


def by_node() -> float:
    """Return changes per second of a program that does only the necessary steps."""
    with tempfile.TemporaryDirectory() as folder:
        path = lay(Path(folder))
        command = ["node", str(wire.BENCH / "store_bench.mjs"), str(path), str(COUNT)]
        done = subprocess.run(command, check=True, capture_output=True)
        return COUNT / (orjson.loads(done.stdout)["change"] / 1000)


def latencies() -> list[float]:
    """Return seconds from another program's rename of the store to the notification.

    The renames happen at random moments.
    """
    moments = random.Random(1)
    spans = []
    with tempfile.TemporaryDirectory() as folder, daemon(Path(folder)) as server:
        path = lay(Path(folder))
        sessions = orjson.loads(path.read_bytes())
        known = server.request("gateway/subscribe")["sessions"]
        assert len(known) == SESSIONS
        for number in range(CHANGES):
            # Further apart than the pause between two messages, which is intended.
            time.sleep(0.11 + moments.random() * 0.03)
            key = key_of(moments.randrange(SESSIONS))
            sessions[key]["outputTokens"] = number
            start = replace(path, orjson.dumps(sessions, option=PRETTY))
            told = orjson.loads(server.receive())
            spans.append(time.perf_counter() - start)
            changes = told["params"]["changes"]
            assert told["method"] == "gateway/didChange"
            assert [change["sessionKey"] for change in changes] == [key]
            assert changes[0]["entry"]["outputTokens"] == number
    return spans


def replace(path: Path, text: bytes) -> float:
    """Replace the store as a gateway does, with its lock; returns the time before the rename."""
    lock, temporary = path.with_name(f"{path.name}.lock"), path.with_name(f"{path.name}.1.x.tmp")
    owner = orjson.dumps({"pid": os.getpid(), "createdAt": generate.stamp(0)}, option=PRETTY)
    with lock.open("xb") as file:
        file.write(owner)
    temporary.write_bytes(text)
    start = time.perf_counter()
    temporary.rename(path)
    lock.unlink()
    return start


def beside_large_store() -> list[float]:
    """Seconds that small requests took while others read and changed a large store."""
    spans: list[float] = []
    with tempfile.TemporaryDirectory() as folder, daemon(Path(folder)) as server:
        path = lay_large(Path(folder))
        text = path.read_bytes()
        session = server.request("session/inMemory", cwd="/")["session"]
        for number in range(LARGE_ROUNDS):
            # A gateway has changed the store, so that it is read again.
            replace(path, text.replace(b'"compactionCount": 1', b'"compactionCount": %d' % number))
            key = key_of(number)
            for method, params in [
                ("gateway/get", {"sessionKey": key}),
                ("gateway/list", {"limit": 100}),
                ("gateway/list", {"search": "nobody"}),
                ("gateway/patch", {"key": key, "label": f"label {number}"}),
            ]:
                spans += small_requests(server, session, method, params)
    return spans


def lay_large(state: Path) -> Path:
    """A store of the size, with the sessions of `entry`."""
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    path = folder / "sessions.json"
    count = LARGE_MB * 1_000_000 // len(orjson.dumps({"k": entry(0, "/")}, option=PRETTY))
    sessions = {key_of(number): entry(number, str(folder)) for number in range(count)}
    path.write_bytes(orjson.dumps(sessions, option=PRETTY))
    return path


def small_requests(
    server: wire.Process, session: str, method: str, params: dict[str, Any]
) -> list[float]:
    """Seconds of each small request that was sent until the large one was answered."""
    server.send(wire.framed(wire.body_of(_LARGE, method, **params)))
    spans = []
    answered = False
    while not answered:
        start = time.perf_counter()
        server.send(wire.framed(wire.body_of(_SMALL, "session/getLeafId", session=session)))
        is_small = False
        while not is_small:
            answer = orjson.loads(server.receive())
            if "error" in answer:
                raise RuntimeError(answer)
            is_small = answer["id"] == _SMALL
            answered |= answer["id"] == _LARGE
        spans.append(time.perf_counter() - start)
    return spans
