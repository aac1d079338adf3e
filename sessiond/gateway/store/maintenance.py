"""Which sessions a store is kept free of: too old ones, too many, and runs of jobs. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, cast

import attrs

from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys import session_key
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.snapshot import Items

Mode = Literal["enforce", "warn"]
Locate = Callable[[str, StoreEntry], Iterable[str]]
"""Where the transcript of a key's entry may lie."""
Isolate = Callable[[str], AbstractContextManager[object]]
"""Runs a step for the entry of a key, and keeps what it raises from the others."""

_SECOND = 1000
_HOUR = 3600 * _SECOND
_DAY = 24 * _HOUR
_TIMES = {"ms": 1, "s": _SECOND, "m": 60 * _SECOND, "h": _HOUR, "d": _DAY}
_SIZES = {
    unit: 1024**power
    for power, units in enumerate((("b",), ("kb", "k"), ("mb", "m"), ("gb", "g"), ("tb", "t")))
    for unit in units
}


@attrs.frozen
class MaintenanceSettings:
    """`session.maintenance`, and how long runs of jobs are remembered. Times in milliseconds."""

    mode: Mode = "warn"
    prune_after: int = 30 * _DAY
    max_entries: int = 500
    rotate_bytes: int = 10 * 1024**2
    cron_retention: int | None = _DAY
    """None: for ever."""

    @classmethod
    def of(cls, config: Part) -> MaintenanceSettings:
        """What a configuration says; for what does not fit the default holds."""
        part = config.part("session").part("maintenance")
        has_prune_after = (part.members or {}).get("pruneAfter") is not None
        prune_after = part.amount("pruneAfter" if has_prune_after else "pruneDays", _TIMES, "d")
        rotate_bytes = part.amount("rotateBytes", _SIZES, "b")
        default = cls()
        return cls(
            cast("Mode | None", part.choice("mode", ("enforce", "warn"))) or default.mode,
            default.prune_after if prune_after is None else prune_after,
            part.count("maxEntries") or default.max_entries,
            default.rotate_bytes if rotate_bytes is None else rotate_bytes,
            _cron_retention(config.part("cron"), default.cron_retention),
        )


def _cron_retention(cron: Part, default: int | None) -> int | None:
    if (cron.members or {}).get("sessionRetention") is False:
        return None
    found = cron.amount("sessionRetention", _TIMES, "h")
    return default if found is None else found


@attrs.frozen
class MaintenancePlan:
    """The keys that a store is to lose."""

    pruned: list[str]
    """Too old; their transcripts are archived."""
    capped: list[str]
    """Too many, the latest first."""
    reaped: list[str]
    """Runs of jobs whose time is over."""

    @property
    def removed(self) -> list[str]:
        return [*self.pruned, *self.capped, *self.reaped]


def plan(
    items: Items,
    settings: MaintenanceSettings,
    now: int,
    active_key: str | None = None,
    *,
    reap: bool = False,
    isolate: Isolate = nullcontext,
) -> MaintenancePlan:
    """What `enforce` takes out of a store at a time (epoch ms); `reap` includes runs of jobs.

    As CoderClaw does it, in this order: pruning, then the cap on what is left. What says nothing of
    when it was used is never too old, and the first to be too many. Kept where CoderClaw might not:
    the session the request is for (`active_key`), and values that are no entries, which do not
    count either; `null`, which holds nothing, counts as an entry that says nothing of when it was
    used. Runs of jobs are reaped between the two. An entry with which a step fails is kept.
    """
    times = _times(items, isolate)
    oldest = now - settings.prune_after
    pruned = [key for key, at in times.items() if key != active_key and _is_before(at, oldest)]
    reaped = []
    if reap and settings.cron_retention is not None:
        over = now - settings.cron_retention
        reaped = [
            key
            for key, at in times.items()
            if key != active_key
            and not _is_before(at, oldest)
            and _is_before(at, over)
            and session_key.is_cron_run(key)
        ]
    for key in (*pruned, *reaped):
        del times[key]
    capped = _latest_first(times, active_key)[settings.max_entries :]
    return MaintenancePlan(pruned, capped, reaped)


def warning(items: Items, settings: MaintenanceSettings, now: int, active_key: str) -> str | None:
    """What `warn` says of the session a request is for, if `enforce` would take it out."""
    entry = items.get(active_key)
    if not isinstance(entry, StoreEntry):
        return None
    if _is_before(entry.number("updatedAt"), now - settings.prune_after):
        return warning_text(active_key, "pruned")
    kept = _latest_first(_times(items), None)[: settings.max_entries]
    return None if active_key in kept else warning_text(active_key, "capped")


def warning_text(key: str, fate: Literal["pruned", "capped", "reaped"]) -> str:
    return f"⚠️ Session maintenance warning: {key} would be {fate} if maintenance were enforced"


def transcripts_to_archive(
    items: Items, gone: MaintenancePlan, locate: Locate, isolate: Isolate = nullcontext
) -> dict[str, str]:
    """Where the transcripts of pruned sessions may lie, by their keys, but for those still in use.

    Nothing is archived where it cannot be told which files another session uses.

    CoderClaw takes a transcript away from another key that still has it; here nothing in use is
    lost. Transcripts of those that were too many, and of runs of jobs, stay where they are.
    """
    if not gone.pruned:
        return {}
    lost, removed = set(gone.pruned), set(gone.removed)
    found: dict[str, str] = {}
    used: set[str] = set()
    unknown = False
    for key, item in items.items():
        if not isinstance(item, StoreEntry) or (key in removed and key not in lost):
            continue
        located = False
        with isolate(key):
            paths = list(locate(key, item))
            located = True
            if key in lost:
                found |= dict.fromkeys(paths, key)
            else:
                used.update(paths)
        unknown = unknown or (not located and key not in lost)
    if unknown:
        return {}
    return {path: key for path, key in found.items() if path not in used}


def _times(items: Items, isolate: Isolate = nullcontext) -> dict[str, float | None]:
    """When each entry was used last; None: it does not say, as `null` does not."""
    times: dict[str, float | None] = {}
    for key, item in items.items():
        with isolate(key):
            if isinstance(item, StoreEntry):
                times[key] = item.number("updatedAt")
            elif item.text == b"null":
                times[key] = None
    return times


def _is_before(at: float | None, limit: int) -> bool:
    return at is not None and at < limit


def _latest_first(times: dict[str, float | None], active_key: str | None) -> list[str]:
    def rank(key: str) -> tuple[bool, float]:
        at = times[key]
        return key != active_key, math.inf if at is None else -at

    return sorted(times, key=rank)
