"""Format values as text for people: times, sizes, titles and short ids, columns of tables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

# Compiling the expressions of `text/safe.py` takes longer than a list that a daemon answers.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def clean(text: str) -> str:
    """Remove characters that control the terminal or reverse the direction of text."""
    # The usual text, which is one of thousands of cells.
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub("\ufffd", text)


def one_line(text: str) -> str:
    return clean(" ".join(text.split()))


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def moment(timestamp: str) -> datetime | None:
    """Return the time of an ISO 8601 timestamp; None if the timestamp is not valid."""
    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def age(timestamp: str) -> str:
    """Return the age in the units of pi's session selector: now, m, h, d, w, mo, y."""
    then = moment(timestamp)
    if then is None:
        return "?"
    minutes = int((now() - then).total_seconds() // 60)
    days = minutes // 1440
    steps = [
        (minutes < 1, "now"),
        (minutes < 60, f"{minutes}m"),
        (minutes < 1440, f"{minutes // 60}h"),
        (days < 7, f"{days}d"),
        (days < 30, f"{days // 7}w"),
        (days < 365, f"{days // 30}mo"),
    ]
    return next((text for holds, text in steps if holds), f"{days // 365}y")


def last_use(info: Mapping[str, Any]) -> str:
    """Return the age of a session's last use."""
    return age(info.get("lastUsed", info["modified"]))


def size(count: float) -> str:
    """Format a number of bytes with a suitable unit."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def homely(path: str) -> str:
    """Return a path with `~` in place of the home directory."""
    from sessiond.runtime.home import with_tilde

    return with_tilde(path, os.environ.get("HOME", ""))


def amount(count: float) -> str:
    """A number of tokens in at most six characters: 950, 12.3k, 4.56M."""
    value = float(count)
    if abs(value) < 1000:
        return f"{value:.0f}"
    for unit in "kMGTPE":
        value /= 1000
        # Rounding must not lead to a fourth digit before the point.
        digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
        text = f"{value:.{digits}f}"
        if abs(float(text)) < 1000:
            return f"{text}{unit}"
    return f"{value:.0f}E"


UNKNOWN = "\N{EN DASH}"
"""Stands for a figure that is not recorded."""


def cost(sums: Mapping[str, Any], digits: int = 2) -> str:
    """Return the cost of a sum, as `dollars` does."""
    value = sums["cost"]["total"] if "cost" in sums else None
    return dollars(value, sums, digits)


def dollars(value: float | None, sums: Mapping[str, Any], digits: int = 2) -> str:
    """Return a cost as text; None: it is unknown.

    With a `~` if that of some entries of `sums` is calculated, with a `+` if it is unknown.
    """
    if value is None:
        return UNKNOWN
    mark, sign = "~" if sums.get("calculated") else "", "-" if value < 0 else ""
    return f"{mark}{sign}${abs(value):,.{digits}f}{'+' if sums.get('withoutCost') else ''}"


def calculation(count: int, prices: Mapping[str, str]) -> str:
    """Say that the cost of so many entries is calculated, and with which prices."""
    data = f"{prices['package']} {prices['version']}"
    entries = "1 entry" if count == 1 else f"{count:,} entries"
    return f"the cost of {entries} is calculated (~), with the prices of {data}"


def undone(answer: Mapping[str, Any]) -> list[str]:
    """Say what an answer of `catalog/undo` has taken back."""
    return [_undone(change) for change in answer["changes"]]


def _undone(change: Mapping[str, Any]) -> str:
    path = change["path"]
    if change["kind"] == "delete":
        return f"restored: {path}"
    if change["kind"] == "rename":
        name = change["name"]
        return f"named {name!r} again: {path}" if name else f"without a name: {path}"
    label = change["label"]
    what = f"labelled {label!r} again" if label else "without a label"
    return f"{what}: {change['entryId']} of {path}"


_LONGEST = 200
"""Maximum number of characters; no terminal shows more in a line."""


def title(info: Mapping[str, Any]) -> str:
    """Return the session's name, else its first message, in one line."""
    return one_line(str(info.get("name") or info.get("firstMessage") or "")[: 4 * _LONGEST])[
        :_LONGEST
    ]


def marks_text(marks: Mapping[str, Any] | None) -> str:
    """Return the marks of a session as words, tags with a `#`; empty if it has none."""
    if marks is None:
        return ""
    words = [name for name in ("pinned", "hidden") if marks[name]]
    return one_line(" ".join([*words, *(f"#{tag}" for tag in marks["tags"])]))


def marked_title(info: Mapping[str, Any]) -> str:
    """Return the title of a session behind a star if it is pinned."""
    return f"★ {title(info)}" if info.get("marks", {}).get("pinned") else title(info)


def tags_text(info: Mapping[str, Any]) -> str:
    """Return the tags of a session."""
    return one_line(" ".join(f"#{tag}" for tag in info.get("marks", {}).get("tags", ())))


def state(info: Mapping[str, Any]) -> str:
    """Return what the agent of a session does: `running`, `waiting`, …; empty: not known."""
    return str(info.get("activity", {}).get("state", ""))


# Importing attrs would take a fifth of the time of a list that a shared daemon answers.
class Column(NamedTuple):
    """A column of a table on a terminal."""

    name: str
    least: int = 0
    """Minimum width in cells; 0: it is never shortened."""
    rank: int = 0
    """On a narrow terminal the column with the highest rank is omitted first; 0: never."""
    right: bool = False
    """Whether it is aligned to the right, for numbers."""
    cut: Literal["end", "middle", "start"] = "end"
    """Which part of a cell that is too long is omitted."""
