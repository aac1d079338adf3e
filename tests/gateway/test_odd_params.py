"""The methods on a connection: odd params are answered, whatever they hold, and no file is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError

ODD = [
    "",
    " ",
    "\0",
    "\ud800",
    "a\nb",
    ":",
    "agent:",
    "agent:a:\ud83d",
    "../..",
    "/",
    "é" * 300,
    "-" * 10_000,
]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("gateway/resolveKey", {"key": None}),
    ("gateway/resolveKey", {"key": "x", "agentId": None}),
    ("gateway/resolveKey", {"context": {"From": None, "ChatType": "group"}}),
    ("gateway/resolveKey", {"context": {"SessionKey": None}}),
    ("gateway/resolveKey", {"context": {"From": "a:b", "ChatType": "group", "Provider": None}}),
    ("gateway/evaluateFreshness", {"now": 0, "resetType": "direct", "channel": None}),
    ("gateway/evaluateFreshness", {"now": 0, "resetType": "direct", "timezone": None}),
    ("gateway/isSilentReply", {"text": None, "streaming": True}),
    ("gateway/isSilentReply", {"text": "x", "token": None, "streaming": True}),
    ("gateway/planMemoryFlush", {"entry": {}, "timezone": None}),
]


@pytest.mark.parametrize("framing", ["header", "line"])
async def test_unusual_texts_are_answered_or_refused_clearly(tmp_path: Path, framing: str):
    async with daemon(tmp_path, framing=framing) as client:
        for method, params in CALLS:
            for odd in ODD:
                filled = json.loads(json.dumps(params), object_hook=lambda found: _fill(found, odd))  # noqa: B023
                try:
                    await client.request(method, filled)
                except RpcError as error:
                    known = {-32602: "InvalidParams", 1016: "GatewayRejected"}
                    assert error.kind == known.get(error.code), (method, filled, error)


def _fill(found: dict[str, Any], odd: str) -> dict[str, Any]:
    return {name: odd if value is None else value for name, value in found.items()}


BAD_PARTS: list[Any] = [
    3,
    "x",
    [],
    [3],
    True,
    {"list": 3},
    {"list": [3, {"id": 3}]},
    {"defaults": []},
]
BAD_PARTS += [{"reset": 3, "resetByType": [], "resetByChannel": 0, "scope": {}, "mainKey": []}]
BAD_PARTS += [{"sendPolicy": {"rules": [{"match": 3, "action": "deny"}], "default": 1}}]
BAD_PARTS += [{"defaults": {"compaction": {"memoryFlush": {"prompt": 3}}, "contextTokens": "1"}}]
BAD_PARTS += [{"defaults": {"contextTokens": 1e308, "userTimezone": "../x"}}]
BAD_PARTS += [{"reset": {"mode": "idle", "idleMinutes": 1e308, "atHour": -1e308}}]


@pytest.mark.parametrize("part", BAD_PARTS, ids=json.dumps)
async def test_a_bad_configuration_is_reported_and_its_valid_parts_apply(tmp_path: Path, part: Any):
    config = {"session": part, "agents": part, "channels": part}
    async with daemon(tmp_path) as client:
        for method, params in [
            ("gateway/resolveKey", {"key": "main"}),
            ("gateway/resolveKey", {"context": {}}),
            ("gateway/evaluateFreshness", {"now": 0, "resetType": "direct", "channel": "discord"}),
            ("gateway/planMemoryFlush", {"entry": {"totalTokens": 10**6}, "timezone": "UTC"}),
        ]:
            result = await client.request(method, {**params, "config": config})
            if not isinstance(part, dict):
                assert result["configProblems"]


async def test_an_unknown_configured_time_zone_is_reported(tmp_path: Path):
    config = {"agents": {"defaults": {"userTimezone": "Mars"}}}
    async with daemon(tmp_path) as client:
        result = await client.request("gateway/planMemoryFlush", {"entry": {}, "config": config})
    assert [problem["path"] for problem in result["configProblems"]] == [
        "agents.defaults.userTimezone"
    ]


NUMBERS = [
    *("updatedAt", "totalTokens", "contextTokens", "inputTokens", "compactionCount"),
    *("lastThreadId", "memoryFlushCompactionCount", "spawnDepth"),
]


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "1e400"])
async def test_numbers_beyond_all_bounds_are_skipped_and_kept(tmp_path: Path, number: str):
    store = tmp_path / "agents" / "main" / "sessions" / "sessions.json"
    store.parent.mkdir(parents=True)
    counted = ",".join(f'"{name}":{number}' for name in NUMBERS)
    route = f'"deliveryContext":{{"threadId":{number}}},"origin":{{"threadId":{number}}}'
    store.write_text(f'{{"agent:main:a":{{"sessionId":"s","pad":{number},{counted},{route}}}}}')
    key = "agent:main:a"
    config = {"session": {"idleMinutes": 5}, "agents": {"defaults": {"contextTokens": 5}}}
    sent = json.dumps(config).replace("5", number)
    async with daemon(tmp_path, profile="coderclaw", agent_dir=str(tmp_path)) as client:
        for method, params in [
            ("gateway/list", {}),
            ("gateway/maintain", {"mode": "warn"}),
            ("gateway/planMemoryFlush", {"sessionKey": key}),
            ("gateway/patch", {"key": key, "thinkingLevel": "high"}),
            ("gateway/recordUsage", {"sessionKey": key, "usage": {"input": 1}}),
            ("gateway/recordCompaction", {"sessionKey": key}),
            ("gateway/begin", {"context": {"SessionKey": key, "Body": "hi"}}),
        ]:
            await client.request(method, params)
            if number != "1e400":
                await client.request(method, {**params, "config": json.loads(sent)})
    assert f'"pad": {number}' in store.read_text()
