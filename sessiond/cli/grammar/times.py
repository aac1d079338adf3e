"""Parse dates and time spans on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _When = click.ParamType[int | str]
else:
    _When = click.ParamType

_SPAN = re.compile(r"(\d{1,6})(m|h|d|w|mo|y)")
_MINUTES = {"m": 1, "h": 60, "d": 1440, "w": 7 * 1440, "mo": 30 * 1440, "y": 365 * 1440}
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")


class Since(_When):
    """A time span before now (`90m`, `6h`, `2d`, `3w`, `6mo`, `1y`), or a local date or time.

    The value is a number of minutes, or the text of the date.
    """

    name = "when"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        if isinstance(value, int):
            return value
        span = _SPAN.fullmatch(value)
        if span is not None:
            return int(span[1]) * _MINUTES[span[2]]
        if not _DATE.fullmatch(value) or not _exists(value):
            self.fail(f"{value!r} is neither a span such as 6h or 2d nor a date", param, ctx)
        return str(value)


class Span(Since):
    """A time span; the value is a number of minutes."""

    name = "span"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        span = super().convert(value, param, ctx) if _SPAN.fullmatch(str(value)) else value
        if not isinstance(span, int):
            self.fail(f"{value!r} is not a span such as 6h or 30d", param, ctx)
        return span


def _exists(date: str) -> bool:
    from datetime import datetime  # noqa: PLC0415 - seldom given

    try:
        datetime.fromisoformat(date)
    except ValueError:
        return False
    return True
