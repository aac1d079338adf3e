"""Changes of an entry after a turn, and when a client resets it. Pure: the clock is a parameter."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from sessiond_protocol.gateway.record import RecordUsageParams
from sessiond_protocol.wire import given

from sessiond.gateway.entry import ABSENT, StoreEntry
from sessiond.gateway.origin import with_normal_route
from sessiond.gateway.settings import DEFAULT_WINDOW

Changes = Mapping[str, Any]


def touched(entry: StoreEntry, changes: Changes, now: int) -> StoreEntry:
    """The entry with these changes and `updatedAt` of at least `now` (epoch ms).

    An entry without a session id gets one.
    """
    before = entry.number("updatedAt")
    added: dict[str, Any] = {**changes}
    if entry.get("sessionId") is None:
        added["sessionId"] = str(uuid.uuid4())
    if before is None or before < now:
        added["updatedAt"] = now
    return entry.changed(added)


def usage_changes(
    entry: StoreEntry, run: RecordUsageParams, window: float | None
) -> dict[str, Any]:
    """The counters after a run. `window` is used if the run has none, then the entry's."""
    changes: dict[str, Any] = {}
    used = given(run.usage)
    if used is not None and any(map(given, vars(used).values())):
        size = _prompt_size(run)
        changes = {
            "inputTokens": given(used.input) or 0,
            "outputTokens": given(used.output) or 0,
            "totalTokens": ABSENT if size is None else size,
            "totalTokensFresh": size is not None,
        }
    named = {"modelProvider": given(run.provider), "model": given(run.model)}
    changes |= {name: value for name, value in named.items() if value}
    window_size = (
        given(run.contextWindow) or window or entry.number("contextTokens") or DEFAULT_WINDOW
    )
    if window_size != entry.get("contextTokens"):
        changes["contextTokens"] = window_size
    return changes


def compaction_changes(entry: StoreEntry, tokens_after: float | None) -> dict[str, Any]:
    """The counters after a compaction, with the tokens left if known."""
    changes: dict[str, Any] = {"compactionCount": compactions(entry) + 1}
    if tokens_after is not None and tokens_after > 0:
        changes |= {
            "totalTokens": tokens_after,
            "totalTokensFresh": True,
            "inputTokens": ABSENT,
            "outputTokens": ABSENT,
        }
    return changes


def flush_changes(entry: StoreEntry, now: int, *, compacted: bool) -> dict[str, Any]:
    """The counters after a memory flush at `now`; `compacted` if it led to a compaction."""
    changes = compaction_changes(entry, None) if compacted else {}
    count = changes.get("compactionCount", compactions(entry))
    return {**changes, "memoryFlushAt": now, "memoryFlushCompactionCount": count}


def compactions(entry: StoreEntry) -> int | float:
    """The number of the session's compactions."""
    return entry.number("compactionCount") or 0


def _prompt_size(run: RecordUsageParams) -> float | None:
    """Tokens of the last call's prompt without its output; None if unknown."""
    exact, last = given(run.promptTokens), given(run.lastCallUsage)
    if exact or last is None:
        return exact or None
    parts = sum(given(part) or 0 for part in (last.input, last.cacheRead, last.cacheWrite))
    return parts or given(last.totalTokens) or None


KEPT: Final = (
    *("thinkingLevel", "verboseLevel", "reasoningLevel", "responseUsage", "model"),
    *("contextTokens", "sendPolicy", "label", "origin", "lastChannel", "lastTo"),
    "skillsSnapshot",
)
"""Members that the new session keeps."""

DROPPED: Final = {
    *("sessionFile", "spawnedBy", "spawnDepth", "chatType", "elevatedLevel", "ttsAuto"),
    *("execHost", "execSecurity", "execAsk", "execNode"),
    *("providerOverride", "modelOverride", "modelProvider", "cliSessionIds", "claudeCliSessionId"),
    *("authProfileOverride", "authProfileOverrideSource", "authProfileOverrideCompactionCount"),
    *("groupActivation", "groupActivationNeedsSystemIntro"),
    *("queueMode", "queueDebounceMs", "queueCap", "queueDrop"),
    *("compactionCount", "memoryFlushAt", "memoryFlushCompactionCount", "systemPromptReport"),
    *("displayName", "channel", "groupId", "subject", "groupChannel", "space"),
    *("deliveryContext", "lastAccountId", "lastThreadId"),
    *("lastHeartbeatText", "lastHeartbeatSentAt"),
}
"""Members that are removed. Unknown members are kept."""


def started_over(entry: StoreEntry | None, session_id: str, now: int) -> StoreEntry:
    """The entry after a reset; `now` in epoch milliseconds.

    Fewer members are kept than when a message resets a session.
    """
    old = {} if entry is None else entry.with_present_names().members
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
