"""Which entries maintenance removes from a store, decided without reading files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.gateway.config import Part
from sessiond.gateway.entry import NonEntry, StoreEntry
from sessiond.gateway.maintenance import (
    MaintenancePlan,
    MaintenanceSettings,
    plan,
    transcripts_to_archive,
)

DAY = 86_400_000
NOW = 1_800_000_000_000


def settings(**members: Any) -> tuple[MaintenanceSettings, dict[str, str]]:
    config = Part.root({"session": {"maintenance": members}})
    return MaintenanceSettings.of(config), config.problems


def store(**entries: Any) -> dict[str, StoreEntry | NonEntry]:
    """Entries by key from their `updatedAt`, or from all their members; other values are odd."""
    found: dict[str, StoreEntry | NonEntry] = {}
    for key, value in entries.items():
        if isinstance(value, str | list):
            found[key] = NonEntry(json.dumps(value).encode())
        else:
            members = value if isinstance(value, dict) else {"updatedAt": value}
            found[key] = StoreEntry.of({"sessionId": key, **members})
    return found


def test_without_a_configuration_the_defaults_of_coderclaw_hold():
    assert MaintenanceSettings.of(Part.root(None)) == MaintenanceSettings(
        "warn", 2_592_000_000, 500, DAY
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (7, 7 * DAY),
        ("7", 7 * DAY),
        ("7d", 7 * DAY),
        (" 12H ", DAY // 2),
        ("90m", 5_400_000),
        ("1.5s", 1500),
        ("250ms", 250),
        ("0", 0),
        (0.5, DAY // 2),
        ("0.0004ms", 0),
        ("0.5ms", 1),
    ],
)
def test_a_duration_has_a_unit_or_is_in_days(given: Any, expected: int):
    found, problems = settings(pruneAfter=given)
    assert (found.prune_after, problems) == (expected, {})


@pytest.mark.parametrize("name", ["pruneAfter", "pruneDays"])
@pytest.mark.parametrize(
    "bad", ["", "soon", "-1", -1, "1e3", "5x", "1 d", "d", "1h30m", ".5", [], {}, True, "\u0661d"]
)
def test_a_bad_amount_is_reported_and_the_default_holds(name: str, bad: Any):
    found, problems = settings(**{name: bad})
    assert found == MaintenanceSettings()
    assert list(problems) == [f"session.maintenance.{name}"]


@pytest.mark.parametrize("bad", [0, -1, 1.5, "5", float("nan"), float("inf"), True, []])
def test_a_bad_number_of_entries_is_reported_and_the_default_holds(bad: Any):
    found, problems = settings(maxEntries=bad)
    assert found == MaintenanceSettings()
    assert list(problems) == ["session.maintenance.maxEntries"]


@pytest.mark.parametrize("bad", ["on", "ENFORCE", 1, True])
def test_a_bad_mode_is_reported_and_nothing_is_enforced(bad: Any):
    found, problems = settings(mode=bad)
    assert found.mode == "warn"
    assert list(problems) == ["session.maintenance.mode"]


def test_the_old_name_in_days_counts_where_the_new_one_is_absent():
    assert settings(pruneDays=3)[0].prune_after == 3 * DAY
    assert settings(pruneDays=3, pruneAfter=None)[0].prune_after == 3 * DAY
    assert settings(pruneDays=3, pruneAfter="1h")[0].prune_after == 3_600_000
    # As CoderClaw: a bad new one means the default, not the old one.
    assert settings(pruneDays=3, pruneAfter="x")[0].prune_after == 30 * DAY


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, DAY),
        (False, None),
        ("12", DAY // 2),
        ("90m", 5_400_000),
        ("2d", 2 * DAY),
        ("x", DAY),
        (True, DAY),
    ],
)
def test_runs_of_jobs_are_remembered_for_a_day_some_hours_or_ever(given: Any, expected: Any):
    config = Part.root({"cron": {"sessionRetention": given}})
    assert MaintenanceSettings.of(config).cron_retention == expected
    assert (list(config.problems) == ["cron.sessionRetention"]) == (given in ("x", True))


def test_only_entries_older_than_the_limit_are_pruned():
    items = store(
        old=NOW - 1001,
        limit=NOW - 1000,
        new=NOW,
        future=NOW + 10**9,
        null={"updatedAt": None},
        absent={},
        text={"updatedAt": "1"},
        odd="x",
        list=[1],
    )
    assert plan(items, MaintenanceSettings(prune_after=1000), NOW) == MaintenancePlan(
        ["old"], [], []
    )


def test_a_time_of_zero_is_a_time():
    assert plan(store(zero=0), MaintenanceSettings(), NOW).pruned == ["zero"]


def test_the_latest_sessions_are_kept_up_to_the_cap():
    items = store(a=3, b=5, c=1, d=5, e=2)
    found = plan(items, MaintenanceSettings(max_entries=2, prune_after=NOW), NOW)
    assert found == MaintenancePlan([], ["a", "e", "c"], [])


def test_entries_without_a_time_are_capped_first_and_equal_ones_keep_their_order():
    items = store(none={}, null={"updatedAt": None}, a=1, b=1, c=1)
    found = plan(items, MaintenanceSettings(max_entries=2, prune_after=NOW), NOW)
    assert found.capped == ["c", "none", "null"]


def test_no_entry_is_capped_at_the_cap():
    items = store(a=1, b=2)
    assert plan(items, MaintenanceSettings(max_entries=2, prune_after=NOW), NOW).capped == []


def test_the_cap_counts_entries_that_pruning_leaves():
    items = store(a=NOW - DAY, b=NOW - 2, c=NOW - 1)
    found = plan(items, MaintenanceSettings(max_entries=2, prune_after=1000), NOW)
    assert found == MaintenancePlan(["a"], [], [])


def test_values_that_are_not_entries_are_neither_counted_nor_capped():
    items = store(odd="x", more=[1], a=1, b=2)
    assert plan(items, MaintenanceSettings(max_entries=2, prune_after=NOW), NOW) == MaintenancePlan(
        [], [], []
    )
    assert plan(items, MaintenanceSettings(max_entries=1, prune_after=NOW), NOW).capped == ["a"]


def test_null_counts_towards_the_cap_as_an_entry_without_a_time():
    items = store(null=None, none={}, a=1, b=2)
    assert plan(items, MaintenanceSettings(max_entries=4, prune_after=NOW), NOW) == MaintenancePlan(
        [], [], []
    )
    found = plan(items, MaintenanceSettings(max_entries=2, prune_after=NOW), NOW)
    assert found == MaintenancePlan([], ["null", "none"], [])
    assert plan(items, MaintenanceSettings(max_entries=3, prune_after=NOW), NOW).capped == ["none"]
    # It is never too old, and it makes another session one too many.
    assert plan(items, MaintenanceSettings(prune_after=0), NOW).pruned == ["a", "b"]


def test_runs_of_jobs_are_reaped_after_their_time():
    run = "agent:main:cron:job:run:one"
    items = store(
        **{
            run: NOW - DAY - 1,
            "agent:main:cron:job:run:new": NOW - DAY,
            "agent:main:cron:job:run:none": {},
            "agent:main:cron:job:run:old": NOW - 31 * DAY,
            "agent:main:cron:job": NOW - 2 * DAY,
            "cron:job:run:one": NOW - 2 * DAY,
            "agent:main:x": NOW - 2 * DAY,
        }
    )
    old = "agent:main:cron:job:run:old"
    assert plan(items, MaintenanceSettings(), NOW) == MaintenancePlan([old], [], [run])
    assert plan(items, MaintenanceSettings(cron_retention=None), NOW).reaped == []
    assert plan(items, MaintenanceSettings(max_entries=5), NOW).capped == []


def test_transcripts_of_pruned_sessions_are_archived_and_no_others():
    items = store(a=1, b={"sessionFile": "topic", "updatedAt": 1}, capped=2, kept=3, odd="x")

    def locate(_key: str, entry: StoreEntry) -> list[str]:
        file = entry.string("sessionFile")
        return [*([file] if file else []), f"{entry.string('sessionId')}.jsonl"]

    gone = MaintenancePlan(["a", "b"], ["capped"], [])
    assert transcripts_to_archive(items, gone, locate) == {
        "a.jsonl": "a",
        "topic": "b",
        "b.jsonl": "b",
    }
    assert transcripts_to_archive(items, MaintenancePlan([], ["capped"], []), locate) == {}


def test_a_transcript_that_another_session_still_uses_stays():
    same = {"sessionId": "same"}
    items = store(a={**same, "updatedAt": 1}, b={**same, "updatedAt": NOW}, c={"sessionId": "c"})

    def locate(_key: str, entry: StoreEntry) -> list[str]:
        return [f"{entry.string('sessionId')}.jsonl"]

    assert transcripts_to_archive(items, MaintenancePlan(["a"], [], []), locate) == {}
    assert transcripts_to_archive(items, MaintenancePlan(["a", "b"], [], []), locate) == {
        "same.jsonl": "b"
    }
    assert transcripts_to_archive(items, MaintenancePlan(["a"], ["b"], []), locate) == {
        "same.jsonl": "a"
    }
