"""Tokens and cost of the sessions of stores, counted over their transcripts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents, entry, message
from support.client import RpcError

KEY = "agent:main:main"
METHOD = "gateway/usage"
ZERO = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


def usage(tokens: int, dollars: float) -> dict[str, Any]:
    return {
        "input": tokens,
        "output": 1,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": tokens,
        "cost": {"input": dollars, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": dollars},
    }


def on(day: str, own: str, tokens: int, dollars: float, model: str = "m") -> Any:
    """A message of the model on that day."""
    said = message(own, None, "assistant", provider="p", model=model, usage=usage(tokens, dollars))
    return {**said, "timestamp": f"{day}T12:00:00.000Z"}


def tokens(amount: int, messages: int = 1) -> dict[str, Any]:
    return {**ZERO, "input": amount, "output": messages, "total": amount + messages}


def stored(name: str, updated: int, **more: Any) -> dict[str, Any]:
    return {"sessionId": name, "updatedAt": updated, **more}


async def ask(agents: Agents, **params: Any) -> Any:
    async with agents.daemon() as client:
        return await client.request(METHOD, params)


async def test_sessions_are_counted_one_by_one_and_together(agents: Agents):
    agents.lay(
        {
            KEY: stored("s1", 1, label="mine", channel="slack", displayName="Mine"),
            "agent:main:x": stored("s2", 2, lastChannel="irc"),
            "agent:main:gone": stored("s3", 3),
        }
    )
    asked = {**message("u", None, "user"), "timestamp": "2026-01-01T00:00:00.000Z"}
    agents.transcript(
        "s1.jsonl", HEADER, asked, on("2026-01-01", "a", 10, 0.5), on("2026-01-02", "b", 20, 1, "n")
    )
    agents.transcript("s2.jsonl", HEADER, on("2026-01-02", "c", 100, 2))
    answer = await ask(agents)
    assert answer["count"] == 3
    assert [
        (row["key"], row["agentId"], row["sessionId"], row["updatedAt"])
        for row in answer["sessions"]
    ] == [
        ("agent:main:gone", "main", "s3", 3),
        ("agent:main:x", "main", "s2", 2),
        (KEY, "main", "s1", 1),
    ]
    gone, second, first = answer["sessions"]
    assert gone["usage"] is None
    assert (second["channel"], "label" in second) == ("irc", False)
    assert (first["label"], first["channel"], first["displayName"]) == ("mine", "slack", "Mine")
    assert first["usage"]["messages"] == {"byRole": {"user": 1, "assistant": 2}}
    assert first["usage"]["tokens"] == tokens(30, 2)
    assert first["usage"]["cost"]["total"] == 1.5
    assert first["usage"]["firstActivity"] == "2026-01-01T00:00:00.000Z"
    totals = answer["totals"]
    assert totals["tokens"] == tokens(130, 3)
    assert totals["cost"]["total"] == 3.5
    assert totals["lastActivity"] == "2026-01-02T12:00:00.000Z"
    assert [(row["model"], row["messages"], row["cost"]["total"]) for row in totals["byModel"]] == [
        ("m", 2, 2.5),
        ("n", 1, 1),
    ]
    assert [(row["day"], row["messages"], row["cost"]["total"]) for row in totals["byDay"]] == [
        ("2026-01-01", 2, 0.5),
        ("2026-01-02", 2, 3),
    ]


@pytest.mark.parametrize(
    ("start", "end", "dollars"),
    [
        (None, None, 7),
        ("2026-01-02", None, 6),
        (None, "2026-01-02", 3),
        ("2026-01-02", "2026-01-02", 2),
        ("2026-01-04", None, 0),
        ("2026-01-03", "2026-01-01", 0),
        ("2025-01-01", "2027-01-01", 7),
    ],
)
async def test_only_days_of_the_period_count(
    agents: Agents, start: str | None, end: str | None, dollars: float
):
    agents.lay({KEY: stored("s1", 1)})
    days = [on(f"2026-01-0{day}", f"a{day}", 1, cost) for day, cost in [(1, 1), (2, 2), (3, 4)]]
    undated = {**message("u", None, "user"), "timestamp": "never"}
    agents.transcript("s1.jsonl", HEADER, *days, undated)
    answer = await ask(agents, since=start, until=end)
    (row,) = answer["sessions"]
    assert row["usage"]["cost"]["total"] == answer["totals"]["cost"]["total"] == dollars
    assert ("user" in row["usage"]["messages"]["byRole"]) is (start is None and end is None)


async def test_usage_of_compactions_and_tools_counts(agents: Agents):
    agents.lay({KEY: stored("s1", 1)})
    agents.transcript(
        "s1.jsonl",
        HEADER,
        on("2026-01-01", "a", 1, 1),
        entry("c", "a", "compaction", summary="s", tokensBefore=1, usage=usage(10, 10)),
        message("t", "c", "toolResult", [], usage=usage(100, 100)),
    )
    figures = (await ask(agents, key="main"))["totals"]
    assert figures["cost"]["total"] == 111
    assert (figures["compactions"], figures["toolResults"]) == (1, 1)


async def test_one_session_is_found_under_any_spelling_of_its_key(agents: Agents):
    agents.lay({"MAIN": stored("s1", 1), "agent:main:x": stored("s2", 2)})
    agents.transcript("s1.jsonl", HEADER, on("2026-01-01", "a", 1, 1))
    agents.transcript("s2.jsonl", HEADER, on("2026-01-01", "a", 1, 8))
    answer = await ask(agents, key="Main")
    assert [row["key"] for row in answer["sessions"]] == [KEY]
    assert answer["totals"]["cost"]["total"] == 1


async def test_an_unknown_key_has_no_usage(agents: Agents):
    agents.lay({})
    answer = await ask(agents, key="nobody")
    assert (answer["count"], answer["sessions"]) == (0, [])
    assert answer["totals"]["tokens"] == ZERO


async def test_the_limit_is_for_the_answer_and_not_for_the_totals(agents: Agents):
    agents.lay({f"agent:main:{n}": stored(f"s{n}", n) for n in range(60)})
    for n in range(60):
        agents.transcript(f"s{n}.jsonl", HEADER, on("2026-01-01", "a", 1, 1))
    async with agents.daemon() as client:
        whole = await client.request(METHOD, {})
        two = await client.request(METHOD, {"limit": 2})
    assert (whole["count"], len(whole["sessions"])) == (60, 50)
    assert [row["key"] for row in two["sessions"]] == ["agent:main:59", "agent:main:58"]
    assert two["totals"]["cost"]["total"] == whole["totals"]["cost"]["total"] == 60


async def test_all_agents_count_unless_one_is_named(agents: Agents):
    agents.lay({KEY: stored("s1", 1), "Short": stored("s3", 3)})
    agents.lay({"agent:ops:main": stored("s2", 2)}, agent="ops")
    agents.transcript("s1.jsonl", HEADER, on("2026-01-01", "a", 1, 1))
    agents.transcript("s2.jsonl", HEADER, on("2026-01-01", "a", 1, 8), agent="ops")
    answer = await ask(agents)
    assert [(row["key"], row["agentId"]) for row in answer["sessions"]] == [
        ("agent:main:short", "main"),
        ("agent:ops:main", "ops"),
        (KEY, "main"),
    ]
    assert answer["totals"]["cost"]["total"] == 9
    only = await ask(agents, agentId="Ops")
    assert [row["key"] for row in only["sessions"]] == ["agent:ops:main"]


async def test_a_store_all_agents_share_is_counted_once(agents: Agents, tmp_path: Path):
    store = tmp_path / "shared" / "store.json"
    agents.configure(session={"store": str(store)}, agents={"list": [{"id": "a"}, {"id": "b"}]})
    store.parent.mkdir()
    store.write_text('{"agent:b:main": {"sessionId": "s1", "updatedAt": 1}}')
    agents.transcript("s1.jsonl", HEADER, on("2026-01-01", "x", 1, 1), agent="b")
    answer = await ask(agents)
    assert [(row["key"], row["agentId"]) for row in answer["sessions"]] == [("agent:b:main", "b")]
    assert answer["totals"]["cost"]["total"] == 1


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (None, ["agent:b:main", "agent:a:short", "agent:a:main"]),
        ("A", ["agent:a:short", "agent:a:main"]),
        ("b", ["agent:b:main"]),
        ("c", []),
    ],
)
async def test_a_shared_store_can_be_filtered_by_agent(
    agents: Agents, tmp_path: Path, agent: str | None, expected: list[str]
):
    store = tmp_path / "store.json"
    agents.configure(session={"store": str(store)}, agents={"list": [{"id": "a"}, {"id": "b"}]})
    entries = {
        "agent:a:main": stored("s1", 1),
        "short": stored("s2", 2),
        "agent:b:main": stored("s3", 3),
    }
    store.write_text(json.dumps(entries))
    answer = await ask(agents, agentId=agent)
    assert [row["key"] for row in answer["sessions"]] == expected


async def test_the_alias_of_a_jobs_run_does_not_count_twice(agents: Agents):
    base, run = "agent:main:cron:j", "agent:main:cron:j:run:s1"
    before = "agent:main:cron:j:run:s0"
    agents.lay({run: stored("s1", 5), base: stored("s1", 5), before: stored("s0", 4)})
    for name in ("s0", "s1"):
        agents.transcript(f"{name}.jsonl", HEADER, on("2026-01-01", "a", 1, 1))
    answer = await ask(agents)
    assert [row["key"] for row in answer["sessions"]] == [base, before]
    assert answer["totals"]["cost"]["total"] == 2


@pytest.mark.parametrize("report", [None, "text", {"source": "run", "chars": 12345678901234567890}])
async def test_context_weight_is_included_on_request(agents: Agents, report: Any):
    agents.lay({KEY: stored("s1", 1, systemPromptReport=report)})
    (row,) = (await ask(agents, includeContextWeight=True))["sessions"]
    assert row.get("contextWeight") == (report if isinstance(report, dict) else None)
    assert ("contextWeight" in row) is isinstance(report, dict)
    (row,) = (await ask(agents))["sessions"]
    assert "contextWeight" not in row


async def test_the_readable_parts_of_old_cut_and_damaged_transcripts_count(agents: Agents):
    names = ["v1", "bare", "torn", "empty", "garbage", "folder"]
    agents.lay({f"agent:main:{name}": stored(name, 1) for name in names})
    first = on("2026-01-01", "a", 1, 1)
    agents.transcript(
        "v1.jsonl",
        {key: value for key, value in HEADER.items() if key != "version"},
        {key: value for key, value in first.items() if key not in {"id", "parentId"}},
    )
    # As CoderClaw leaves a file it has cut.
    agents.transcript("bare.jsonl", first, {**first, "id": "b", "parentId": "a"})
    agents.transcript("torn.jsonl", HEADER, first, b"{broken\n", b'{"type":"message","id":')
    agents.transcript("empty.jsonl")
    agents.transcript("garbage.jsonl", b"\x00\xff\n[1]\n")
    (agents.sessions() / "folder.jsonl").mkdir()
    answer = await ask(agents)
    costs = {
        row["key"].rpartition(":")[2]: row["usage"] and row["usage"]["cost"]["total"]
        for row in answer["sessions"]
    }
    assert costs == {"v1": 1, "bare": 2, "torn": 1, "empty": 0, "garbage": 0, "folder": None}
    assert answer["totals"]["cost"]["total"] == 4


async def test_files_outside_the_roots_are_not_read(agents: Agents):
    agents.lay({KEY: stored("s1", 1), "agent:main:x": stored("s2", 2)})
    outside = agents.transcript("../../../../out.jsonl", HEADER, on("2026-01-01", "a", 1, 1))
    os.symlink(outside, agents.sessions() / "s1.jsonl")
    agents.transcript("s2.jsonl", HEADER, on("2026-01-01", "a", 1, 8))
    async with agents.daemon(roots=(str(agents.state),)) as client:
        answer = await client.request(METHOD, {})
    assert [row["usage"] is None for row in answer["sessions"]] == [False, True]
    assert answer["totals"]["cost"]["total"] == 8


async def test_a_store_that_cannot_be_examined_hides_no_other(agents: Agents):
    agents.lay({KEY: stored("s1", 1)})
    agents.lay({"agent:ops:main": stored("s1", 1)}, "ops")
    agents.store("else").mkdir(parents=True)
    roots = [str(agents.sessions()), str(agents.sessions("else"))]
    async with agents.daemon(roots=roots) as client:
        answer = await client.request(METHOD, {})
        refusals = []
        for agent in ("ops", "else"):
            with pytest.raises(RpcError) as refused:
                await client.request(METHOD, {"agentId": agent})
            refusals.append(refused.value.kind)
    assert [row["key"] for row in answer["sessions"]] == [KEY]
    assert sorted((problem["kind"], problem["path"]) for problem in answer["problems"]) == [
        # That there are others outside is not told.
        ("unreadableStore", str(agents.store("else"))),
    ]
    assert refusals == ["PathNotAllowed", "ReadFailed"]


async def test_values_of_unexpected_types_are_skipped_and_reported(agents: Agents):
    agents.lay({KEY: stored("s1", 1), "a": None, "b": "x", "c": {"updatedAt": "x"}})
    answer = await ask(agents)
    assert [row["key"] for row in answer["sessions"]] == [KEY, "agent:main:c"]
    assert answer["sessions"][1]["sessionId"] is answer["sessions"][1]["updatedAt"] is None
    assert [problem["sessionKey"] for problem in answer["problems"]] == ["a", "b"]


async def test_counting_writes_nothing(agents: Agents):
    agents.lay({"Main": stored("s1", 1)})
    agents.transcript("s1.jsonl", {**HEADER, "version": 2}, on("2026-01-01", "a", 1, 1))
    before = {path: path.read_bytes() for path in agents.sessions().iterdir()}
    await ask(agents)
    assert {path: path.read_bytes() for path in agents.sessions().iterdir()} == before


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"key": " "}, "/key"),
        ({"since": "2026-1-1"}, "/since"),
        ({"since": "2026-02-30"}, "/since"),
        ({"until": "0000-00-00"}, "/until"),
        ({"until": "2026-01-01T00:00:00Z"}, "/until"),
        ({"until": 3}, "/until"),
        ({"limit": 0}, "/limit"),
        ({"includeContextWeight": "yes"}, "/includeContextWeight"),
    ],
)
async def test_bad_params_are_refused_with_their_place(agents: Agents, params: Any, path: str):
    with pytest.raises(RpcError) as refused:
        await ask(agents, **params)
    assert (refused.value.code, refused.value.data["pointer"]) == (-32602, path)
