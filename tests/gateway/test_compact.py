"""Shortening a transcript to its last lines: the store, the files, and other writers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from reference.pi import Pi
from support.agents import HEADER, Agents, entry, line, message
from support.client import RpcError
from support.writers import plain_writer

KEY = "agent:main:main"
METHOD = "gateway/compact"
OLD = {"sessionId": "s1", "updatedAt": 1000}
TOKENS = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "totalTokensFresh": True}
STAMP = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z"


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


def talk(count: int) -> list[Any]:
    roles = ["user", "assistant"]
    return [message(f"e{at}", f"e{at - 1}" if at else None, roles[at % 2]) for at in range(count)]


async def compact(agents: Agents, **params: Any) -> Any:
    async with agents.daemon() as client:
        return await client.request(METHOD, {"key": KEY, **params})


def beside(path: Path) -> list[str]:
    return sorted(name for name in os.listdir(path.parent) if name != "sessions.json")


async def test_the_header_and_the_last_lines_stay_and_the_old_file_is_archived(agents: Agents):
    agents.lay({KEY: {**OLD, **TOKENS, "compactionCount": 4, "unknown": 1}})
    entries = talk(10)
    path = agents.transcript("s1.jsonl", HEADER, *entries)
    path.chmod(0o640)
    before = path.read_bytes()
    began = int(time.time() * 1000)
    answer = await compact(agents, maxLines=3)
    archived = Path(answer.pop("archived"))
    assert answer == {"key": KEY, "compacted": True, "kept": 3}
    assert re.fullmatch(rf"s1\.jsonl\.bak\.{STAMP}", archived.name)
    assert archived.parent == path.parent
    assert archived.read_bytes() == before
    rooted = {**entries[7], "parentId": None}
    assert path.read_bytes() == b"".join(map(line, [HEADER, rooted, *entries[8:]]))
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(archived.stat().st_mode) == 0o640
    assert beside(path) == sorted([path.name, archived.name])
    stored = agents.stored(KEY)
    assert began <= stored.pop("updatedAt") <= time.time() * 1000
    assert stored == {"sessionId": "s1", "compactionCount": 4, "unknown": 1}


async def test_400_lines_stay_by_default(agents: Agents):
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *talk(402))
    for params in ({}, {"maxLines": None}):
        answer = await compact(agents, **params)
        assert len(path.read_bytes().splitlines()) == 401
    assert answer == {"key": KEY, "compacted": False, "kept": 401}


@pytest.mark.parametrize("lines", [4, 5, 400])
async def test_a_short_transcript_is_not_cut(agents: Agents, lines: int):
    agents.lay({KEY: {**OLD, **TOKENS}})
    path = agents.transcript("s1.jsonl", HEADER, *talk(4))
    before = path.read_bytes(), path.stat().st_ino
    answer = await compact(agents, maxLines=lines)
    assert answer == {"key": KEY, "compacted": False, "kept": 5}
    assert (path.read_bytes(), path.stat().st_ino) == before
    assert agents.stored(KEY) == {**OLD, **TOKENS}
    assert beside(path) == [path.name]


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ({}, "no sessionId"),
        ({KEY: {"updatedAt": 1}}, "no sessionId"),
        ({KEY: {"sessionId": "", "updatedAt": 1}}, "no sessionId"),
        ({KEY: "odd"}, "no sessionId"),
        ({KEY: "odd", "Agent:Main:Main": OLD}, "no sessionId"),
        ({KEY: OLD}, "no transcript"),
        ({KEY: {**OLD, "sessionId": "../s1"}}, "no transcript"),
    ],
)
async def test_without_a_transcript_nothing_is_compacted(agents: Agents, stored: Any, reason: str):
    agents.lay(stored)
    before = agents.store().read_bytes()
    answer = await compact(agents)
    answer.pop("problems", None)
    assert answer == {"key": KEY, "compacted": False, "reason": reason}
    assert agents.store().read_bytes() == before


async def test_an_older_spelling_of_the_key_moves_to_the_one_stores_have(agents: Agents):
    agents.lay({"MAIN": OLD, "agent:main:Main": {"sessionId": "other"}})
    agents.transcript("s1.jsonl", HEADER, *talk(4))
    answer = await compact(agents, key="MAIN", maxLines=1)
    assert answer["key"] == KEY
    assert list(json.loads(agents.store().read_text())) == [KEY]


async def test_the_session_file_overrides_the_id(agents: Agents):
    agents.lay({KEY: {**OLD, "sessionFile": "s1-topic-7.jsonl"}})
    other = agents.transcript("s1.jsonl", HEADER, *talk(4))
    path = agents.transcript("s1-topic-7.jsonl", HEADER, *talk(4))
    before = other.read_bytes()
    assert (await compact(agents, maxLines=1))["compacted"]
    assert len(path.read_bytes().splitlines()) == 2
    assert other.read_bytes() == before


async def test_a_transcript_of_user_messages_only_is_cut_and_archived_whole(
    agents: Agents,
):
    agents.lay({KEY: OLD})
    path = agents.transcript(
        "s1.jsonl", HEADER, *[message(f"u{n}", None, "user") for n in range(9)]
    )
    before = path.read_bytes()
    answer = await compact(agents, maxLines=2)
    assert Path(answer["archived"]).read_bytes() == before
    assert len(path.read_bytes().splitlines()) == 3


async def test_each_cut_archives_the_transcript_again(agents: Agents):
    agents.lay({KEY: OLD})
    agents.transcript("s1.jsonl", HEADER, *talk(9))
    async with agents.daemon() as client:
        names = {
            (await client.request(METHOD, {"key": KEY, "maxLines": keep}))["archived"]
            for keep in (7, 6, 5, 4)
        }
    assert len(names) == 4
    assert [len(Path(name).read_bytes().splitlines()) for name in sorted(names)] == [10, 8, 7, 6]


# What is left can be gone on with


def busy(own: str, parent: str | None) -> Any:
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {}}
    return message(own, parent, "assistant", [call])


SESSIONS: dict[str, tuple[list[Any], int, list[str]]] = {
    # entries, lines to keep, ids of the context's entries
    "a conversation": (talk(9), 4, ["e5", "e6", "e7", "e8"]),
    "one line": (talk(9), 1, ["e8"]),
    "tools": (
        [
            message("u1", None, "user"),
            busy("a1", "u1"),
            message("t1", "a1", "toolResult", [], toolCallId="c", toolName="read"),
            message("a2", "t1", "assistant"),
            message("u2", "a2", "user"),
        ],
        3,
        ["a2", "u2"],
    ),
    "branches": (
        [*talk(6), message("u9", "e1", "user"), message("a9", "u9", "assistant")],
        4,
        ["u9", "a9"],
    ),
    "a compaction": (
        [
            *talk(6),
            entry("c", "e5", "compaction", summary="s", firstKeptEntryId="e2", tokensBefore=9),
            message("u9", "c", "user"),
        ],
        4,
        ["e4", "e5", "u9"],
    ),
    "labels, names and unknown entries": (
        [
            *talk(6),
            entry("l", "e5", "label", targetId="e0", label="gone"),
            entry("n", "l", "session_info", name="named"),
            entry("x", "n", "custom", customType="x"),
            message("u9", "x", "user"),
        ],
        5,
        ["e5", "u9"],
    ),
}


def texts(messages: list[Any]) -> list[str]:
    """The texts of the messages, without summaries."""
    contents = [m["content"] for m in messages if m["role"] in {"user", "assistant"}]
    return [c if isinstance(c, str) else c[0]["text"] for c in contents]


@pytest.mark.parametrize("name", SESSIONS)
async def test_sessiond_opens_a_cut_transcript_and_appends_to_it(agents: Agents, name: str):
    entries, keep, context = SESSIONS[name]
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *entries)
    async with agents.daemon() as client:
        assert (await client.request(METHOD, {"key": KEY, "maxLines": keep}))["compacted"]
        state = await client.request("session/open", {"path": str(path)})
        assert state["leafId"] == entries[-1]["id"]
        assert state["entryCount"] == keep
        assert {found["kind"] for found in state["diagnostics"]} <= {"missingTarget"}
        session = {"session": state["session"]}
        found = await client.request("session/buildSessionContext", session)
        assert texts(found["messages"]) == context
        added = {"role": "user", "content": "on", "timestamp": 1}
        await client.request("session/appendMessage", {**session, "message": added})
        found = await client.request("session/buildSessionContext", session)
        assert texts(found["messages"]) == [*context, "on"]


@pytest.mark.node
@pytest.mark.parametrize("name", SESSIONS)
async def test_pi_opens_a_cut_transcript_and_appends_to_it(agents: Agents, pi: Pi, name: str):
    entries, keep, context = SESSIONS[name]
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *entries)
    assert (await compact(agents, maxLines=keep))["compacted"]
    data = path.read_bytes()
    handle = pi.do("open", path=str(path))
    found = pi.do("snapshot", handle=handle)
    assert path.read_bytes() == data
    assert found["header"] == HEADER
    assert [item["id"] for item in found["entries"]] == [item["id"] for item in entries[-keep:]]
    assert len(found["tree"]["nodes"]) == keep
    assert found["leafId"] == entries[-1]["id"]
    assert texts(found["context"]["messages"]) == context
    pi.call(handle, "appendMessage", message("x", None, "assistant", timestamp=0)["message"])
    added = json.loads(path.read_bytes().splitlines()[-1])
    assert added["parentId"] == entries[-1]["id"] or b"assistant" not in data


# Others


async def test_handles_of_the_session_are_notified_of_the_rewrite_and_continue(agents: Agents):
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *talk(6))
    async with agents.daemon() as client:
        state = await client.request("session/open", {"path": str(path)})
        await client.request(METHOD, {"key": KEY, "maxLines": 2})
        told = await client.notification("session/didChange")
        assert (told["kind"], told["entryCount"]) == ("rewritten", 2)
        session = {"session": state["session"]}
        added = {"role": "user", "content": "on", "timestamp": 1}
        done = await client.request("session/appendMessage", {**session, "message": added})
        assert done["parentId"] == "e5"
    assert len(path.read_bytes().splitlines()) == 4


async def test_no_line_is_lost_that_a_writer_without_locks_appends_meanwhile(agents: Agents):
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *talk(2000))
    async with agents.daemon() as client, plain_writer(path, "w", "e1999") as writer:
        for _ in range(20):
            writer.write(b"x" * 5)
            await writer.drain()
        compacted = client.start(METHOD, {"key": KEY, "maxLines": 10})
        for _ in range(2000):
            if compacted.done():
                break
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0)
        await compacted
    archived = Path(compacted.result().value["result"]["archived"]).read_bytes()
    # The writer keeps the old file open, so what came late enough is in that one alone.
    written = {json.loads(raw)["id"] for raw in archived.splitlines()} - {"s1"}
    assert written >= {f"e{at}" for at in range(2000)}
    kept = [json.loads(raw) for raw in path.read_bytes().splitlines()]
    assert kept[0] == HEADER
    parents = {item["id"]: item["parentId"] for item in kept[1:]}
    first, *others = parents.items()
    assert first[1] is None
    assert all(parent in parents for _, parent in others)


async def test_a_gateways_lock_is_waited_for(agents: Agents):
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *talk(6))
    before = path.read_bytes()
    lock = Path(f"{path}.lock")
    created = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    lock.write_text(json.dumps({"pid": os.getppid(), "createdAt": created}))
    async with agents.daemon(lock_timeout=0.05) as client:
        with pytest.raises(RpcError) as refused:
            await client.request(METHOD, {"key": KEY, "maxLines": 1})
        assert refused.value.kind == "Busy"
        assert path.read_bytes() == before
        lock.unlink()
        assert (await client.request(METHOD, {"key": KEY, "maxLines": 1}))["compacted"]
    assert not lock.exists()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([b'{"role":"user","content":"x"}\n'] * 3, "InvalidSessionFile"),
        ([b"\x00\xff\n{\n}\n"], "InvalidSessionFile"),
        ([{**HEADER, "version": 5}, *talk(4)], "GatewayRejected"),
    ],
)
async def test_a_file_that_is_not_a_session_does_not_change(
    agents: Agents, values: list[Any], kind: str
):
    agents.lay({KEY: {**OLD, **TOKENS}})
    path = agents.transcript("s1.jsonl", *values)
    before = path.read_bytes()
    with pytest.raises(RpcError) as refused:
        await compact(agents, maxLines=1)
    assert refused.value.kind == kind
    assert path.read_bytes() == before
    assert beside(path) == [path.name]
    assert agents.stored(KEY) == {**OLD, **TOKENS}


async def test_a_transcript_that_may_not_be_written_does_not_change(agents: Agents):
    agents.lay({KEY: OLD})
    path = agents.transcript("s1.jsonl", HEADER, *talk(4))
    before = path.read_bytes()
    async with agents.daemon(read_only=True) as client:
        with pytest.raises(RpcError) as refused:
            await client.request(METHOD, {"key": KEY, "maxLines": 1})
    assert refused.value.kind == "ReadOnly"
    assert path.read_bytes() == before


async def test_links_out_of_the_roots_are_not_followed(agents: Agents, tmp_path: Path):
    outside = tmp_path / "secret.jsonl"
    outside.write_bytes(b"".join(map(line, [HEADER, *talk(4)])))
    before = outside.read_bytes()
    agents.lay({KEY: OLD})
    os.symlink(outside, agents.sessions() / "s1.jsonl")
    async with agents.daemon(roots=(str(agents.state),)) as client:
        with pytest.raises(RpcError) as refused:
            await client.request(METHOD, {"key": KEY, "maxLines": 1})
    assert refused.value.kind == "PathNotAllowed"
    assert outside.read_bytes() == before


async def test_a_directory_in_the_place_of_the_transcript_is_refused(agents: Agents):
    agents.lay({KEY: OLD})
    (agents.sessions() / "s1.jsonl").mkdir()
    with pytest.raises(RpcError) as refused:
        await compact(agents)
    assert refused.value.kind == "ReadFailed"


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"key": " "}, "/key"),
        ({"key": None}, "/key"),
        ({"maxLines": 0}, "/maxLines"),
        ({"maxLines": 1.5}, "/maxLines"),
        ({"maxLines": "3"}, "/maxLines"),
    ],
)
async def test_bad_params_are_refused_with_their_place(agents: Agents, params: Any, path: str):
    with pytest.raises(RpcError) as refused:
        await compact(agents, **params)
    assert (refused.value.code, refused.value.data["pointer"]) == (-32602, path)
