"""The entry of a session after a client resets it. Pure."""

from __future__ import annotations

from typing import Any, Final

from sessiond.gateway.entry import StoreEntry
from sessiond.gateway.rules.route import with_normal_route

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
"""Members that the new session keeps."""

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
"""Members that are removed. Unknown members are kept."""


def started_over(entry: StoreEntry | None, session_id: str, now: int) -> StoreEntry:
    """The entry after a reset; `now` in epoch milliseconds.

    Fewer members are kept than when a message resets a session.
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
    return with_normal_route(StoreEntry.of(new | unknown))
