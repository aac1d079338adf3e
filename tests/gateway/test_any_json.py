"""Whatever stands in a store, a transcript or a configuration: every method answers.

A value of a type that no gateway writes is passed over or reported; an error says what is wrong.
None of it is an internal error.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sessiond_protocol.registry import METHODS
from support.agents import HEADER, Agents, message
from support.anyjson import spoiled
from support.client import Client, RpcError
from support.jsonwire import JsonText, dumps

INTERNAL_ERROR = -32603
KEY = "agent:main:main"
GROUP = "agent:main:telegram:group:-100:topic:5"
RUN = "agent:main:cron:j:run:r"
ENTRY: dict[str, Any] = {
    "sessionId": "s1",
    "updatedAt": 1_770_000_000_000,
    "sessionFile": "s1.jsonl",
    "spawnedBy": KEY,
    "spawnDepth": 1,
    "systemSent": True,
    "abortedLastRun": False,
    "chatType": "group",
    "thinkingLevel": "low",
    "sendPolicy": "allow",
    "inputTokens": 1,
    "outputTokens": 2,
    "totalTokens": 3,
    "totalTokensFresh": True,
    "modelProvider": "p",
    "model": "m",
    "modelOverride": "o",
    "providerOverride": "q",
    "contextTokens": 100_000,
    "compactionCount": 1,
    "memoryFlushAt": 1,
    "memoryFlushCompactionCount": 1,
    "label": "mine",
    "displayName": "Mine",
    "provider": "telegram",
    "channel": "telegram",
    "room": "#r",
    "groupId": "-100",
    "subject": "S",
    "groupChannel": "#g",
    "space": "sp",
    "origin": {"label": "L", "provider": "telegram", "from": "x", "to": "y", "threadId": 5},
    "deliveryContext": {"channel": "telegram", "to": "y", "accountId": "a", "threadId": 5},
    "lastProvider": "telegram",
    "lastChannel": "telegram",
    "lastTo": "y",
    "lastAccountId": "a",
    "lastThreadId": "5",
    "systemPromptReport": {"source": "run"},
    "unknown": None,
}
STORE = {
    KEY: {name: value for name, value in ENTRY.items() if name not in {"displayName", "subject"}},
    GROUP: {**ENTRY, "sessionId": "s2", "sessionFile": "s2.jsonl", "label": "other"},
    RUN: {"sessionId": "s1", "updatedAt": 1},
    "main": {"sessionId": "s3", "updatedAt": 2, "spawnedBy": "Main"},
    "global": {"sessionId": "s4"},
    "odd": None,
}
USAGE = {
    "input": 1,
    "output": 2,
    "cacheRead": 3,
    "cacheWrite": 4,
    "totalTokens": 10,
    "cost": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "total": 10},
}
CALL = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "/x"}}
TRANSCRIPT = [
    HEADER,
    message("a", None, "user", [{"type": "text", "text": "hello"}], provenance={"kind": "x"}),
    message("b", "a", "assistant", [{"type": "text", "text": "hi"}, CALL], usage=USAGE, model="m"),
    message("c", "b", "toolResult", toolName="read", usage=USAGE, timestamp=1),
    {**message("d", "c", "user"), "type": "compaction", "firstKeptEntryId": "a", "usage": USAGE},
    message("e", "d", "user", "more"),
]
RESET = {"mode": "idle", "atHour": 4, "idleMinutes": 5}
CONFIG = {
    "session": {
        "scope": "per-sender",
        "mainKey": "main",
        "identityLinks": {"ada": ["telegram:1"]},
        "resetTriggers": ["/new"],
        "idleMinutes": 5,
        "reset": RESET,
        "resetByType": {"direct": RESET, "dm": RESET, "group": RESET, "thread": RESET},
        "resetByChannel": {"telegram": RESET},
        "sendPolicy": {
            "default": "allow",
            "rules": [
                {
                    "action": "deny",
                    "match": {"channel": "irc", "chatType": "group", "keyPrefix": "x"},
                }
            ],
        },
        "maintenance": {
            "mode": "warn",
            "pruneAfter": "30d",
            "pruneDays": 3,
            "maxEntries": 500,
            "rotateBytes": "10mb",
        },
    },
    "agents": {
        "defaults": {
            "model": {"primary": "p/m"},
            "models": {"p/m": {"alias": "quick"}},
            "workspace": "~/w",
            "contextTokens": 1000,
            "userTimezone": "UTC",
            "compaction": {
                "reserveTokensFloor": 1,
                "memoryFlush": {"enabled": True, "softThresholdTokens": 1, "prompt": "p"},
            },
        },
        "list": [{"id": "main", "default": True, "model": "p/m", "groupChat": {"x": 1}}],
    },
    "models": {"providers": {"p": {"models": [{"id": "m", "contextWindow": 5}]}}},
    "channels": {"telegram": {"accounts": {}}},
    "messages": {"groupChat": {"mentionPatterns": ["@bot"]}},
    "cron": {"sessionRetention": "24h"},
}
MESSAGE = {
    "SessionKey": GROUP,
    "From": "telegram:group:-100:topic:5",
    "ChatType": "group",
    "Provider": "telegram",
    "Body": "/new hello",
    "MessageThreadId": 5,
    "ParentSessionKey": KEY,
}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("gateway/list", {"includeDerivedTitles": True, "includeLastMessage": True}),
    ("gateway/list", {"includeGlobal": True, "search": "m", "spawnedBy": KEY, "label": "mine"}),
    ("gateway/get", {"sessionKey": "main"}),
    ("gateway/get", {"sessionKey": GROUP}),
    ("gateway/preview", {"keys": [KEY, GROUP, "main", "odd"]}),
    ("gateway/usage", {"includeContextWeight": True}),
    ("gateway/usage", {"key": KEY, "startDate": "2026-01-01"}),
    ("gateway/resolve", {"sessionId": "s2"}),
    ("gateway/resolve", {"label": "mine"}),
    ("gateway/subscribe", {}),
    ("gateway/unsubscribe", {"subscription": "g1"}),
    ("gateway/maintain", {"mode": "warn"}),
    ("gateway/maintain", {"mode": "enforce", "dryRun": True}),
    ("gateway/migrate", {"dryRun": True}),
    ("gateway/begin", {"context": MESSAGE, "dryRun": True, "now": 1_770_000_100_000}),
    ("gateway/begin", {"context": {"Body": "hello"}, "dryRun": True}),
    ("gateway/memoryFlush", {"sessionKey": KEY}),
    ("gateway/resolveKey", {"key": "main"}),
    ("gateway/resolveKey", {"context": {"From": "telegram:group:1"}}),
    ("gateway/buildKey", {"agentId": "main", "channel": "telegram", "peerId": "1"}),
    ("gateway/transcriptPath", {"sessionId": "s1"}),
    ("gateway/isSilentReply", {"text": "NO_REPLY"}),
    # From here on the store is written to.
    ("gateway/resolve", {"key": "main"}),
    ("gateway/patch", {"key": GROUP, "label": "new", "model": "quick", "spawnDepth": None}),
    ("gateway/recordUsage", {"sessionKey": KEY, "usage": {"input": 1, "output": 2}}),
    ("gateway/recordCompaction", {"sessionKey": KEY, "tokensAfter": 5}),
    ("gateway/recordMemoryFlush", {"sessionKey": KEY, "compactions": 1}),
    ("gateway/recordRoute", {"sessionKey": KEY, "context": MESSAGE, "to": "z", "threadId": 7}),
    ("gateway/compact", {"key": KEY, "maxLines": 2}),
    ("gateway/begin", {"context": MESSAGE}),
    ("gateway/begin", {"context": {"Body": "hello"}}),
    ("gateway/reset", {"key": GROUP}),
    ("gateway/maintain", {"mode": "enforce"}),
    ("gateway/delete", {"key": GROUP}),
    ("gateway/migrate", {}),
    ("gateway/list", {}),
]
SENT = {
    "gateway/sendPolicy": {"sessionKey": GROUP},
    "gateway/memoryFlush": {},
    "gateway/evaluateFreshness": {"resetType": "group", "now": 1},
    "gateway/list": {"storePath": "/nowhere/sessions.json"},
}
"""Methods that a client gives entries and configurations to."""


def test_every_method_is_called():
    called = {method for method, _ in CALLS} | set(SENT)
    assert called == {name for name in METHODS if name.startswith("gateway/")}


async def call(client: Client, method: str, params: dict[str, Any]) -> None:
    try:
        await client.request(method, params)
    except RpcError as error:
        assert error.code != INTERNAL_ERROR, f"{method}: {error.message}"


async def call_all(home: Path, store: str, transcript: list[str], config: str) -> None:
    agents = Agents(home / "state")
    agents.sessions().mkdir(parents=True)
    agents.store().write_text(store)
    for name in ("s1.jsonl", "s2.jsonl"):
        (agents.sessions() / name).write_text("".join(f"{line}\n" for line in transcript))
    legacy = agents.state / "sessions"
    legacy.mkdir()
    (legacy / "sessions.json").write_text(store)
    (agents.state / "coderclaw.json").write_text(config)
    async with agents.daemon() as client:
        for method, params in CALLS:
            await call(client, method, params)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    numbers = iter(range(1_000_000))
    base = tmp_path_factory.mktemp("any")

    def home() -> Path:
        path = base / str(next(numbers))
        path.mkdir()
        return path

    return home


@settings(max_examples=20, phases=[Phase.reuse, Phase.generate])
@given(spoiled(STORE, 40), st.tuples(*map(spoiled, TRANSCRIPT)), spoiled(CONFIG, 12))
def test_no_value_anywhere_is_an_internal_error(
    homes: Any, store: str, transcript: tuple[str, ...], config: str
):
    asyncio.run(call_all(homes(), store, list(transcript), config))


@given(spoiled(ENTRY, 20), spoiled(CONFIG, 12))
def test_nor_is_one_that_a_client_sends(homes: Any, entry: str, config: str):
    async def ask() -> None:
        async with Agents(homes()).daemon() as client:
            for method, more in SENT.items():
                sent = dumps(more | {"entry": JsonText(entry), "config": JsonText(config)})
                request = {"jsonrpc": "2.0", "id": f"{method} raw", "method": method}
                client.write(dumps(request | {"params": JsonText(sent)}).encode())
                answer = (await client.receive()).value
                assert answer.get("error", {}).get("code") != INTERNAL_ERROR, answer

    asyncio.run(ask())
