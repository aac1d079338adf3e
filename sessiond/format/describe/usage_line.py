"""The usage that one line of a session records: tokens, cost, model and time.

Usage is recorded by assistant messages, tool results, `usage` entries, and the summaries of
compactions and branches (as in pi 1.5.2). All costs are US dollars, as pi writes them.
"""

from __future__ import annotations

import math
from typing import Any

import attrs
import msgspec

from sessiond.format.entries import BRANCH_SUMMARY, COMPACTION, MESSAGE, USAGE
from sessiond.format.line import Line, parse_line
from sessiond.jsontext.dates import parse_js_date
from sessiond.jsontext.spans import loads

PARTS = ("input", "output", "cacheRead", "cacheWrite")
"""The kinds of tokens, in the order of all sequences of counts and of costs."""

ENTRY_TYPES = frozenset({USAGE, COMPACTION, BRANCH_SUMMARY})
"""Types of entries, other than messages, that may record usage."""

_SAFE_INTEGER = 2**53


class _CostObject(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    total: float | None = None


class _UsageObject(msgspec.Struct, gc=False, rename="camel"):
    input: int | float = 0
    output: int | float = 0
    cache_read: int | float = 0
    cache_write: int | float = 0
    cost: _CostObject = _CostObject()


_NO_COST = (None,) * 5
_decode_usage = msgspec.json.Decoder(_UsageObject).decode


@attrs.frozen
class Amounts:
    """Tokens and US dollars of one usage object, each in the order of `PARTS`."""

    tokens: tuple[int, ...]
    dollars: tuple[float, ...]
    total: float
    """The recorded total cost; the sum of `dollars` if it is missing."""
    has_cost: bool
    """Whether any cost is recorded; if not, all dollars are 0."""


@attrs.frozen
class EntryUsage:
    """What one entry adds to the usage of its session."""

    entry_id: str
    """Empty for entries of version 1."""
    time: float | None
    """Epoch milliseconds."""
    model: tuple[str, str]
    amounts: Amounts | None
    """None for an assistant message without usage."""


def usage_of(raw: bytes) -> EntryUsage | None:
    """The usage of a line of a file; None if it adds none.

    Every assistant message counts, also one without usage, and every other entry with usage.
    """
    # Most lines are of users and tools; this check skips them without decoding.
    if b'"usage"' not in raw and b'"assistant"' not in raw and b"\\u" not in raw:
        return None
    line = parse_line(raw)
    if line is None:
        return None
    role = role_of(line)
    amounts = amounts_of(line, role)
    if amounts is None and role != "assistant":
        return None
    return EntryUsage(line.id or "", time_of(line), model_of(line, role), amounts)


def model_of(line: Line, role: str | None) -> tuple[str, str]:
    """Provider and model that a line's usage counts for; both are empty if it names none.

    `role` is that of a message; None for other entries.
    """
    if role == "assistant" and line.message is not None:
        message = line.message
        return message.provider or "", message.response_model or message.model or ""
    if role is None and line.type == USAGE:
        return line.provider or "", line.model or ""
    return "", ""


def amounts_of(line: Line, role: str | None) -> Amounts | None:
    """Tokens and cost that a line records; None if it records no usage."""
    if role is None:
        return _amounts(bytes(line.usage)) if line.type in ENTRY_TYPES else None
    if line.message is None or role not in {"assistant", "toolResult"}:
        return None
    return _amounts(bytes(line.message.usage))


def role_of(line: Line) -> str | None:
    """The role of a message ("" if it has none); None for other entries."""
    if line.type != MESSAGE:
        return None
    return "" if line.message is None else line.message.role or ""


def time_of(line: Line) -> float | None:
    """Epoch milliseconds of a message, else of its entry, as in lists; None if it has no time."""
    own = None if line.message is None else line.message.time
    return parse_js_date(line.timestamp if own is None else own)


def _amounts(usage: bytes) -> Amounts | None:
    """Values that are not numbers count as 0."""
    if not usage.startswith(b"{"):
        return None
    try:
        read = _decode_usage(usage)
    except (msgspec.MsgspecError, RecursionError):
        return _amounts_slowly(usage)
    cost = read.cost
    paid = (cost.input, cost.output, cost.cache_read, cost.cache_write, cost.total)
    counts = (read.input, read.output, read.cache_read, read.cache_write)
    if any(
        not -_SAFE_INTEGER <= value <= _SAFE_INTEGER for value in (*counts, *filter(None, paid))
    ):
        return _amounts_slowly(usage)
    dollars = tuple(value or 0.0 for value in paid[:-1])
    return Amounts(
        tokens=tuple(map(int, counts)),
        dollars=dollars,
        total=sum(dollars) if cost.total is None else cost.total,
        has_cost=paid != _NO_COST,
    )


def _amounts_slowly(usage: bytes) -> Amounts | None:
    """For members of unexpected types and absurd numbers."""
    try:
        value = loads(usage)
    except ValueError:
        return None
    given = value.get("cost")
    paid = given if isinstance(given, dict) else {}
    dollars = tuple(_number(paid.get(name)) for name in PARTS)
    total = paid.get("total")
    return Amounts(
        tokens=tuple(int(_number(value.get(name))) for name in PARTS),
        dollars=dollars,
        total=_number(total) if _is_number(total) else sum(dollars),
        has_cost=any(_is_number(paid.get(name)) for name in (*PARTS, "total")),
    )


def _number(value: Any) -> float:
    """The value if it is a number within the safe integer range of JSON, else 0."""
    if not _is_number(value) or not -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
        return 0
    return float(value)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and not math.isnan(value)
