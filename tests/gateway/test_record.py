"""Keeping a session's books: tokens, compactions, flushes and routes, as CoderClaw keeps them."""

from __future__ import annotations

import json
import re
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from support.agents import Agents
from support.client import RpcError
from support.contract import taken

from sessiond.gateway.rules.record import FinishedRun, Tokens, flush_changes, touched, usage_changes
from sessiond.gateway.store.entry import StoreEntry

KEY = "agent:main:main"
OLD = {"sessionId": "s1", "updatedAt": 1000}


def after(entry: dict[str, Any], **run: Any) -> dict[str, Any]:
    """The entry after a run that used this."""
    counted = {"used": Tokens.of(run.pop("used", {})), **run}
    if "last" in counted:
        counted["last"] = Tokens.of(counted["last"])
    stored = StoreEntry.of(entry)
    return json.loads(stored.changed(usage_changes(stored, FinishedRun(**counted), None)).text)


@pytest.mark.parametrize(
    ("last", "prompt", "size"),
    [
        ({"input": 10, "cacheRead": 5, "cacheWrite": 2, "total": 100}, None, 17),
        ({"input": 0, "total": 100}, None, 100),
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
    run = {"prompt_tokens": prompt, **({} if last is None else {"last": last})}
    entry = after({**OLD, "totalTokens": 5, "totalTokensFresh": True}, used={"input": 1}, **run)
    assert entry.get("totalTokens") == size
    assert entry["totalTokensFresh"] is (size is not None)


NAMES = {
    "input": ["input", "inputTokens", "input_tokens", "promptTokens", "prompt_tokens"],
    "output": ["output", "outputTokens", "output_tokens", "completionTokens", "completion_tokens"],
    "cache_read": ["cacheRead", "cache_read", "cache_read_input_tokens"],
    "cache_write": ["cacheWrite", "cache_write", "cache_creation_input_tokens"],
    "total": ["total", "totalTokens", "total_tokens"],
}


@pytest.mark.parametrize(
    ("name", "raw"), [(name, raw) for name, names in NAMES.items() for raw in names]
)
def test_counts_go_by_many_names(name: str, raw: str):
    assert getattr(Tokens.of({raw: 7}), name) == 7


@pytest.mark.parametrize("name", NAMES)
def test_the_first_member_that_is_not_null_counts_even_if_it_is_not_a_number(name: str):
    first, second = NAMES[name][:2]
    assert getattr(Tokens.of({first: None, second: 3}), name) == 3
    for odd in ("7", float("inf"), float("nan"), True, [], {}):
        assert getattr(Tokens.of({first: odd, second: 3}), name) is None


@pytest.mark.parametrize(
    "used", [{}, {"input": 0, "output": 0}, {"input": "9"}, {"total": None}, {"input": -1}]
)
def test_a_run_without_usage_keeps_the_counters(used: dict[str, Any]):
    before = {**OLD, "inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    entry = after(before, used=used, model="m", provider="p", window=9, prompt_tokens=4)
    assert entry == {**before, "model": "m", "modelProvider": "p", "contextTokens": 9}


def test_counters_are_those_of_the_last_run_instead_of_sums():
    before = {**OLD, "inputTokens": 100, "outputTokens": 200}
    entry = after(before, used={"input_tokens": 3, "cacheRead": 5})
    assert (entry["inputTokens"], entry["outputTokens"]) == (3, 0)


@pytest.mark.parametrize(
    ("before", "run", "configured", "window"),
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
    before: Any, run: float | None, configured: float | None, window: int
):
    entry = StoreEntry.of({**OLD, **before})
    changed = entry.changed(usage_changes(entry, FinishedRun(window=run), configured))
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


@pytest.mark.parametrize("method", [*RECORDS, "gateway/recordRoute"])
@pytest.mark.parametrize("odd", [None, "text", 3, [], True])
async def test_values_that_are_not_entries_are_kept_and_reported(
    agents: Agents, method: str, odd: Any
):
    agents.lay({KEY: odd})
    before = agents.store().read_bytes()
    async with agents.daemon() as client:
        answer = await client.request(
            method, taken(method, {"sessionKey": KEY, "channel": "slack"})
        )
    assert answer["entry"] is None
    assert [problem["kind"] for problem in answer["problems"]] == ["notAnEntry"]
    assert agents.store().read_bytes() == before


@pytest.mark.parametrize("method", [*RECORDS, "gateway/recordRoute"])
async def test_an_older_spelling_of_the_key_moves_to_the_one_stores_have(
    agents: Agents, method: str
):
    agents.lay({"Agent:Main:Main": {**OLD, "label": "mine"}})
    async with agents.daemon() as client:
        answer = await client.request(method, taken(method, {"sessionKey": "main", "to": "x"}))
    assert answer["entry"]["label"] == "mine"
    assert list(json.loads(agents.store().read_text())) == [KEY]


@pytest.mark.parametrize("method", [*RECORDS, "gateway/recordRoute"])
@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "/sessionKey"),
        ({"sessionKey": " "}, "/sessionKey"),
        ({"sessionKey": 3}, "/sessionKey"),
        ({"sessionKey": KEY, "usage": [], "tokensAfter": "x", "compactions": -1, "to": 3}, None),
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


@pytest.mark.parametrize("method", [*RECORDS, "gateway/recordRoute"])
async def test_a_daemon_that_only_reads_records_nothing(agents: Agents, method: str):
    agents.lay({KEY: OLD})
    async with agents.daemon(read_only=True) as client:
        with pytest.raises(RpcError) as refused:
            await client.request(method, {"sessionKey": KEY})
    assert refused.value.kind == "ReadOnly"


# Routes


async def route(agents: Agents, **params: Any) -> Any:
    async with agents.daemon() as client:
        return await client.request("gateway/recordRoute", {"sessionKey": KEY, **params})


ROUTE = {
    "deliveryContext": {"channel": "slack", "to": "C1", "accountId": "a", "threadId": "t"},
    "lastChannel": "slack",
    "lastTo": "C1",
    "lastAccountId": "a",
    "lastThreadId": "t",
}


def routed(**where: Any) -> dict[str, Any]:
    last = {f"last{name[0].upper()}{name[1:]}": value for name, value in where.items()}
    return {"deliveryContext": where, **last} if where else {}


@pytest.mark.parametrize(
    ("before", "params", "expected"),
    [
        ({}, {"channel": " WhatsApp ", "to": " +1 "}, routed(channel="whatsapp", to="+1")),
        ({}, {"channel": "imsg", "to": "x"}, routed(channel="imessage", to="x")),
        ({}, {"threadId": 7.9}, routed(threadId=7)),
        ({}, {"threadId": " t "}, routed(threadId="t")),
        # A new place without a thread clears the thread; what is not said stays.
        (ROUTE, {"to": "C2"}, routed(channel="slack", to="C2", accountId="a")),
        (ROUTE, {"channel": "irc"}, routed(channel="irc", to="C1", accountId="a")),
        (
            ROUTE,
            {"to": "C2", "threadId": "u"},
            routed(channel="slack", to="C2", accountId="a", threadId="u"),
        ),
        # Without a new place the thread stays.
        (ROUTE, {"accountId": "b"}, routed(channel="slack", to="C1", accountId="b", threadId="t")),
        (ROUTE, {}, ROUTE),
        (ROUTE, {"channel": " ", "to": ""}, ROUTE),
        # The context goes over what is given beside it.
        (
            {},
            {"deliveryContext": {"to": "in", "threadId": 3}, "to": "out", "channel": "slack"},
            routed(channel="slack", to="in", threadId=3),
        ),
        # A thread that is blank is one in a context, and outside of it if it has blanks.
        (
            ROUTE,
            {"deliveryContext": {"to": "C2", "threadId": ""}},
            routed(channel="slack", to="C2", accountId="a", threadId="t"),
        ),
        (
            ROUTE,
            {"to": "C2", "deliveryContext": {"threadId": ""}},
            routed(channel="slack", to="C2", accountId="a", threadId="t"),
        ),
        (ROUTE, {"to": "C2", "threadId": ""}, routed(channel="slack", to="C2", accountId="a")),
        (
            ROUTE,
            {"to": "C2", "threadId": "", "deliveryContext": {"threadId": None}},
            routed(channel="slack", to="C2", accountId="a"),
        ),
        # A thread that the origin names comes back at every save.
        (
            {**ROUTE, "origin": {"threadId": 5}},
            {"to": "C2"},
            {"origin": {"threadId": 5}}
            | routed(channel="slack", to="C2", accountId="a", threadId=5),
        ),
    ],
)
async def test_the_route_of_replies_follows_the_params(
    agents: Agents, before: dict[str, Any], params: dict[str, Any], expected: dict[str, Any]
):
    agents.lay({KEY: {**OLD, **before}})
    answer = await route(agents, **params)
    assert answer["entry"] == {**OLD, **expected}
    assert agents.stored(KEY) == {**OLD, **expected}


async def test_unknown_members_of_the_delivery_context_are_kept(agents: Agents):
    agents.lay({KEY: {**OLD, "deliveryContext": {"channel": "slack", "more": [1]}}})
    entry = (await route(agents, to="x"))["entry"]
    assert entry["deliveryContext"] == {"channel": "slack", "to": "x", "more": [1]}


async def test_a_route_does_not_count_as_activity(agents: Agents):
    agents.lay({KEY: {"sessionId": "s1", "updatedAt": 1}})
    answer = await route(agents, channel="slack", to="C1", context={"From": "slack:C1"})
    assert answer["entry"]["updatedAt"] == 1
    assert agents.stored(KEY)["updatedAt"] == 1


async def test_a_route_that_changes_nothing_writes_nothing(agents: Agents):
    agents.lay({KEY: {**OLD, **ROUTE}})
    before = agents.store().read_bytes()
    assert (await route(agents, to="C1", threadId="t"))["entry"]["lastTo"] == "C1"
    assert agents.store().read_bytes() == before


async def test_a_session_that_is_missing_is_put_in_under_a_random_id(agents: Agents):
    began = int(time.time() * 1000)
    entry = (await route(agents, channel="slack", to="C1"))["entry"]
    assert uuid.UUID(entry.pop("sessionId")).version == 4
    assert began <= entry.pop("updatedAt") <= time.time() * 1000
    assert entry == routed(channel="slack", to="C1")
    assert agents.stored(KEY)["lastTo"] == "C1"


async def test_a_message_updates_the_origin_of_its_session(agents: Agents):
    key = "agent:main:discord:group:123"
    agents.lay({key: {**OLD, "origin": {"from": "old", "more": 1}, "subject": "Kept"}})
    context = {
        "From": "discord:group:123",
        "ChatType": "group",
        "To": "x",
        "GroupSubject": "Friends",
        "AccountId": "",
        "Surface": "Discord",
    }
    params = {"sessionKey": key, "context": context}
    async with agents.daemon() as client:
        entry = (await client.request("gateway/recordRoute", params))["entry"]
    assert entry["origin"]["from"] == "discord:group:123"
    assert entry["origin"]["more"] == 1
    assert "accountId" not in entry["origin"]
    assert entry["chatType"] == "group"
    assert (entry["channel"], entry["groupId"]) == ("discord", "123")
    assert entry["subject"] == "Friends"
    assert re.fullmatch(r"discord:g-friends", entry["displayName"])
    assert entry["updatedAt"] == OLD["updatedAt"]


ODD = ["\0", "\ud800", "a\nb", ":", "agent:", "agent:a:\ud83d", "../..", "/", "é" * 300, "-" * 9000]
ALL = [*RECORDS, "gateway/recordRoute", "gateway/planMemoryFlush"]


@pytest.mark.parametrize("method", ALL)
async def test_unusual_keys_and_texts_are_answered(agents: Agents, method: str):
    agents.lay({})
    async with agents.daemon() as client:
        for odd in ODD:
            texts = {"to": odd, "threadId": odd, "context": {"From": odd}, "model": odd}
            params = {"sessionKey": odd, "key": odd, "keys": [odd], **texts}
            try:
                await client.request(method, taken(method, params))
            except RpcError as error:
                assert error.code in {-32602, 1016}, (method, odd, error)
    assert isinstance(json.loads(agents.store().read_text()), dict)
