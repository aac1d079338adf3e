"""Decide which entries maintenance removes: too old, too many, and runs of cron jobs. Pure."""

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
"""Gives the paths at which the transcript of a key's entry may lie."""
Isolate = Callable[[str], AbstractContextManager[object]]
"""Runs a step for the entry of a key and isolates its failure."""

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
    """`session.maintenance` and the retention of cron runs. Times in milliseconds."""

    mode: Mode = "warn"
    prune_after: int = 30 * _DAY
    max_entries: int = 500
    rotate_bytes: int = 10 * 1024**2
    cron_retention: int | None = _DAY
    """None means for ever."""

    @classmethod
    def of(cls, config: Part) -> MaintenanceSettings:
        """The settings of a configuration; the default for each invalid value."""
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
    retention = cron.amount("sessionRetention", _TIMES, "h")
    return default if retention is None else retention


@attrs.frozen
class MaintenancePlan:
    """The keys to remove from a store."""

    pruned: list[str]
    """Too old. Their transcripts are archived."""
    capped: list[str]
    """Beyond the maximum, the latest first."""
    reaped: list[str]
    """Runs of cron jobs past their retention."""

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
    """The entries that `enforce` removes at `now` (epoch ms); `reap` includes runs of cron jobs.

    As in CoderClaw: first pruning, then the cap on the rest; runs of jobs are reaped in between.
    Entries without `updatedAt` never expire, but are capped first. Unlike CoderClaw, this keeps the
    session of the request (`active_key`) and values that are not entries; these do not count
    towards the cap. `null` counts as an entry without `updatedAt`. An entry with which a step fails
    is kept.
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
    """The warning for the session of a request, if `enforce` would remove it."""
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
    """The paths of pruned sessions' transcripts, with their keys, except those still in use.

    CoderClaw archives a transcript even if another key uses it; here it stays. If the files that
    another session uses are unknown, nothing is archived. Transcripts of capped sessions and of
    runs of jobs stay.
    """
    transcripts: dict[str, str] = {}
    for key in gone.pruned:
        item = items[key]
        if isinstance(item, StoreEntry):
            with isolate(key):
                transcripts |= dict.fromkeys(locate(key, item), key)
    removed = set(gone.removed)
    left = {key: item for key, item in items.items() if key not in removed}
    return {path: transcripts[path] for path in unused(transcripts, left, locate, isolate)}


def unused(
    paths: Iterable[str], items: Items, locate: Locate, isolate: Isolate = nullcontext
) -> list[str]:
    """The transcripts among `paths` that no entry of the store uses.

    None of them if it is not known which transcripts an entry uses.
    """
    left = dict.fromkeys(paths)
    unknown = False
    for key, item in items.items():
        if not left or not isinstance(item, StoreEntry):
            continue
        located = False
        with isolate(key):
            for path in locate(key, item):
                left.pop(path, None)
            located = True
        unknown = unknown or not located
    return [] if unknown else list(left)


def _times(items: Items, isolate: Isolate = nullcontext) -> dict[str, float | None]:
    """The time each entry was last used; None for an entry without one and for `null`."""
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
