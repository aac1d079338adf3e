"""Times as `datetime`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec import UnsetType

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_datetime(time: str | float) -> datetime:
    """Return a time of an entry, a session or a message as a `datetime` with its time zone.

    Entries and sessions have ISO 8601 texts, messages have Unix milliseconds. Raises `ValueError`.
    """
    if not isinstance(time, str):
        return _EPOCH + timedelta(milliseconds=time)
    found = datetime.fromisoformat(time)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def as_optional_datetime(time: str | float | UnsetType | None) -> datetime | None:
    """Return a time as `as_datetime` does, and None if there is none."""
    return None if time is None or isinstance(time, UnsetType) else as_datetime(time)
