"""Days, months and times on the command line, and the periods that they name."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from sessiond.cli.astext import moment, now
from sessiond.runtime.clock import (
    Zone,
    aware,
    day_in,
    now_ms,
    zone,
    zone_name,
)
from sessiond.runtime.named_times import WORDS, named_time

if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    _Text = click.ParamType

_TICK = timedelta(microseconds=1)


class When(_Text):
    """A day, month, year or moment, a time span back from now, or `FROM..TO`.

    The value is the text; what it means depends on a time zone, see `period`.
    """

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if str(value) in ("", ".."):
            # An unset variable of the shell must not mean all sessions.
            self.fail("must not be empty", param, ctx)
        for text in filter(None, str(value).split("..", 1)):
            try:
                named_time(text, now(), None)
            except ValueError:
                like = "6h, yesterday, tuesday, last week, 2026-11 or 2026-11-20"
                self.fail(f"{text!r} is no date, such as {like}", param, ctx)
        return str(value)

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        begin, dots, last = incomplete.rpartition("..")
        return [
            CompletionItem(f"{begin}{dots}{word}")
            for word in WORDS
            if word.startswith(last.lower())
        ]


class Period(NamedTuple):
    """The time that the options `--on`, `--since` and `--until` name, in a zone."""

    begin: datetime | None
    """None: there is no beginning."""
    end: datetime | None
    zone: Zone
    timezone: str | None
    """The name of the zone; None: that of this host."""
    has_time: bool

    @property
    def is_given(self) -> bool:
        """Whether the period was chosen by any option."""
        return self.begin is not None or self.end is not None

    @property
    def text(self) -> str:
        """The days that were meant, for people."""
        return f"days of the time zone {zone_name(now_ms(), self.zone)}"

    def days(self) -> dict[str, str | None]:
        """Return the params of a method that takes whole days.

        Raises UsageError if a time of the day was given.
        """
        if self.has_time:
            raise click.UsageError("whole days are meant, without a time")
        return {
            "since": self._day(self.begin),
            "until": self._day(None if self.end is None else self.end - _TICK),
            "timezone": self.timezone,
        }

    def _day(self, at: datetime | None) -> str | None:
        return None if at is None else day_in(at.timestamp() * 1000, self.zone)

    def times(self) -> dict[str, str | None]:
        """Return the params of a method that takes times."""
        return {
            "since": None if self.begin is None else self.begin.isoformat(),
            "until": None if self.end is None else self.end.isoformat(),
        }

    def holds(self, timestamp: str) -> bool:
        """Return whether the time of an ISO 8601 timestamp is in this period."""
        at = moment(timestamp)
        if at is None:
            return not self.is_given
        return (self.begin is None or at >= self.begin) and (self.end is None or at < self.end)


def period(
    on: str | None, since: str | None, until: str | None, timezone: str | None = None
) -> Period:
    """Return the period that the options of a command name.

    `FROM..TO` names both ends. Raises UsageError.
    """
    try:
        where = None if timezone is None else zone(timezone)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if on is not None and (since or until):
        raise click.UsageError("--on goes without --since and --until")
    both = on if on is not None else since if since is not None and ".." in since else None
    if both is not None and until is not None:
        raise click.UsageError("--since FROM..TO goes without --until")
    if both is not None:
        since, dots, until = both.partition("..")
        until = until if dots else since
    elif until is not None and ".." in until:
        raise click.UsageError("FROM..TO goes with --on")
    at = now()
    first, last = (named_time(text, at, where) if text else None for text in (since, until))
    if first is not None and first == last and first.begin == first.end and both is not None:
        # `--on 6h`: the time since then.
        last = None
    begin = None if first is None else aware(first.begin, where)
    end = None if last is None else aware(last.end, where)
    if begin is not None and end is not None and begin >= end:
        raise click.UsageError("the period ends before it begins")
    has_time = any(part is not None and part.has_time for part in (first, last))
    return Period(begin, end, where, timezone, has_time)
