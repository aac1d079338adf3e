"""Parse and format dates as JavaScript does (ECMA-262, section 21.4.1.32, and V8's older forms)."""

from __future__ import annotations

import functools
import math
import re
from datetime import UTC, date, datetime, timedelta

_ISO = re.compile(
    r"(?P<year>\d{4}|[+-]\d{6})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?"
    r"(?:T(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d+))?)?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_DAY = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_USUAL_LENGTH = len("2026-01-02T03:04:05.678Z")
FARTHEST = 8.64e15


def parse_js_date(value: object) -> float | None:
    """Return epoch milliseconds as `new Date(value).getTime()` does; None instead of NaN.

    Accepts numbers and the ISO 8601 forms of ECMAScript. As in V8, days after the end of a month
    roll over, and a time without zone is local time. Other spellings, which differ between engines,
    give None.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _clip(value)
    if not isinstance(value, str):
        return None
    usual = _usual(value)
    return _unusual(value) if usual is None else usual


def _unusual(value: str) -> float | None:
    match = _ISO.fullmatch(value)
    if match is None or match["year"] == "-000000":
        return None
    year, month, day = (int(match[name] or 1) for name in ("year", "month", "day"))
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    ms = int(((match["fraction"] or "") + "000")[:3])
    if not (1 <= month <= 12 and 1 <= day <= 31 and minute < 60 and second < 60):
        return None
    if hour > 24 or (hour == 24 and (minute or second or ms)):
        return None
    days = days_from_civil(year, month, 1) + day - 1
    time = days * _DAY + ((hour * 60 + minute) * 60 + second) * 1000 + ms
    zone = match["zone"]
    if match["hour"] is not None and zone is None:
        return _clip(time - _local_offset(time))
    if zone and zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[-2:])
        if hours > 23 or minutes > 59:
            return None
        offset = (hours * 60 + minutes) * 60_000
        time = time - offset if zone[0] == "+" else time + offset
    return _clip(time)


def _usual(value: str) -> float | None:
    """The time of `2026-01-02T03:04:05.678Z`, as nearly all times are written; None for others."""
    if len(value) != _USUAL_LENGTH or value[10::13] != "TZ" or value[19] != ".":
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (moment - _EPOCH) // _MILLISECOND + 0.0 if value[4::3][:2] == "--" else None


def _clip(value: float) -> float | None:
    try:
        time = float(value)
    except OverflowError:
        return None
    if math.isnan(time) or abs(time) > FARTHEST:
        return None
    return float(math.trunc(time))


def _local_offset(local_ms: float) -> float:
    try:
        naive = datetime.fromtimestamp(local_ms / 1000, UTC).replace(tzinfo=None)
        offset = naive.astimezone().utcoffset()
    except (ValueError, OverflowError, OSError):
        return 0.0
    return offset.total_seconds() * 1000 if offset else 0.0


def days_from_civil(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01 in the proleptic Gregorian calendar, for any year."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def iso_from_ms(ms: float) -> str | None:
    """Return `new Date(ms).toISOString()`; None if that would throw, and after the year 9999."""
    clipped = _clip(ms)
    if clipped is None:
        return None
    days, millis = divmod(int(clipped), _DAY)
    day = _date_of(days)
    if day is None:
        return None
    minutes, millis = divmod(millis, 60_000)
    return f"{day}T{minutes // 60:02}:{minutes % 60:02}:{millis // 1000:02}.{millis % 1000:03}Z"


@functools.lru_cache(maxsize=1024)
def _date_of(days: int) -> str | None:
    """Return the date so many days after 1970-01-01; None if its year is not one of 1 to 9999.

    Cached, because a list writes several times for each of thousands of sessions.
    """
    try:
        return date.fromordinal(_EPOCH.toordinal() + days).isoformat()
    except (ValueError, OverflowError):
        return None


def json_ms(timestamp: str) -> bytes:
    """Convert an entry's timestamp to the number used in messages; `null` for NaN."""
    ms = parse_js_date(timestamp)
    return b"null" if ms is None else b"%d" % int(ms)
