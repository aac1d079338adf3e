"""What is written into an entry after a turn: pure, with the clock as a parameter.

Everything here gives the members to change, for `Entry.changed`. As CoderClaw keeps its books,
except that the route and the place of a session do not count as activity.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import attrs

from sessiond.gateway.rules.memory_flush import DEFAULT_WINDOW
from sessiond.gateway.rules.token_counts import Tokens
from sessiond.gateway.store.entry import ABSENT, Entry

Changes = Mapping[str, Any]


@attrs.frozen
class Run:
    """What is known of a run that is over; None: not told."""

    used: Tokens | None = None
    """Of all its calls."""
    last: Tokens | None = None
    """Of its last call."""
    prompt_tokens: float | None = None
    """Size of the last prompt, where that is known better than from `last`."""
    provider: str | None = None
    model: str | None = None
    window: float | None = None
    """Context window, in tokens."""

    def prompt_size(self) -> float | None:
        if self.prompt_tokens is not None and self.prompt_tokens > 0:
            return self.prompt_tokens
        return None if self.last is None else self.last.prompt_size()


def touched(entry: Entry, changes: Changes, now: int) -> Entry:
    """The entry with these changes, active at `now` (epoch ms) if it was not later.

    An entry without a session id gets one.
    """
    before = entry.number("updatedAt")
    added: dict[str, Any] = {**changes}
    if entry.get("sessionId") is None:
        added["sessionId"] = str(uuid.uuid4())
    if before is None or before < now:
        added["updatedAt"] = now
    return entry.changed(added)


def usage_changes(entry: Entry, run: Run, window: float | None) -> dict[str, Any]:
    """The counters after a run. `window` stands in for the run's own, then the entry's does."""
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


def compaction_changes(entry: Entry, tokens_after: float | None) -> dict[str, Any]:
    """One more compaction, and the tokens it left, where that is known."""
    changes: dict[str, Any] = {"compactionCount": compactions(entry) + 1}
    if tokens_after is not None and tokens_after > 0:
        changes |= {
            "totalTokens": tokens_after,
            "totalTokensFresh": True,
            "inputTokens": ABSENT,
            "outputTokens": ABSENT,
        }
    return changes


def flush_changes(entry: Entry, now: int, *, compacted: bool) -> dict[str, Any]:
    """Memories were saved at `now`; the flush itself may have made a compaction due."""
    changes = compaction_changes(entry, None) if compacted else {}
    count = changes.get("compactionCount", compactions(entry))
    return {**changes, "memoryFlushAt": now, "memoryFlushCompactionCount": count}


def compactions(entry: Entry) -> int | float:
    """How many compactions the session has had."""
    return entry.number("compactionCount") or 0


CUT = dict.fromkeys(("inputTokens", "outputTokens", "totalTokens", "totalTokensFresh"), ABSENT)
"""After its transcript was cut nothing is known of a session's tokens."""
