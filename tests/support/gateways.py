"""A gateway's files with every member that a rule reads, and a request for every method."""

from __future__ import annotations

from typing import Any

from support.agents import HEADER, message

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

READING: list[tuple[str, dict[str, Any]]] = [
    ("gateway/list", {"includeDerivedTitles": True, "includeLastMessage": True}),
    ("gateway/list", {"includeGlobal": True, "search": "m", "spawnedBy": KEY, "label": "mine"}),
    ("gateway/get", {"sessionKey": "main"}),
    ("gateway/get", {"sessionKey": GROUP}),
    ("gateway/subscribe", {}),
    ("gateway/unsubscribe", {"subscription": "g1"}),
    ("gateway/maintain", {"mode": "warn"}),
    ("gateway/maintain", {"mode": "enforce", "dryRun": True}),
    ("gateway/begin", {"context": MESSAGE, "dryRun": True, "now": 1_770_000_100_000}),
    ("gateway/begin", {"context": {"Body": "hello"}, "dryRun": True}),
    ("gateway/planMemoryFlush", {"sessionKey": KEY}),
    ("gateway/resolveKey", {"key": "main"}),
    ("gateway/resolveKey", {"context": {"From": "telegram:group:1"}}),
    ("gateway/isSilentReply", {"text": "NO_REPLY"}),
]
"""Requests that change nothing on disk."""
WRITING: list[tuple[str, dict[str, Any]]] = [
    ("gateway/patch", {"key": GROUP, "label": "new", "model": "p/m"}),
    ("gateway/recordUsage", {"sessionKey": KEY, "usage": {"input": 1, "output": 2}}),
    ("gateway/recordCompaction", {"sessionKey": KEY, "tokensAfter": 5}),
    ("gateway/recordMemoryFlush", {"sessionKey": KEY, "compactions": 1}),
    ("gateway/begin", {"context": MESSAGE}),
    ("gateway/begin", {"context": {"Body": "hello"}}),
    ("gateway/reset", {"key": GROUP}),
    ("gateway/maintain", {"mode": "enforce"}),
    ("gateway/delete", {"key": GROUP}),
    ("gateway/list", {}),
]
CALLS = [*READING, *WRITING]
