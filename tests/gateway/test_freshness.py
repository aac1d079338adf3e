"""When a session expires: CoderClaw's tables, and clocks that are changed."""

from __future__ import annotations

import math
import time
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sessiond.gateway.config import Part
from sessiond.gateway.expiry import (
    Freshness,
    ResetPolicy,
    daily_reset,
    evaluate,
    normal_channel,
    reset_policy,
)
from sessiond.runtime.clock import zone

NAN, INFINITY = math.nan, math.inf
BERLIN = ZoneInfo("Europe/Berlin")


def ms(text: str, where: ZoneInfo = BERLIN, fold: int = 0) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=where, fold=fold).timestamp() * 1000)


def policy(session: Any, kind: Any = "direct", channel: str | None = None) -> ResetPolicy:
    return reset_policy(Part.root({"session": session}), kind, channel)


GROUP_IDLE = {"resetByType": {"group": {"mode": "idle"}}, "idleMinutes": 30}


@pytest.mark.parametrize(
    ("session", "kind", "expected"),
    [
        ({}, "direct", ("daily", 4, None)),
        (None, "direct", ("daily", 4, None)),
        ({"idleMinutes": 30}, "direct", ("idle", 4, 30)),
        ({"idleMinutes": 0}, "direct", ("idle", 4, 1)),
        ({"reset": {"mode": "idle"}}, "direct", ("idle", 4, 60)),
        ({"reset": {"mode": "idle", "idleMinutes": 0.5}}, "direct", ("idle", 4, 1)),
        ({"reset": {}}, "direct", ("daily", 4, None)),
        ({"reset": {}, "idleMinutes": 30}, "direct", ("daily", 4, 30)),
        (GROUP_IDLE, "direct", ("daily", 4, 30)),
        (GROUP_IDLE, "group", ("idle", 4, 30)),
        ({"resetByType": {"dm": {"mode": "idle", "idleMinutes": 5}}}, "direct", ("idle", 4, 5)),
        ({"resetByType": {"dm": {"mode": "idle"}}}, "group", ("daily", 4, None)),
        (
            {"resetByType": {"dm": {"mode": "idle", "idleMinutes": 5}, "direct": {"atHour": 6}}},
            "direct",
            ("daily", 6, None),
        ),
        ({"reset": {"atHour": 25}}, "direct", ("daily", 23, None)),
        ({"reset": {"atHour": -3}}, "direct", ("daily", 0, None)),
        ({"reset": {"atHour": NAN}}, "direct", ("daily", 4, None)),
        ({"reset": {"atHour": 6.9}}, "direct", ("daily", 6, None)),
        ({"reset": {"mode": "daily", "idleMinutes": NAN}}, "direct", ("daily", 4, None)),
        ({"reset": {"mode": "idle", "idleMinutes": INFINITY}}, "direct", ("idle", 4, None)),
        ({"reset": {"mode": "idle", "idleMinutes": -INFINITY}}, "direct", ("idle", 4, None)),
        ({"reset": {"mode": "idle", "idleMinutes": -5}}, "direct", ("idle", 4, 1)),
        (
            {"reset": {"mode": "idle"}, "resetByType": {"thread": {"mode": "daily"}}},
            "thread",
            ("daily", 4, None),
        ),
    ],
)
def test_a_configuration_says_when_sessions_start_over(session: Any, kind: Any, expected: Any):
    found = policy(session, kind)
    assert (found.mode, found.at_hour, found.idle_minutes) == expected


def test_an_override_for_the_channel_counts_alone():
    session = {
        "resetByChannel": {"discord": {"mode": "daily"}},
        "reset": {"mode": "idle", "atHour": 9},
        "resetByType": {"direct": {"atHour": 7}},
        "idleMinutes": 3,
    }
    assert policy(session, channel=" Discord ") == ResetPolicy("daily", 4, None)
    assert policy(session, channel="slack") == ResetPolicy("idle", 7, 3)


def test_a_channel_is_found_in_lower_case_only():
    session = {"resetByChannel": {"Discord": {"mode": "idle"}}}
    assert policy(session, channel="Discord") == ResetPolicy()


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("imsg", "imessage"),
        ("internet-relay-chat", "irc"),
        ("google-chat", "googlechat"),
        (" GChat ", "googlechat"),
        ("New", "new"),
        (None, ""),
    ],
)
def test_channels_have_aliases(given: str | None, normal: str):
    assert normal_channel(given) == normal


def test_invalid_values_are_reported_and_the_rest_applies():
    config = Part.root(
        {
            "session": {
                "reset": {"mode": "weekly", "atHour": "6", "idleMinutes": True},
                "idleMinutes": 9,
            }
        }
    )
    assert reset_policy(config, "direct") == ResetPolicy("daily", 4, 9)
    assert config.problems.keys() == {
        "session.reset.mode",
        "session.reset.atHour",
        "session.reset.idleMinutes",
    }


@pytest.mark.parametrize(
    ("last", "now", "fresh"),
    [
        ("2026-02-05T04:00:00.000", "2026-02-05T05:00", True),
        ("2026-02-05T03:59:59.999", "2026-02-05T05:00", False),
        ("2026-02-05T03:00", "2026-02-05T04:00:00.000", False),
        ("2026-02-05T03:00", "2026-02-05T03:59", True),
        ("2026-02-04T04:00", "2026-02-05T03:59:59.999", True),
        ("2026-02-04T03:59", "2026-02-05T03:59", False),
    ],
)
def test_a_day_ends_at_the_hour(last: str, now: str, fresh: bool):
    assert evaluate(ResetPolicy(), ms(last), ms(now), BERLIN).fresh is fresh


@pytest.mark.parametrize(("idle", "fresh"), [(60_000, True), (60_001, False)])
def test_a_session_is_idle_too_long_after_the_last_millisecond(idle: int, fresh: bool):
    found = evaluate(ResetPolicy("idle", 4, 1), 1_000_000, 1_000_000 + idle)
    assert found == Freshness(fresh, None, 1_060_000)


def test_in_daily_mode_the_earliest_expiry_applies():
    both = ResetPolicy("daily", 4, 30)
    now = ms("2026-02-05T12:00")
    assert not evaluate(both, ms("2026-02-05T11:29"), now, BERLIN).fresh
    assert evaluate(both, ms("2026-02-05T11:30"), now, BERLIN).fresh
    early = ms("2026-02-05T04:10")
    assert not evaluate(both, ms("2026-02-05T03:55"), early, BERLIN).fresh


@pytest.mark.parametrize("idle", [None, 5])
def test_an_entry_without_a_time_is_fresh_and_one_from_the_future_too(idle: int | None):
    chosen = ResetPolicy("daily", 4, idle)
    now = ms("2026-02-05T12:00")
    assert evaluate(chosen, None, now, BERLIN).fresh
    assert evaluate(chosen, now + 10**9, now, BERLIN).fresh
    assert not evaluate(chosen, 0, now, BERLIN).fresh


def test_it_may_never_expire():
    assert evaluate(ResetPolicy("idle", 4, None), 0, 10**12) == Freshness(True, None, None)
    assert evaluate(ResetPolicy("idle", 4, 2**53), 0, 10**12).fresh


@pytest.mark.parametrize(
    ("now", "hour", "reset"),
    [
        # The clock is put on at 02:00 on 29 March: 02:00 that day is 03:00.
        (1_774_744_200_000, 2, 1_774_663_200_000),
        (ms("2026-03-29T03:00"), 2, ms("2026-03-29T03:00")),
        (ms("2026-03-29T12:00"), 2, ms("2026-03-29T03:00")),
        (ms("2026-03-30T01:00"), 2, ms("2026-03-29T03:00")),
        (ms("2026-03-30T03:00"), 4, ms("2026-03-29T04:00")),
        (ms("2026-03-29T05:00"), 4, ms("2026-03-29T04:00")),
        # It is put back at 03:00 on 25 October: 02:00 comes twice, and the first counts.
        (ms("2026-10-25T02:30", fold=1), 2, ms("2026-10-25T02:00")),
        (ms("2026-10-25T02:30"), 2, ms("2026-10-25T02:00")),
        (ms("2026-10-25T01:59"), 2, ms("2026-10-24T02:00")),
        (ms("2026-10-26T01:00"), 2, ms("2026-10-25T02:00")),
        (ms("2026-10-26T03:00"), 4, ms("2026-10-25T04:00")),
        (ms("2026-01-01T00:00"), 4, ms("2025-12-31T04:00")),
        (ms("2026-01-01T00:00"), 0, ms("2026-01-01T00:00")),
        (ms("2026-03-01T23:59"), 23, ms("2026-03-01T23:00")),
    ],
)
def test_the_day_begins_by_the_clock_on_the_wall(now: int, hour: int, reset: int):
    assert daily_reset(now, hour, BERLIN) == reset


def test_the_day_before_one_that_was_left_out_counts_from_the_same_moment():
    apia = ZoneInfo("Pacific/Apia")
    # There was no 30 December 2011; JavaScript takes its 04:00 for 04:00 of the 31st.
    assert daily_reset(ms("2011-12-31T03:00", apia), 4, apia) == ms("2011-12-31T04:00", apia)


@pytest.fixture
def host_in_berlin(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("host_in_berlin")
@pytest.mark.parametrize("hour", [0, 2, 3, 4])
@pytest.mark.parametrize(
    "day", ["2026-03-28", "2026-03-29", "2026-03-30", "2026-10-25", "2026-10-26"]
)
def test_the_zone_of_the_host_counts_as_one_that_is_named(day: str, hour: int):
    for clock in ("00:30", "01:30", "02:30", "03:30", "12:00"):
        now = ms(f"{day}T{clock}")
        assert daily_reset(now, hour) == daily_reset(now, hour, BERLIN)


@pytest.mark.parametrize(
    "name",
    ["", "Nowhere", "../etc/passwd", "/etc/passwd", "America", "a\0b", "\ud800", "x" * 5000, "."],
)
def test_an_unknown_time_zone_is_refused(name: str):
    with pytest.raises(ValueError, match="No time zone"):
        zone(name)
