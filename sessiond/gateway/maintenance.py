"""Decide which entries maintenance removes: too old, too many, and runs of cron jobs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, cast

import attrs

from sessiond.gateway import keys
from sessiond.gateway.config import Part
from sessiond.gateway.entry import Items, StoreEntry

Mode = Literal["enforce", "warn"]
Locate = Callable[[str, StoreEntry], Iterable[str]]
"""Gives the paths at which the transcript of a key's entry may lie."""

_SECOND = 1000
_HOUR = 3600 * _SECOND
_DAY = 24 * _HOUR
_TIMES = {"ms": 1, "s": _SECOND, "m": 60 * _SECOND, "h": _HOUR, "d": _DAY}


@attrs.frozen
class MaintenanceSettings:
    """`session.maintenance` and the retention of cron runs. Times in milliseconds."""

    mode: Mode = "warn"
    prune_after: int = 30 * _DAY
    max_entries: int = 500
    cron_retention: int | None = _DAY
    """None means for ever."""

    @classmethod
    def of(cls, config: Part) -> MaintenanceSettings:
        """The settings of a configuration; the default for each invalid value."""
        part = config.part("session").part("maintenance")
        has_prune_after = (part.members or {}).get("pruneAfter") is not None
        prune_after = part.amount("pruneAfter" if has_prune_after else "pruneDays", _TIMES, "d")
        default = cls()
        return cls(
            cast("Mode | None", part.choice("mode", ("enforce", "warn"))) or default.mode,
            default.prune_after if prune_after is None else prune_after,
            part.count("maxEntries") or default.max_entries,
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


def plan(items: Items, settings: MaintenanceSettings, now: int) -> MaintenancePlan:
    """The entries that maintenance removes at `now` (epoch ms).

    As in CoderClaw: first pruning, then runs of jobs, then the cap on the rest. Entries without
    `updatedAt` never expire, but are capped first. Unlike CoderClaw, this keeps values that are not
    entries; these do not count towards the cap. `null` counts as an entry without `updatedAt`.
    """
    times = {
        key: item.number("updatedAt") if isinstance(item, StoreEntry) else None
        for key, item in items.items()
        if isinstance(item, StoreEntry) or item.text == b"null"
    }
    pruned = _before(times, now - settings.prune_after)
    reaped: dict[str, None] = {}
    if settings.cron_retention is not None:
        over = _before(times, now - settings.cron_retention)
        reaped = {key: None for key in over if key not in pruned and keys.is_cron_run(key)}
    left = [key for key in times if key not in pruned and key not in reaped]
    # Entries without a time come last.
    left.sort(key=lambda key: (times[key] is None, -(times[key] or 0)))
    return MaintenancePlan(list(pruned), left[settings.max_entries :], list(reaped))


def _before(times: Mapping[str, float | None], limit: int) -> dict[str, None]:
    """The keys of entries that were last used before `limit`."""
    return {key: None for key, at in times.items() if at is not None and at < limit}


def transcripts_to_archive(items: Items, gone: MaintenancePlan, locate: Locate) -> dict[str, str]:
    """The paths of pruned sessions' transcripts, with their keys, except those still in use.

    CoderClaw archives a transcript even if another key uses it; here it stays. Transcripts of
    capped sessions and of runs of jobs stay.
    """
    transcripts: dict[str, str] = {}
    for key in gone.pruned:
        item = items[key]
        if isinstance(item, StoreEntry):
            transcripts |= dict.fromkeys(locate(key, item), key)
    removed = set(gone.removed)
    left = {key: item for key, item in items.items() if key not in removed}
    return {path: transcripts[path] for path in unused(transcripts, left, locate)}


def unused(paths: Iterable[str], items: Items, locate: Locate) -> list[str]:
    """The transcripts among `paths` that no entry of the store uses."""
    left = dict.fromkeys(paths)
    for key, item in items.items():
        if not left:
            break
        if isinstance(item, StoreEntry):
            for path in locate(key, item):
                left.pop(path, None)
    return list(left)
