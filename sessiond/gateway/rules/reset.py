"""What is left of a session's entry when a client starts it over. Pure."""

from __future__ import annotations

from typing import Any, Final

from sessiond.gateway.store.entry import StoreEntry

KEPT: Final = (
    "thinkingLevel",
    "verboseLevel",
    "reasoningLevel",
    "responseUsage",
    "model",
    "contextTokens",
    "sendPolicy",
    "label",
    "origin",
    "lastChannel",
    "lastTo",
    "skillsSnapshot",
)
"""Members that go on with the new session."""

DROPPED: Final = frozenset(
    (
        "sessionFile",
        "spawnedBy",
        "spawnDepth",
        "chatType",
        "elevatedLevel",
        "ttsAuto",
        "execHost",
        "execSecurity",
        "execAsk",
        "execNode",
        "providerOverride",
        "modelOverride",
        "authProfileOverride",
        "authProfileOverrideSource",
        "authProfileOverrideCompactionCount",
        "groupActivation",
        "groupActivationNeedsSystemIntro",
        "queueMode",
        "queueDebounceMs",
        "queueCap",
        "queueDrop",
        "modelProvider",
        "compactionCount",
        "memoryFlushAt",
        "memoryFlushCompactionCount",
        "cliSessionIds",
        "claudeCliSessionId",
        "displayName",
        "channel",
        "provider",
        "groupId",
        "subject",
        "groupChannel",
        "space",
        "room",
        "deliveryContext",
        "lastAccountId",
        "lastThreadId",
        "lastProvider",
        "systemPromptReport",
        "lastHeartbeatText",
        "lastHeartbeatSentAt",
    )
)
"""Members that were the old session's. Those that nobody knows are kept."""


def started_over(entry: StoreEntry | None, session_id: str, now: int) -> StoreEntry:
    """The entry of the session that takes its place; `now` in epoch milliseconds.

    Less is kept than when a message starts a session over.
    """
    old = {} if entry is None else entry.members
    new: dict[str, Any] = {
        "sessionId": session_id,
        "updatedAt": now,
        "systemSent": False,
        "abortedLastRun": False,
        **{name: old[name] for name in KEPT if name in old},
        "inputTokens": 0,
        "outputTokens": 0,
        "totalTokens": 0,
        "totalTokensFresh": True,
    }
    unknown = {n: text for n, text in old.items() if n not in new and n not in DROPPED}
    return StoreEntry.of(new | unknown)
