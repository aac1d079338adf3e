"""Keeping a session's books: tokens, compactions and flushes, as CoderClaw keeps them."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sessiond_protocol.gateway.record import RecordUsageParams
from support.agents import Agents
from support.client import RpcError
from support.contract import taken

from sessiond.gateway.counters import flush_changes, touched, usage_changes
from sessiond.gateway.entry import StoreEntry

KEY = "agent:main:main"
OLD = {"sessionId": "s1", "updatedAt": 1000}


def run(**members: Any) -> RecordUsageParams:
    return msgspec.json.decode(json.dumps({"sessionKey": KEY, **members}), type=RecordUsageParams)


def after(entry: dict[str, Any], **members: Any) -> dict[str, Any]:
    """The entry after a run that used this."""
    stored = StoreEntry.of(entry)
    return json.loads(stored.changed(usage_changes(stored, run(**members), None)).text)


@pytest.mark.parametrize(
    ("last", "prompt", "size"),
    [
        ({"input": 10, "cacheRead": 5, "cacheWrite": 2, "totalTokens": 100}, None, 17),
        ({"input": 0, "totalTokens": 100}, None, 100),
        ({}, None, None),
        ({"input": 0}, None, None),
        ({"input": 3, "output": 50}, None, 3),
        ({"input": 10}, 7, 7),
        (None, 7, 7),
        ({"input": 10}, 0, 10),
        (None, None, None),
        ({"output": 9}, None, None),
    ],
)
def test_the_total_is_the_size_of_the_last_prompt(last: Any, prompt: Any, size: float | None):
    members = {"usage": {"input": 1}, "lastCallUsage": last, "promptTokens": prompt}
    entry = after({**OLD, "totalTokens": 5, "totalTokensFresh": True}, **members)
    assert entry.get("totalTokens") == size
    assert entry["totalTokensFresh"] is (size is not None)


@pytest.mark.parametrize(
    "used", [None, {}, {"input": 0, "output": 0}, {"totalTokens": None}, {"cost": {"total": 1}}]
)
def test_a_run_without_usage_keeps_the_counters(used: dict[str, Any] | None):
    before = {**OLD, "inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    entry = after(before, usage=used, model="m", provider="p", contextWindow=9, promptTokens=4)
    assert entry == {**before, "model": "m", "modelProvider": "p", "contextTokens": 9}


def test_counters_are_those_of_the_last_run_instead_of_sums():
    before = {**OLD, "inputTokens": 100, "outputTokens": 200}
    entry = after(before, usage={"input": 3, "cacheRead": 5})
    assert (entry["inputTokens"], entry["outputTokens"]) == (3, 0)


@pytest.mark.parametrize(
    ("before", "of_run", "configured", "window"),
    [
        ({}, 5.0, 7.0, 5),
        ({}, None, 7.0, 7),
        ({"contextTokens": 9}, None, None, 9),
        ({"contextTokens": 9}, 0.0, None, 9),
        ({"contextTokens": "9"}, None, None, 200_000),
        ({}, None, None, 200_000),
    ],
)
def test_the_window_is_the_runs_the_configured_the_known_or_the_default_one(
    before: Any, of_run: float | None, configured: float | None, window: int
):
    entry = StoreEntry.of({**OLD, **before})
    changed = entry.changed(usage_changes(entry, run(contextWindow=of_run), configured))
    assert changed.get("contextTokens") == window


@pytest.mark.parametrize(
    ("before", "now", "updated"), [(5, 7, 7), (9, 7, 9), (None, 7, 7), ("x", 7, 7)]
)
def test_activity_never_decreases(before: Any, now: int, updated: int):
    entry = touched(StoreEntry.of({"sessionId": "a", "updatedAt": before}), {}, now)
    assert entry.get("updatedAt") == updated


@pytest.mark.parametrize("members", [{}, {"sessionId": None}])
def test_an_entry_without_an_id_gets_one(members: dict[str, Any]):
    found = touched(StoreEntry.of(members), {}, 1).string("sessionId")
    assert uuid.UUID(found or "").version == 4


@pytest.mark.parametrize(
    ("count", "compacted", "expected"),
    [(None, False, 0), (3, False, 3), (3, True, 4), ("x", True, 1)],
)
def test_a_flush_belongs_to_the_cycle_it_ends_in(count: Any, compacted: bool, expected: int):
    entry = StoreEntry.of({**OLD, "compactionCount": count})
    changes = flush_changes(entry, 77, compacted=compacted)
    assert changes["memoryFlushAt"] == 77
    assert changes["memoryFlushCompactionCount"] == expected
    assert ("compactionCount" in changes) is compacted


# On a connection


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


async def test_a_run_is_recorded_and_all_other_members_are_kept(agents: Agents):
    agents.lay({KEY: {**OLD, "unknown": {"a": 1}, "modelProvider": "old"}, "agent:main:x": OLD})
    before = int(time.time() * 1000)
    async with agents.daemon() as client:
        answer = await client.request(
            "gateway/recordUsage",
            {
                "sessionKey": "MAIN",
                "usage": {"input": 10, "output": 4, "cacheRead": 100},
                "lastCallUsage": {"input": 3, "cacheRead": 50},
                "model": "m1",
                "contextWindow": 1000,
                "systemPromptReport": {"source": "run"},
            },
        )
    stored = agents.stored(KEY)
    assert stored == answer["entry"]
    assert before <= stored.pop("updatedAt") <= time.time() * 1000
    assert stored == {
        "sessionId": "s1",
        "unknown": {"a": 1},
        "modelProvider": "old",
        "inputTokens": 10,
        "outputTokens": 4,
        "totalTokens": 53,
        "totalTokensFresh": True,
        "model": "m1",
        "contextTokens": 1000,
        "systemPromptReport": {"source": "run"},
    }
    assert agents.stored("agent:main:x") == OLD


async def test_the_configured_window_replaces_a_missing_one_of_the_run(agents: Agents):
    agents.configure(agents={"defaults": {"contextTokens": 50_000}})
    agents.lay({KEY: OLD})
    async with agents.daemon() as client:
        answer = await client.request("gateway/recordUsage", {"sessionKey": KEY})
    assert answer["entry"]["contextTokens"] == 50_000


async def test_a_compaction_is_counted_and_the_tokens_it_left_are_fresh(agents: Agents):
    agents.lay({KEY: {**OLD, "inputTokens": 1, "outputTokens": 2, "totalTokensFresh": False}})
    async with agents.daemon() as client:
        first = await client.request("gateway/recordCompaction", {"sessionKey": KEY})
        assert first["count"] == 1
        assert first["entry"]["inputTokens"] == 1
        second = await client.request(
            "gateway/recordCompaction", {"sessionKey": KEY, "tokensAfter": 4000}
        )
    assert second["count"] == 2
    stored = agents.stored(KEY)
    assert stored.pop("updatedAt") > OLD["updatedAt"]
    assert stored == {
        "sessionId": "s1",
        "totalTokensFresh": True,
        "compactionCount": 2,
        "totalTokens": 4000,
    }


async def test_tokens_after_of_nothing_are_not_known(agents: Agents):
    agents.lay({KEY: {**OLD, "totalTokens": 9, "inputTokens": 1}})
    params = {"sessionKey": KEY, "tokensAfter": 0}
    async with agents.daemon() as client:
        entry = (await client.request("gateway/recordCompaction", params))["entry"]
    assert (entry["totalTokens"], entry["inputTokens"]) == (9, 1)


@pytest.mark.parametrize(("compactions", "count"), [(None, 3), (0, 3), (1, 4), (2, 4)])
async def test_after_a_flush_none_is_due_in_the_same_cycle(
    agents: Agents, compactions: int | None, count: int
):
    agents.lay({KEY: {**OLD, "compactionCount": 3, "totalTokens": 180_000}})
    asked = {"sessionKey": KEY, "contextWindow": 200_000}
    async with agents.daemon() as client:
        assert (await client.request("gateway/planMemoryFlush", asked))["reason"] == "due"
        params = {"sessionKey": KEY, "compactions": compactions}
        entry = (await client.request("gateway/recordMemoryFlush", params))["entry"]
        assert (await client.request("gateway/planMemoryFlush", asked))[
            "reason"
        ] == "alreadyFlushed"
    assert entry["compactionCount"] == entry["memoryFlushCompactionCount"] == count
    assert entry["memoryFlushAt"] == entry["updatedAt"]


RECORDS = ["gateway/recordUsage", "gateway/recordCompaction", "gateway/recordMemoryFlush"]


@pytest.mark.parametrize("method", RECORDS)
async def test_nothing_is_written_without_an_entry(agents: Agents, method: str):
    agents.lay({"agent:main:other": OLD})
    before = agents.store().read_bytes(), agents.store().stat().st_mtime_ns
    async with agents.daemon() as client:
        answer = await client.request(method, {"sessionKey": KEY})
    assert answer["entry"] is None
    assert answer.get("count") is None
    assert (agents.store().read_bytes(), agents.store().stat().st_mtime_ns) == before


async def test_a_value_that_is_not_an_entry_stays_even_if_an_alias_has_one(agents: Agents):
    agents.lay({KEY: "text", KEY.upper(): OLD})
    async with agents.daemon() as client:
        answer = await client.request("gateway/recordCompaction", {"sessionKey": KEY})
    assert answer["entry"] is None
    assert agents.stored(KEY) == "text"
    assert agents.stored(KEY.upper()) == OLD


@pytest.mark.parametrize("method", RECORDS)
async def test_no_directory_is_created_for_a_missing_store(agents: Agents, method: str):
    async with agents.daemon() as client:
        await client.request(method, {"sessionKey": "agent:nobody:x"})
    assert not agents.state.exists()


@pytest.mark.parametrize("method", RECORDS)
@pytest.mark.parametrize("odd", [None, "text", 3, [], True])
async def test_values_that_are_not_entries_are_kept_and_reported(
    agents: Agents, method: str, odd: Any
):
    agents.lay({KEY: odd})
    before = agents.store().read_bytes()
    async with agents.daemon() as client:
        answer = await client.request(method, taken(method, {"sessionKey": KEY}))
    assert answer["entry"] is None
    assert [problem["kind"] for problem in answer["problems"]] == ["notAnEntry"]
    assert agents.store().read_bytes() == before


@pytest.mark.parametrize("method", RECORDS)
async def test_an_older_spelling_of_the_key_moves_to_the_one_stores_have(
    agents: Agents, method: str
):
    agents.lay({"Agent:Main:Main": {**OLD, "label": "mine"}})
    async with agents.daemon() as client:
        answer = await client.request(method, taken(method, {"sessionKey": "main"}))
    assert answer["entry"]["label"] == "mine"
    assert list(json.loads(agents.store().read_text())) == [KEY]


@pytest.mark.parametrize("method", RECORDS)
@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "/sessionKey"),
        ({"sessionKey": " "}, "/sessionKey"),
        ({"sessionKey": 3}, "/sessionKey"),
        ({"sessionKey": KEY, "usage": [], "tokensAfter": "x", "compactions": -1}, None),
    ],
)
async def test_bad_params_are_refused_with_their_place(
    agents: Agents, method: str, params: dict[str, Any], path: str | None
):
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as refused:
            await client.request(method, taken(method, params))
    assert refused.value.code == -32602
    assert path is None or refused.value.data["pointer"] == path
    assert not agents.store().exists()


@pytest.mark.parametrize("method", RECORDS)
async def test_a_daemon_that_only_reads_records_nothing(agents: Agents, method: str):
    agents.lay({KEY: OLD})
    async with agents.daemon(read_only=True) as client:
        with pytest.raises(RpcError) as refused:
            await client.request(method, {"sessionKey": KEY})
    assert refused.value.kind == "ReadOnly"


ODD = ["\0", "\ud800", "a\nb", ":", "agent:", "agent:a:\ud83d", "../..", "/", "é" * 300, "-" * 9000]
ALL = [*RECORDS, "gateway/planMemoryFlush"]


@pytest.mark.parametrize("method", ALL)
async def test_unusual_keys_and_texts_are_answered(agents: Agents, method: str):
    agents.lay({})
    async with agents.daemon() as client:
        for odd in ODD:
            params = {"sessionKey": odd, "model": odd}
            try:
                await client.request(method, taken(method, params))
            except RpcError as error:
                assert error.code in {-32602, 1016}, (method, odd, error)
    assert isinstance(json.loads(agents.store().read_text()), dict)
