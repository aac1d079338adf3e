"""Which sessions `session/list` and `session/listAll` have, in which order: against a naive model."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError
from support.commands import run
from support.mcp import mcp
from support.session_lines import line
from support.sessions_on_disk import write_session

HOUR = 3_600_000
BEGIN = 1_772_409_600_000
"""2026-03-02 in UTC."""
MODELS = ("acme/small", "acme/LARGE", "other/large")


def folder(home: Path, cwd: str) -> Path:
    return home / f".pi/agent/sessions/--{cwd.strip('/').replace('/', '-')}--"


def write(home: Path, number: int, chance: random.Random) -> dict[str, Any]:
    """Write a session; returns what a list must know of it."""
    created = BEGIN + chance.randrange(72) * HOUR
    modified = created + chance.randrange(48) * HOUR
    cwd = str(home / chance.choice(["shop", "shop/web", "shopping", "."]))
    name = chance.choice([None, "named"])
    path = folder(home, cwd) / f"{number}.jsonl"
    said = ["x" * chance.randrange(1, 300) for _ in range(chance.randrange(1, 4))]
    session_id = f"{number:08}-0000-7000-8000-000000000000"
    times = {"created": created, "modified": modified}
    write_session(path, *said, name=name, session_id=session_id, cwd=cwd, **times)
    model, cost = chance.choice(MODELS), chance.choice([0.0, 0.25, 1.5])
    provider, _, called = model.partition("/")
    used = {"input": 1, "output": 2, "totalTokens": 3, "cost": {"total": cost}}
    by = {"provider": provider, "model": called, "usage": used, "timestamp": modified}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "a"}], **by}
    with path.open("a") as out:
        out.write(line("answer", message=answer))
    messages = len(said) + 1
    facts = {"name": name, "cwd": cwd, "model": model, "cost": cost, "messages": messages}
    return {"id": session_id, **times, **facts, "size": path.stat().st_size, "path": str(path)}


def iso(ms: float) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat()


def expected(every: list[dict[str, Any]], asked: dict[str, Any], home: Path) -> list[str]:
    rows = [
        each
        for each in every
        if each["modified"] >= asked.get("from", 0)
        and each["created"] < asked.get("to", float("inf"))
        and asked.get("model", "").lower() in each["model"].lower()
        and (not asked.get("named") or each["name"])
        and (
            "project" not in asked
            or each["cwd"] == str(home / "shop")
            or each["cwd"].startswith(str(home / "shop") + "/")
        )
    ]
    member = asked.get("sort", "modified")
    rows.sort(key=lambda each: (each[member], each["modified"], each["path"]), reverse=True)
    return [each["id"] for each in rows]


@pytest.mark.parametrize("seed", range(4))
async def test_lists_are_those_of_a_naive_model_on_all_pages(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    home = tmp_path
    (home / "shop/web").mkdir(parents=True)
    (home / "shop/.git").mkdir()
    every = [write(home, number, chance) for number in range(40)]
    async with daemon(home) as client:
        for _ in range(30):
            asked: dict[str, Any] = {}
            if chance.random() < 0.5:
                asked["from"] = BEGIN + chance.randrange(120) * HOUR
            if chance.random() < 0.5:
                asked["to"] = BEGIN + chance.randrange(120) * HOUR
            if chance.random() < 0.3:
                asked["model"] = chance.choice(["large", "ACME", "acme/large", "none"])
            if chance.random() < 0.3:
                asked["named"] = True
            if chance.random() < 0.3:
                asked["project"] = str(home / chance.choice(["shop", "shop/web"]))
            if chance.random() < 0.7:
                asked["sort"] = chance.choice(["modified", "size", "messages", "cost"])
            params = {key: asked[key] for key in asked if key not in ("from", "to")}
            if "from" in asked:
                params["since"] = iso(asked["from"])
            if "to" in asked:
                params["until"] = iso(asked["to"])
            ids, cursor = [], None
            while True:
                page = await client.request(
                    "session/listAll", {**params, "limit": 7, "cursor": cursor}
                )
                ids += [info["id"] for info in page["sessions"]]
                cursor = page.get("nextCursor")
                if cursor is None:
                    break
            assert ids == expected(every, asked, home), asked
            assert page["total"] == len(ids)


async def test_a_cursor_belongs_to_its_filters(tmp_path: Path):
    chance = random.Random(1)
    for number in range(3):
        write(tmp_path, number, chance)
    async with daemon(tmp_path) as client:
        page = await client.request("session/listAll", {"limit": 1, "sort": "size"})
        refused = {"limit": 1, "sort": "cost", "cursor": page["nextCursor"]}
        with pytest.raises(RpcError, match="another list"):
            await client.request("session/listAll", refused)


async def test_usage_comes_with_a_page_that_asks_for_it(tmp_path: Path):
    facts = write(tmp_path, 1, random.Random(2))
    async with daemon(tmp_path) as client:
        (info,) = (await client.request("session/listAll", {"includeUsage": True}))["sessions"]
        usage = {"tokens": 3, "cost": facts["cost"], "withoutCost": 0, "models": [facts["model"]]}
        assert info["usage"] == usage
        (info,) = (await client.request("session/listAll", {"sort": "cost"}))["sessions"]
        assert "usage" not in info


async def test_the_home_directory_is_no_project(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    for number, cwd in enumerate([tmp_path, tmp_path / "below"]):
        cwd.mkdir(exist_ok=True)
        path = folder(tmp_path, str(cwd)) / f"{number}.jsonl"
        write_session(path, "x", session_id=f"s{number}", cwd=str(cwd))
    async with daemon(tmp_path) as client:
        found = await client.request("session/listAll", {"project": str(tmp_path)})
        assert [info["id"] for info in found["sessions"]] == ["s0"]
        found = await client.request("session/listAll", {"project": str(tmp_path / "below")})
        assert [info["id"] for info in found["sessions"]] == ["s1"]


async def test_partial_results_have_no_session_that_the_list_leaves_out(tmp_path: Path):
    projects = tmp_path / ".claude/projects/-w"
    main = projects / "11111111-2222-4333-8444-555555555555.jsonl"
    sub = projects / "11111111-2222-4333-8444-555555555555/subagents/agent-abc.jsonl"
    for path, more in ((main, {}), (sub, {"isSidechain": True, "agentId": "abc"})):
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"type": "user", "uuid": path.stem, "parentUuid": None, "cwd": "/w", **more}
        told |= {"sessionId": main.stem, "timestamp": "2026-03-02T00:00:00.000Z"}
        path.write_text(
            json.dumps({**told, "message": {"role": "user", "content": "hello"}}) + "\n"
        )
    for limit in (None, 1):
        async with daemon(tmp_path, profile="claude-code") as client:
            params = {"partialResultToken": "t", "limit": limit}
            answer = await client.request("session/listAll", params)
            assert [info["id"] for info in answer["sessions"]] == [main.stem]
            client.end_input()
            reports = [
                each.value["params"]["value"]["sessions"]
                for each in await client.rest()
                if each.value.get("method") == "$/progress"
            ]
            assert reports
            assert {info["id"] for report in reports for info in report} == {main.stem}


async def test_a_period_means_the_same_to_the_command_and_to_agents(tmp_path: Path):
    day = 24 * HOUR
    path = folder(tmp_path, str(tmp_path)) / "a.jsonl"
    times = {"created": BEGIN, "modified": BEGIN + 4 * day}
    write_session(path, "x", session_id="monday-to-friday", cwd=str(tmp_path), **times)
    period = {"since": "2026-03-03", "until": "2026-03-04"}
    options = [f"--{name}={text}" for name, text in period.items()]
    assert "monday-to-friday" in run(tmp_path, "list", "--all", "--json", *options).stdout
    async with mcp(tmp_path, everywhere=True) as client:
        assert len((await client.call("list_sessions", **period))["sessions"]) == 1
        earlier = {"until": "2026-03-01"}
        assert len((await client.call("list_sessions", **earlier))["sessions"]) == 0


async def test_the_ends_of_the_calendar_are_no_limits(tmp_path: Path):
    write(tmp_path, 1, random.Random(2))
    async with daemon(tmp_path) as client:
        for params in ({"until": "9999-12-31"}, {"since": "0001-01-01"}):
            assert (await client.request("session/listAll", params))["total"] == 1
        assert (await client.request("session/listAll", {"since": "9999-12-31"}))["total"] == 0
