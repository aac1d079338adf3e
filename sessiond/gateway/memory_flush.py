"""Decide whether the agent should save its memories before the context is compacted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
from sessiond_protocol.gateway.replies import PlanMemoryFlushParams

from sessiond.gateway.config import Part, finite, is_number
from sessiond.gateway.keys import trim
from sessiond.gateway.settings import DEFAULT_WINDOW
from sessiond.gateway.silence import SILENT_TOKEN
from sessiond.runtime.clock import Zone, local, zone, zone_name

DEFAULT_FLOOR = 20_000
DEFAULT_SOFT = 4_000

DEFAULT_PROMPT = (
    "This is a pre-compaction memory flush. Write everything worth remembering to"
    " memory/YYYY-MM-DD.md now, and create memory/ if there is none. If the file exists, APPEND to"
    f" it and do not overwrite what it holds. If there is nothing to store, reply with"
    f" {SILENT_TOKEN}."
)
DEFAULT_SYSTEM_PROMPT = (
    "This is a pre-compaction memory flush turn: the session is close to auto-compaction. Capture"
    f" durable memories to disk. You may reply, but {SILENT_TOKEN} is usually the right reply."
)
_HINT = f"\n\nIf no user-visible reply is needed, start with {SILENT_TOKEN}."
_TIME = "Current time:"


@attrs.frozen
class FlushSettings:
    """The settings of memory flushes in `agents.defaults`."""

    enabled: bool
    window: float
    """Context window in tokens if that of the model is unknown."""
    floor: int
    soft: int
    prompt: str
    system_prompt: str
    timezone: Zone

    @classmethod
    def of(cls, config: Part) -> FlushSettings:
        defaults = config.part("agents").part("defaults")
        compaction = defaults.part("compaction")
        memory = compaction.part("memoryFlush")
        window = defaults.number("contextTokens")
        return cls(
            memory.flag("enabled") is not False,
            DEFAULT_WINDOW if window is None or not math.isfinite(window) else window,
            _natural(compaction.number("reserveTokensFloor"), DEFAULT_FLOOR),
            _natural(memory.number("softThresholdTokens"), DEFAULT_SOFT),
            _hinted(trim(memory.text("prompt") or "") or DEFAULT_PROMPT),
            _hinted(trim(memory.text("systemPrompt") or "") or DEFAULT_SYSTEM_PROMPT),
            _configured_zone(defaults),
        )

    def threshold(self, window: float | None) -> int:
        """The number of tokens at which a flush is due; 0 if the window is too small."""
        size = self.window if window is None else window
        return max(0, max(1, math.floor(size)) - self.floor - self.soft)


def _natural(number: float | None, otherwise: int) -> int:
    if number is None or not math.isfinite(number) or number < 0:
        return otherwise
    return math.floor(number)


def _hinted(prompt: str) -> str:
    return prompt if SILENT_TOKEN in prompt else prompt + _HINT


def _configured_zone(defaults: Part) -> Zone:
    name = trim(defaults.text("userTimezone") or "")
    if not name:
        return None
    try:
        return zone(name)
    except ValueError as error:
        defaults.problems[f"{defaults.where}.userTimezone"] = f"{error}; ignored"
        return None


def flush_reason(
    settings: FlushSettings,
    entry: Mapping[str, Any],
    threshold: int,
    turn: PlanMemoryFlushParams,
) -> str:
    """`due` before this turn, or the first reason why not; `entry` gives the counters."""
    total = finite(entry.get("totalTokens")) or 0
    reasons = {
        "disabled": not settings.enabled,
        "workspaceNotWritable": turn.sandboxed and turn.workspaceAccess != "rw",
        "heartbeat": turn.heartbeat,
        "cliProvider": turn.cliProvider,
        "tokensUnknown": total <= 0 or entry.get("totalTokensFresh") is False,
        "windowTooSmall": threshold <= 0,
        "belowThreshold": total < threshold,
        "alreadyFlushed": _flushed(entry),
    }
    return next((reason for reason, holds in reasons.items() if holds), "due")


def _flushed(entry: Mapping[str, Any]) -> bool:
    """Whether the last flush was in the current compaction cycle."""
    flushed, count = entry.get("memoryFlushCompactionCount"), entry.get("compactionCount")
    if count is None:
        count = 0
    return is_number(flushed) and is_number(count) and flushed == count


def dated(prompt: str, now: float, where: Zone) -> str:
    """The prompt with today's date for `YYYY-MM-DD`, and the time unless the prompt has it."""
    wall = local(now, where)
    text = prompt.replace("YYYY-MM-DD", f"{wall:%Y-%m-%d}")
    if _TIME in text:
        return text
    return f"{text}\n{_TIME} {wall:%Y-%m-%d %H:%M} ({zone_name(now, where)})"
