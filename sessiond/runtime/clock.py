"""Local time as JavaScript's Date computes it, in any zone, and periods as people write them."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

Zone = tzinfo | None
"""None means the zone of this host."""

_PERIOD = re.compile(r"(\d{1,6})(m|h|d|w|mo|y)")
_EARLIEST = datetime.min.replace(tzinfo=UTC) + timedelta(days=1)
_LATEST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
_MINUTES = {"m": 1, "h": 60, "d": 1440, "w": 7 * 1440, "mo": 30 * 1440, "y": 365 * 1440}


def now_ms() -> int:
    """The current time in milliseconds since the epoch."""
    return int(time.time() * 1000)


def zone(name: str) -> ZoneInfo:
    """The time zone with an IANA name. Raises ValueError."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # `ZoneInfo` looks for an unknown name as a file, so it can raise many errors.
        raise ValueError(f"No time zone has the name {name!r}") from None


def local(ms: float, where: Zone) -> datetime:
    """Local date and time to the second, without a zone."""
    return datetime.fromtimestamp(ms // 1000, where).replace(tzinfo=None, fold=0)


def day_in(ms: float, where: Zone) -> str | None:
    """Return the local day of a time as `YYYY-MM-DD`; None if there is no such date."""
    try:
        return local(ms, where).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return None


def epoch_ms(wall: datetime, where: Zone) -> int:
    """Milliseconds since the epoch of a local time.

    A time that a clock change skips is moved forward by the size of the change. Of a time that
    occurs twice the first is meant.
    """
    at = wall.timestamp() if where is None else wall.replace(tzinfo=where).timestamp()
    return round(at * 1000)


def zone_name(ms: float, where: Zone) -> str:
    """The name of the zone; for this host's zone the abbreviation in force."""
    key: str | None = getattr(where, "key", None)
    if key is not None:
        return key
    return datetime.fromtimestamp(ms // 1000, where).astimezone().tzname() or "local time"


def earlier(at: datetime, minutes: int) -> datetime:
    """Return the time this many minutes before `at`, or a day after the earliest one there is.

    A day, because the earliest time cannot be converted to every zone.
    """
    try:
        return max(at - timedelta(minutes=minutes), _EARLIEST)
    except OverflowError:
        return _EARLIEST


def aware(given: datetime, where: Zone = None) -> datetime:
    """Return a time with a zone; without one it is a local time of `where`."""
    try:
        return max((given if given.tzinfo else given.replace(tzinfo=where)).astimezone(), _EARLIEST)
    except (OverflowError, ValueError):
        return _EARLIEST if given.year == 1 else _LATEST


def period_minutes(text: str) -> int | None:
    """The length in minutes of `90m`, `6h`, `2d`, `3w`, `6mo` or `1y`; None for any other text."""
    period = _PERIOD.fullmatch(text)
    return None if period is None else int(period[1]) * _MINUTES[period[2]]
