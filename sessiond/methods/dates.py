"""Dates and time zones in requests."""

from __future__ import annotations

import datetime as dt
import math

from msgspec import UnsetType
from sessiond_protocol.wire import given

from sessiond.runtime.clock import Zone, aware, epoch_ms, zone
from sessiond.runtime.errors import InvalidParams


def zone_of(name: str | UnsetType | None) -> Zone:
    """The time zone in a request, else the host's. Raises InvalidParams."""
    named = given(name)
    try:
        return None if named is None else zone(named)
    except ValueError as error:
        raise InvalidParams(str(error), "$.timezone") from None


def day_of(sent: str | UnsetType | None, name: str) -> str | None:
    """The day in a member of a request, as `YYYY-MM-DD`. Raises InvalidParams."""
    day = given(sent)
    try:
        return None if day is None else dt.date.fromisoformat(day).isoformat()
    except ValueError:
        raise InvalidParams("expected a date as YYYY-MM-DD", f"$.{name}") from None


def start_of(
    sent: str | UnsetType | None, name: str, where: Zone, *, days: int = 0
) -> float | None:
    """Return the beginning of a day in a request, or `days` later, in epoch milliseconds.

    Infinite for the first and last day of the calendar. Raises InvalidParams.
    """
    day = day_of(sent, name)
    if day is None:
        return None
    at = dt.datetime.fromisoformat(day)
    try:
        return epoch_ms(at + dt.timedelta(days=days), where)
    except (OverflowError, ValueError, OSError):
        # The first or last day there is: nothing lies before or after it.
        return -math.inf if at.year <= dt.MINYEAR else math.inf


def time_of(
    sent: str | UnsetType | None, name: str, where: Zone, *, is_end: bool = False
) -> float | None:
    """Read a day or a time in a member of a request, in epoch milliseconds.

    A day means its beginning, or with `is_end` that of the next day. A time without a zone is one
    of `where`. Raises InvalidParams.
    """
    text = given(sent)
    if text is None or len(text) <= len("2026-01-31"):
        return start_of(sent, name, where, days=int(is_end))
    try:
        return aware(dt.datetime.fromisoformat(text), where).timestamp() * 1000
    except (OverflowError, ValueError, OSError):
        raise InvalidParams("expected a day or a time of ISO 8601", f"$.{name}") from None
