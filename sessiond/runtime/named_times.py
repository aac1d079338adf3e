"""Days, weeks, months and times as people write them: `tuesday`, `last week`, `2026-W47`, `6h`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from sessiond.runtime.clock import Zone, earlier, period_minutes

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LAST = ("last week", "last month", "last year")
WORDS = ("today", "yesterday", *_WEEKDAYS, *_LAST)
_ABBREVIATED = 3
"""Least number of letters of a day of the week."""
_DAY = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_WEEK = re.compile(r"(\d{4})-?[Ww](\d\d)", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?", re.ASCII)


class Part(NamedTuple):
    """Local times, without a zone; a moment begins and ends at the same time."""

    begin: datetime
    end: datetime
    """Exclusive, unless it is a moment."""
    has_time: bool = False
    """Whether the period was written with a time of the day."""


def named_time(text: str, at: datetime, where: Zone) -> Part:
    """Return the part of time that a text names, in a zone; `at` is the present.

    A day of the week is the last one before today, with and without `last`; weeks are ISO weeks,
    from Monday. Raises ValueError.
    """
    minutes, word = period_minutes(text), " ".join(text.lower().split())
    if minutes is not None:
        back = earlier(at, minutes).astimezone(where).replace(tzinfo=None)
        return Part(back, back)
    if _TIME.fullmatch(text):
        time = datetime.fromisoformat(text)
        return Part(time, time, has_time=True)
    today = at.astimezone(where).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return _day_of_word(word, today) or _last(word, today) or _calendar(text)


def _day_of_word(word: str, today: datetime) -> Part | None:
    """Return the day that a word names; None if it names none."""
    if word in ("today", "yesterday"):
        begin = today - timedelta(days=WORDS.index(word))
        return Part(begin, begin + timedelta(days=1))
    day = word.removeprefix("last ")
    for number, weekday in enumerate(_WEEKDAYS):
        if len(day) >= _ABBREVIATED and weekday.startswith(day):
            begin = today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
            return Part(begin, begin + timedelta(days=1))
    return None


def _last(word: str, today: datetime) -> Part | None:
    """Return the week, month or year before the present one; None for any other word."""
    match word:
        case "last week":
            end = today - timedelta(days=today.weekday())
            return Part(end - timedelta(days=7), end)
        case "last month":
            end = today.replace(day=1)
            return Part((end - timedelta(days=1)).replace(day=1), end)
        case "last year":
            end = today.replace(month=1, day=1)
            return Part(end.replace(year=end.year - 1), end)
    return None


def _calendar(text: str) -> Part:
    """Return a day, week, month or year. Raises ValueError."""
    week = _WEEK.fullmatch(text)
    if week is not None:
        begin = datetime.fromisocalendar(int(week[1]), int(week[2]), 1)
        return Part(begin, begin + timedelta(days=7))
    written = _DAY.fullmatch(text)
    if written is None:
        raise ValueError(text)
    year, month, day = written.groups()
    begin = datetime(int(year), int(month or 1), int(day or 1))  # noqa: DTZ001 - of any zone
    length = 366 if month is None else 31 if day is None else 1
    try:
        after = begin + timedelta(days=length)
    except OverflowError:
        return Part(begin, datetime.max)  # noqa: DTZ901 - of any zone
    if day is None:
        # Short months and years end before: at the first day that is not in them.
        after = after.replace(day=1) if month is not None else after.replace(month=1, day=1)
    return Part(begin, after)
