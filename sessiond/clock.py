"""Local time in a named zone or in this host's zone, computed as JavaScript's Date does."""

from __future__ import annotations

import time
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

Zone = tzinfo | None
"""None means the zone of this host."""


def now_ms() -> int:
    """The current time in milliseconds since the epoch."""
    return int(time.time() * 1000)


def zone(name: str) -> ZoneInfo:
    """The time zone with an IANA name. Raises ValueError."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        # `ZoneInfo` looks for an unknown name as a file, so it can raise many errors.
        raise ValueError(f"No time zone has the name {name!r}") from None


def local(ms: float, where: Zone) -> datetime:
    """Local date and time to the second, without a zone."""
    return datetime.fromtimestamp(ms // 1000, where).replace(tzinfo=None, fold=0)


def epoch_ms(wall: datetime, where: Zone) -> int:
    """Milliseconds since the epoch of a local time.

    A time that a clock change skips is moved forward by the size of the change. Of a time that
    occurs twice the first is meant.
    """
    at = wall.timestamp() if where is None else wall.replace(tzinfo=where).timestamp()
    return round(at * 1000)


def zone_name(ms: float, where: Zone) -> str:
    """The name of the zone; for this host's zone the abbreviation in force."""
    if isinstance(where, ZoneInfo):
        return where.key
    return datetime.fromtimestamp(ms // 1000, where).astimezone().tzname() or "local time"
