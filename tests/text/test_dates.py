from __future__ import annotations

import math
import time

import pytest

from sessiond.text.dates import iso_from_ms, json_ms, parse_js_date


# What Node answers to `new Date(x).getTime()`.
@pytest.mark.parametrize(
    ("value", "ms"),
    [
        ("2025-01-01T00:00:00.000Z", 1735689600000),
        ("2024-02-31", 1709337600000),
        ("2024-02-30T00:00:00Z", 1709251200000),
        ("2024-01-01T24:00:00Z", 1704153600000),
        ("2024-01-01T24:00:01Z", None),
        ("2024-01-01T10:00:00.123456789Z", 1704103200123),
        ("2024-01-01T10:00:00.5Z", 1704103200500),
        ("2024-01-01T10:00+01:00", 1704099600000),
        ("2024-01-01T10:00+0100", 1704099600000),
        ("2024-01-01T10:00:00-23:59", 1704189540000),
        ("2024-01-01T10:00:00+24:00", None),
        ("2024T10:00Z", 1704103200000),
        ("2024-01T10:00Z", 1704103200000),
        ("+012024-01-01", 317273587200000),
        ("-000000", None),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2024-01-01T10Z", None),
        ("2024-01-01T10:00:00,1Z", None),
        ("2024-13-01", None),
        ("2024-01-32", None),
        ("", None),
        ("abc", None),
        (0, 0),
        (1.9, 1),
        (-1.9, -1),
        (8.64e15, 8.64e15),
        (8.64e15 + 1, None),
        (math.nan, None),
        (10**400, None),
        (None, None),
        (True, None),
        ([], None),
    ],
)
def test_dates_are_read_as_javascript_reads_them(value: object, ms: float | None) -> None:
    assert parse_js_date(value) == ms


def test_a_time_without_zone_is_local_and_a_date_alone_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "EST5")
    time.tzset()
    try:
        assert parse_js_date("2024-01-01T10:00:00") == 1704121200000
        assert parse_js_date("2024-01-01") == 1704067200000
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("ms", "iso"),
    [
        (1735689600000, "2025-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1.9, "1970-01-01T00:00:00.001Z"),
        (-62135596800000, "0001-01-01T00:00:00.000Z"),
        (math.inf, None),
    ],
)
def test_times_are_written_as_javascript_writes_them(ms: float, iso: str | None) -> None:
    assert iso_from_ms(ms) == iso


def test_as_json_a_time_is_a_whole_number_or_null() -> None:
    assert json_ms("2025-01-01T00:00:00.000Z") == b"1735689600000"
    assert json_ms("never") == b"null"
