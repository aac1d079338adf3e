"""The usage that one line of a session records: tokens, cost, model and time.

Usage is recorded by assistant messages, tool results, `usage` entries, and the summaries of
compactions and branches (as in pi 1.6.0). All costs are US dollars, as pi writes them.
"""

from __future__ import annotations

import functools

import msgspec

from sessiond.format.entries import BRANCH_SUMMARY, COMPACTION, MESSAGE, MODEL_USAGE, USAGE
from sessiond.format.line import Line, parse_line
from sessiond.text.dates import parse_js_date
from sessiond.text.lenient import lenient

PARTS = ("input", "output", "cacheRead", "cacheWrite")
"""The kinds of tokens, in the order of all sequences of counts and of costs."""

ENTRY_TYPES = frozenset({USAGE, MODEL_USAGE, COMPACTION, BRANCH_SUMMARY})
"""Types of entries, other than messages, that may record usage."""

ROLES = frozenset({"assistant", "toolResult"})
"""Roles of messages that may record usage."""

_SAFE_INTEGER = 2**53

_SUBAGENT = "subagent"
"""The tool of pi-subagents, whose results have the usage of the subagents since 0.59.0."""

OF_SUBAGENTS = ("", "(subagents)")
"""The text that stands for the models of subagents in the usage of the session that began them."""


_Number = float | None


class _CostObject(msgspec.Struct, gc=False, frozen=True, rename="camel"):
    input: _Number = None
    output: _Number = None
    cache_read: _Number = None
    cache_write: _Number = None
    total: _Number = None


class _UsageObject(msgspec.Struct, gc=False, rename="camel"):
    input: _Number = None
    output: _Number = None
    cache_read: _Number = None
    cache_write: _Number = None
    cache_write_1h: _Number = msgspec.field(default=None, name="cacheWrite1h")
    cost: _CostObject = _CostObject()


_NO_COST = (None,) * 5
_decode_usage = lenient(_UsageObject)


class Amounts(msgspec.Struct, frozen=True, gc=False):
    """Tokens and US dollars of one usage object, each in the order of `PARTS`."""

    tokens: tuple[int, ...]
    dollars: tuple[float, ...]
    total: float
    """The recorded total cost; the sum of `dollars` if it is missing."""
    has_cost: bool
    """Whether any cost is recorded; if not, all dollars are 0."""
    for_an_hour: int = 0
    """How many of the tokens that were written to a cache it keeps for an hour."""


class EntryUsage(msgspec.Struct, frozen=True, gc=False):
    """The amount that one entry adds to the usage of its session."""

    entry_id: str
    """Empty for entries of version 1."""
    time: float | None
    """Epoch milliseconds."""
    model: tuple[str, str]
    amounts: Amounts | None
    """None for an assistant message without usage."""
    answer_id: str | None = None
    """The agent's id of the answer; see `Line`."""
    is_part: bool = False
    """Whether the entry continues an answer that was counted with its first entry."""
    priced_answers: int = 0
    """The number of other answers whose cost this entry records."""
    calculated: int = 0
    """1 if the cost of the answer was calculated, else 0."""


def usage_of(raw: bytes) -> EntryUsage | None:
    """The usage of a line of a file; None if it adds none.

    Every assistant message counts, also one without usage, and every other entry with usage.
    """
    # Most lines are of users and tools; this check skips them without decoding.
    if b'"usage"' not in raw and b'"assistant"' not in raw and b"\\u" not in raw:
        return None
    line = parse_line(raw)
    return None if line is None else usage_of_line(line)


def usage_of_line(line: Line) -> EntryUsage | None:
    """The usage of a decoded line; see `usage_of`."""
    role = role_of(line)
    used = amounts_of(line, role)
    if used is None and role != "assistant":
        return None
    return EntryUsage(
        line.id or "",
        time_of(line),
        model_of(line, role),
        used,
        line.answer_id,
        line.part_of is not None,
        line.priced_answers or 0,
    )


def model_of(line: Line, role: str | None) -> tuple[str, str]:
    """Provider and model that a line's usage counts for; both are empty if it names none.

    `role` is that of a message; None for other entries.
    """
    if role == "assistant" and line.message is not None:
        message = line.message
        return message.provider or "", message.response_model or message.model or ""
    if role == "toolResult" and line.message is not None and line.message.tool_name == _SUBAGENT:
        return OF_SUBAGENTS
    if role is None and line.type in (USAGE, MODEL_USAGE):
        return line.provider or "", line.model or ""
    return "", ""


def amounts_of(line: Line, role: str | None) -> Amounts | None:
    """Tokens and cost that a line records; None if it records no usage."""
    if role is None:
        return amounts(bytes(line.usage)) if line.type in ENTRY_TYPES else None
    if line.message is None or role not in ROLES:
        return None
    return amounts(bytes(line.message.usage))


def role_of(line: Line) -> str | None:
    """The role of a message ("" if it has none); None for other entries."""
    if line.type != MESSAGE:
        return None
    return "" if line.message is None else line.message.role or ""


def time_of(line: Line) -> float | None:
    """Epoch milliseconds of a message, else of its entry, as in lists; None if it has no time."""
    own = None if line.message is None else line.message.time
    return parse_js_date(line.timestamp if own is None else own)


@functools.lru_cache(maxsize=64)
def amounts(usage: bytes) -> Amounts | None:
    """Return what a usage object has; of translated answers most have used nothing.

    Values that are not numbers count as 0, and so do absurd ones.
    """
    read = _decode_usage(usage)
    if read is None:
        return None
    cost = read.cost
    paid = (cost.input, cost.output, cost.cache_read, cost.cache_write)
    counts = (read.input, read.output, read.cache_read, read.cache_write)
    dollars = tuple(map(_number, paid))
    return Amounts(
        tokens=tuple(int(_number(value)) for value in counts),
        dollars=dollars,
        total=sum(dollars) if cost.total is None else _number(cost.total),
        has_cost=(*paid, cost.total) != _NO_COST,
        for_an_hour=int(_number(read.cache_write_1h)),
    )


def _number(value: float | None) -> float:
    """The value if it is a number within the safe integer range of JSON, else 0."""
    return value if value is not None and abs(value) <= _SAFE_INTEGER else 0.0
