"""Local time, of a named zone or of this host, as JavaScript's Date reckons with it."""

from __future__ import annotations

import time
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

Zone = tzinfo | None
"""None: the zone of this host."""


def now_ms() -> int:
    """The time, in milliseconds since the epoch."""
    return int(time.time() * 1000)


def zone(name: str) -> ZoneInfo:
    """The zone of that name (IANA). Raises ValueError."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # What is no name of a zone is looked for as a file, so it fails in as many ways.
        raise ValueError(f"No time zone has the name {name!r}") from None


def local(ms: float, where: Zone) -> datetime:
    """What the calendar and the clock on the wall say, without a zone, to the second."""
    return datetime.fromtimestamp(ms // 1000, where).replace(tzinfo=None, fold=0)


def epoch_ms(wall: datetime, where: Zone) -> int:
    """When it is that time, in milliseconds.

    A time that is skipped is as much later as the clock is put on; of one that comes twice it is
    the first.
    """
    at = wall.timestamp() if where is None else wall.replace(tzinfo=where).timestamp()
    return round(at * 1000)


def zone_name(ms: float, where: Zone) -> str:
    """The zone's own name; for this host the abbreviation in force."""
    if isinstance(where, ZoneInfo):
        return where.key
    return datetime.fromtimestamp(ms // 1000, where).astimezone().tzname() or "local time"
