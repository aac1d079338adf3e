"""Compute the changes of an entry after a turn. Pure: the clock is a parameter.

Functions return the members to change, for `StoreEntry.changed`. As in CoderClaw, except that
changes of the route and place of a session do not count as activity.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import attrs

from sessiond.gateway.config.reader import finite
from sessiond.gateway.rules.memory_flush import DEFAULT_WINDOW
from sessiond.gateway.store.entry import ABSENT, StoreEntry

Changes = Mapping[str, Any]


@attrs.frozen
class FinishedRun:
    """A finished run; None means unknown."""

    used: Tokens | None = None
    """Tokens of all its calls."""
    last: Tokens | None = None
    """Tokens of its last call."""
    prompt_tokens: float | None = None
    """Size of the last prompt, if known more exactly than from `last`."""
    provider: str | None = None
    model: str | None = None
    window: float | None = None
    """Context window, in tokens."""

    def prompt_size(self) -> float | None:
        if self.prompt_tokens is not None and self.prompt_tokens > 0:
            return self.prompt_tokens
        return None if self.last is None else self.last.prompt_size()


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


def usage_changes(entry: StoreEntry, run: FinishedRun, window: float | None) -> dict[str, Any]:
    """The counters after a run. `window` is used if the run has none, then the entry's."""
    changes: dict[str, Any] = {}
    if run.used is not None and run.used.any:
        size = run.prompt_size()
        changes = {
            "inputTokens": run.used.input or 0,
            "outputTokens": run.used.output or 0,
            "totalTokens": ABSENT if size is None else size,
            "totalTokensFresh": size is not None,
        }
    named = {"modelProvider": run.provider, "model": run.model}
    changes |= {name: value for name, value in named.items() if value}
    known = run.window or window or entry.number("contextTokens") or DEFAULT_WINDOW
    if known != entry.get("contextTokens"):
        changes["contextTokens"] = known
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


_NAMES = {
    "input": ("input", "inputTokens", "input_tokens", "promptTokens", "prompt_tokens"),
    "output": (
        "output",
        "outputTokens",
        "output_tokens",
        "completionTokens",
        "completion_tokens",
    ),
    "cache_read": ("cacheRead", "cache_read", "cache_read_input_tokens"),
    "cache_write": ("cacheWrite", "cache_write", "cache_creation_input_tokens"),
    "total": ("total", "totalTokens", "total_tokens"),
}
"""The names providers use for each count; the first that is not null is read."""

NAMES = tuple(name for names in _NAMES.values() for name in names)


@attrs.frozen
class Tokens:
    """Token counts of a run or a call; None if absent or not a finite number."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    total: float | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Tokens:
        return cls(*(_first(members, names) for names in _NAMES.values()))

    @property
    def any(self) -> bool:
        """Whether any count is above zero."""
        counts = (self.input, self.output, self.cache_read, self.cache_write, self.total)
        return any(count is not None and count > 0 for count in counts)

    def prompt_size(self) -> float | None:
        """Tokens of the call's prompt without its output; None if unknown."""
        parts = (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)
        if parts > 0:
            return parts
        known = self.total if self.total is not None else self.input
        return known if known is not None and known > 0 else None


def _first(members: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    value = next((members[name] for name in names if members.get(name) is not None), None)
    return finite(value)
