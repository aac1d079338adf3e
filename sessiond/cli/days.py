"""Whole days on the command line."""

from __future__ import annotations

import click

from sessiond.cli.astext import now
from sessiond.clock import earlier


def day_of(given: int | str | None, timezone: str | None) -> str | None:
    """The day of a span back from now, or of a date. Raises UsageError for a time of the day."""
    if isinstance(given, int):
        from zoneinfo import ZoneInfo  # noqa: PLC0415 - seldom needed

        try:
            zone = None if timezone is None else ZoneInfo(timezone)
        except (KeyError, ValueError, OSError):
            raise click.UsageError(f"no time zone has the name {timezone!r}") from None
        return earlier(now(), given).astimezone(zone).date().isoformat()
    if given is not None and len(given) > len("2026-01-31"):
        raise click.UsageError(f"whole days are meant; {given} names a time")
    return given
