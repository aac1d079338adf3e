"""Dates and time zones in requests."""

from __future__ import annotations

import datetime as dt

from msgspec import UnsetType
from sessiond_protocol.wire import given

from sessiond.clock import Zone, zone
from sessiond.errors import InvalidParams


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
