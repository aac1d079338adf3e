"""Statistics of a session equal values computed by hand and by a naive count."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from format.builders import dumps, file_of
from support.app import daemon, user
from support.client import RpcError

from sessiond.format.describe.stats import count
from sessiond.format.load import load
from sessiond.format.tree.tree import Tree

NONE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}


def at(day: int, second: int = 0) -> str:
    return f"2026-03-{day:02}T23:59:{second:02}.000Z"


def usage(tokens: int, dollars: float, **more: Any) -> dict[str, Any]:
    """1 to 4 times as many tokens, 1, 2, 4 and 8 times as many dollars."""
    cost = dict(zip(("input", "output", "cacheRead", "cacheWrite"), (1, 2, 4, 8), strict=True))
    return {
        "input": tokens,
        "output": 2 * tokens,
        "cacheRead": 3 * tokens,
        "cacheWrite": 4 * tokens,
        "totalTokens": 999_999,
        "cost": {**{name: n * dollars for name, n in cost.items()}, "total": 15 * dollars},
        **more,
    }


def tokens(n: int) -> dict[str, int]:
    return {"input": n, "output": 2 * n, "cacheRead": 3 * n, "cacheWrite": 4 * n, "total": 10 * n}


def cost(n: float) -> dict[str, float]:
    return {
        "input": n,
        "output": 2 * n,
        "cacheRead": 4 * n,
        "cacheWrite": 8 * n,
        "total": 15 * n,
    }


def entry(type_: str, entry_id: str, parent: str | None, when: str, **more: Any) -> dict[str, Any]:
    return {"type": type_, "id": entry_id, "parentId": parent, "timestamp": when, **more}


def message(entry_id: str, parent: str | None, when: str, role: str, **more: Any) -> dict[str, Any]:
    return entry("message", entry_id, parent, when, message={"role": role, **more})


CALLS = [
    {"type": "text", "text": '"toolCall"'},
    {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"type": "toolCall"}},
    {"type": "toolCall", "id": "t2", "name": "ls", "arguments": {}},
]
ENTRIES = [
    message("u1", None, at(1), "user", content="hello"),
    message("a1", "u1", at(1, 5), "assistant", content=CALLS, provider="p", model="m", usage=usage(1, 0.5)),
    # Its own time is the next day's.
    message("r1", "a1", at(1, 6), "toolResult", content=[], usage=usage(10, 0.25), timestamp=1772409600000),
    message("r2", "r1", at(2), "toolResult", content=[]),
    message("a2", "r2", at(2, 1), "assistant", content=[], provider="p", model="m", responseModel="m-1", usage=usage(100, 1)),
    entry("compaction", "k", "a2", at(2, 2), summary="s", firstKeptEntryId="a2", usage=usage(1000, 2)),
    entry("compaction", "k2", "k", at(9, 2), summary="s", firstKeptEntryId="a2"),
    entry("branch_summary", "b", "u1", at(3), summary="s", fromId="k", usage=usage(10_000, 4)),
    entry("usage", "x", "b", at(3, 1), kind="title", provider="q", model="n", usage=usage(100_000, 8)),
    message("c", "x", at(3, 2), "custom", content="no usage", usage=usage(7, 7)),
    message("a3", "x", at(3, 3), "assistant", content="odd", provider="p", model="m"),
    entry("label", "l", "a3", at(20), targetId="a3", label="x"),
]  # fmt: skip
EXPECTED = {
    "messages": {"byRole": {"user": 1, "assistant": 3, "toolResult": 2, "custom": 1}},
    "toolCalls": 2,
    "toolResults": 2,
    # k2, c and l
    "branches": 3,
    "compactions": 2,
    "tokens": tokens(111_111),
    "cost": cost(15.75),
    # a3 has no usage.
    "withoutCost": 1,
    "byModel": [
        {
            "provider": "p",
            "model": "m",
            "messages": 2,
            "tokens": tokens(1),
            "cost": cost(0.5),
            "withoutCost": 1,
        },
        {"provider": "", "model": "", "messages": 0, "tokens": tokens(11_010), "cost": cost(6.25)},
        {"provider": "p", "model": "m-1", "messages": 1, "tokens": tokens(100), "cost": cost(1)},
        {"provider": "q", "model": "n", "messages": 0, "tokens": tokens(100_000), "cost": cost(8)},
    ],
    "byDay": [
        {"day": "2026-03-01", "messages": 2, "tokens": tokens(1), "cost": cost(0.5)},
        {"day": "2026-03-02", "messages": 3, "tokens": tokens(1110), "cost": cost(3.25)},
        {
            "day": "2026-03-03",
            "messages": 2,
            "tokens": tokens(110_000),
            "cost": cost(12),
            "withoutCost": 1,
        },
    ],
    "firstActivity": at(1),
    "lastActivity": at(3, 3),
}


async def test_everything_in_the_file_is_counted(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_bytes(file_of(*ENTRIES))
    before = file.stat()
    async with daemon(tmp_path, read_only=True) as client:
        by_path = await client.request("catalog/stats", {"path": str(file)})
        session = (await client.request("session/open", {"path": str(file)}))["session"]
        by_handle = await client.request("catalog/stats", {"session": session})
    assert by_path == by_handle == {**EXPECTED, "sizeBytes": before.st_size}
    assert file.stat().st_mtime_ns == before.st_mtime_ns


async def test_a_session_in_memory_is_counted_as_well(tmp_path: Path):
    async with daemon(tmp_path) as client:
        session = {"session": (await client.request("session/inMemory"))["session"]}
        empty = await client.request("catalog/stats", session)
        await client.request("session/appendMessage", {**session, "message": user("x")})
        full = await client.request("catalog/stats", session)
    assert empty == {
        "messages": {"byRole": {}},
        **dict.fromkeys(("toolCalls", "toolResults", "branches", "compactions", "sizeBytes"), 0),
        **dict.fromkeys(("tokens", "cost"), NONE),
        "byModel": [],
        "byDay": [],
    }
    assert (full["messages"], full["branches"]) == ({"byRole": {"user": 1}}, 1)
    assert full["firstActivity"] == full["lastActivity"]
    assert [day["day"] for day in full["byDay"]] == [full["firstActivity"][:10]]


async def test_a_file_of_version_1_is_counted_and_does_not_change(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    old = [{name: e[name] for name in e if name not in {"id", "parentId"}} for e in ENTRIES]
    head = b'{"type":"session","id":"s","timestamp":"2026-03-01T00:00:00.000Z","cwd":"/w"}'
    file.write_bytes(file_of(*old, header=head))
    before = file.read_bytes()
    async with daemon(tmp_path) as client:
        found = await client.request("catalog/stats", {"path": str(file)})
    assert found == {**EXPECTED, "branches": 1, "sizeBytes": len(before)}
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({}, "InvalidParams"),
        ({"path": "/a", "session": "s1"}, "InvalidParams"),
        ({"path": "~/none.jsonl"}, "SessionNotFound"),
        ({"path": "~/notes.jsonl"}, "InvalidSessionFile"),
        ({"path": "~"}, "ReadFailed"),
        ({"session": "s9"}, "UnknownSession"),
    ],
)
async def test_a_session_that_cannot_be_counted_is_refused(
    tmp_path: Path, params: dict[str, Any], kind: str
):
    (tmp_path / "notes.jsonl").write_text("notes")
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as raised:
            await client.request("catalog/stats", params)
    assert raised.value.kind == kind


ODD: list[tuple[bytes, int, float]] = [
    (b"null", 0, 0),
    (b"[]", 0, 0),
    (b'"much"', 0, 0),
    (b"{}", 0, 0),
    (b'{"input":null,"output":"5","cacheRead":true,"cacheWrite":{}}', 0, 0),
    (b'{"input":1e400,"output":123456789012345678901234567890,"cacheRead":3}', 3, 0),
    (b'{"input":2.9,"cost":null}', 2, 0),
    (b'{"input":1,"cost":{"input":0.5,"output":0.25}}', 1, 0.75),
    (b'{"input":1,"cost":{"input":0.5,"total":null}}', 1, 0.5),
    (b'{"input":1,"cost":{"input":0.5,"total":2}}', 1, 2),
    (rb'{"input":1,"note":"\ud83d","cost":{"total":1}}', 1, 1),
    (b'{"input":1,"deep":' + b"[" * 400 + b"]" * 400 + b"}", 1, 0),
]


@pytest.mark.parametrize(("value", "in_all", "dollars"), ODD)
def test_malformed_usage_counts_its_numeric_members(value: bytes, in_all: int, dollars: float):
    line = dumps(
        message("a", None, at(1), "assistant", usage=0, content=["x", {"type": "toolCall"}])
    )
    loaded = load(file_of(line.replace(b'"usage":0', b'"usage":' + value)))
    found = count(Tree(loaded.entries))
    assert (found.used.tokens["total"], found.used.cost["total"]) == (in_all, dollars)
    assert found.tool_calls == 1


def test_malformed_messages_are_counted():
    lines = [
        {"type": "message", "id": "1", "parentId": None, "timestamp": "soon"},
        {"type": "message", "id": "2", "parentId": "1", "message": 5},
        {"type": "message", "id": "3", "parentId": "gone", "message": {"role": 5}},
        {"type": "message", "id": "4", "parentId": "5", "message": {"role": "user", "timestamp": 1e300}},
        {"type": "message", "id": "5", "parentId": "4", "message": {"role": "assistant", "provider": 5, "content": 5}},
        {"type": "message", "id": "6", "parentId": "6", "message": {"role": "user", "timestamp": 86_400_000}},
    ]  # fmt: skip
    loaded = load(file_of(*lines))
    found = count(Tree(loaded.entries))
    assert dict(found.by_role) == {"": 3, "user": 2, "assistant": 1}
    assert list(found.by_day) == ["1970-01-02"]
    assert list(found.by_model) == [("", "")]
    # 2, 3, the end of the circle of 4 and 5, and 6
    assert found.branches == 4
    assert found.first_activity == found.last_activity == 86_400_000


async def test_a_session_that_grows_during_the_count_is_counted_without_the_growth(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    lines = [
        message(f"m{n}", f"m{n - 1}" if n else None, at(1), "user", content="x" * 200)
        for n in range(3000)
    ]
    file.write_bytes(file_of(*lines))
    async with daemon(tmp_path) as client:
        session = {
            "session": (await client.request("session/open", {"path": str(file)}))["session"]
        }
        answer = client.start("catalog/stats", session)
        appends = [
            client.start("session/appendMessage", {**session, "message": user("y")})
            for _ in range(500)
        ]
        await asyncio.gather(*appends)
        found = (await answer).value["result"]
    assert found["messages"] == {"byRole": {"user": 3000}}
    assert found["branches"] == 1


@pytest.mark.skipif("SESSIOND_SAMPLES" not in os.environ, reason="no real session at hand")
def test_a_real_session_adds_up():
    data = Path(os.environ["SESSIOND_SAMPLES"], "v1-large-session.jsonl").read_bytes()
    values = [json.loads(line) for line in data.splitlines()]
    messages = [value["message"] for value in values if value["type"] == "message"]
    spent = [each["usage"] for each in messages if each["role"] == "assistant"]
    loaded = load(data)
    found = count(Tree(loaded.entries))
    assert sum(found.by_role.values()) == len(messages)
    assert found.used.tokens["input"] == sum(each["input"] for each in spent)
    assert found.used.cost["total"] == pytest.approx(sum(each["cost"]["total"] for each in spent))
    assert sum(used.messages for used in found.by_day.values()) == len(messages)
