"""Statistics of a session: messages, tool calls, tokens and cost of all entries in its file.

Usage is added up as in pi 1.5.2: of assistant messages, tool results, `usage` entries, and the
summaries of compactions and branches. Entries of all branches count, compacted or not.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import attrs
import msgspec

from sessiond.format.entries import BRANCH_SUMMARY, COMPACTION, USAGE, Entry
from sessiond.format.text import Text
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.dates import iso_from_ms, parse_js_date
from sessiond.jsontext.parts import elements, object_members, string_of
from sessiond.jsontext.spans import loads

Counts = Callable[[str | None], bool]

PARTS = ("input", "output", "cacheRead", "cacheWrite")
_DAY = 86_400_000
_SAFE_INTEGER = 2**53
_NULL = msgspec.Raw(b"null")


@attrs.define
class Used:
    """Sums of tokens and US dollars, by `PARTS` and as `total`, and the number of messages."""

    tokens: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys((*PARTS, "total"), 0))
    cost: dict[str, float] = attrs.field(factory=lambda: dict.fromkeys((*PARTS, "total"), 0.0))
    messages: int = 0

    def add(self, tokens: dict[str, int], cost: dict[str, float]) -> None:
        for name, count in tokens.items():
            self.tokens[name] += count
        for name, dollars in cost.items():
            self.cost[name] += dollars

    def take(self, more: Used) -> None:
        self.add(more.tokens, more.cost)
        self.messages += more.messages


@attrs.define
class Stats:
    """The figures of one session."""

    by_role: Counter[str] = attrs.field(factory=Counter)
    tool_calls: int = 0
    branches: int = 0
    compactions: int = 0
    used: Used = attrs.field(factory=Used)
    by_model: defaultdict[tuple[str, str], Used] = attrs.field(factory=lambda: defaultdict(Used))
    """By provider and model, in order of first use; both are empty if not recorded."""
    by_day: defaultdict[str, Used] = attrs.field(factory=lambda: defaultdict(Used))
    """By `YYYY-MM-DD` in UTC."""
    first_activity: float | None = None
    """Epoch milliseconds of the earliest user or assistant message."""
    last_activity: float | None = None

    def take(self, more: Stats) -> None:
        """Add the figures of another session. Days may be out of order afterwards."""
        self.by_role.update(more.by_role)
        self.tool_calls += more.tool_calls
        self.branches += more.branches
        self.compactions += more.compactions
        self.used.take(more.used)
        for model, used in more.by_model.items():
            self.by_model[model].take(used)
        for day, used in more.by_day.items():
            self.by_day[day].take(used)
        self.saw(more.first_activity)
        self.saw(more.last_activity)

    def saw(self, at: float | None) -> None:
        """Include the time of a user or assistant message in the first and last activity."""
        if at is not None:
            first, last = self.first_activity, self.last_activity
            self.first_activity = at if first is None else min(at, first)
            self.last_activity = at if last is None else max(at, last)


class _CountedMessage(msgspec.Struct, gc=False, rename="camel"):
    role: str = ""
    provider: str | None = None
    model: str | None = None
    response_model: str | None = None
    content: msgspec.Raw = _NULL
    usage: msgspec.Raw = _NULL
    timestamp: msgspec.Raw = _NULL


class _CountedLine(msgspec.Struct, gc=False):
    """The counted members of a line; `usage`, `provider` and `model` are of other entry types."""

    message: _CountedMessage | None = None
    provider: str | None = None
    model: str | None = None
    usage: msgspec.Raw = _NULL


class _CountedBlock(msgspec.Struct, gc=False):
    type: str = ""


_decode_line = msgspec.json.Decoder(_CountedLine).decode
_decode_blocks = msgspec.json.Decoder(list[_CountedBlock]).decode


def count(text: Text, entries: list[Entry], counts: Counts | None = None) -> Stats:
    """Compute the statistics of a session. Slow for a big one; the arguments are not changed.

    `counts` tells for a day (None: no valid time) whether its entries count; branches always do.
    """
    stats = Stats()
    tree = Tree(text, entries)
    for entry in entries:
        _take(stats, entry, tree.line(entry), counts)
    stats.branches = tree.count_branches()
    stats.by_day = defaultdict(Used, sorted(stats.by_day.items()))
    return stats


def _take(stats: Stats, entry: Entry, raw: bytes, counts: Counts | None) -> None:
    if entry.role is None and entry.type not in {USAGE, COMPACTION, BRANCH_SUMMARY}:
        return
    line = _parse(raw)
    message = line.message or _CountedMessage()
    at = _time(message, entry)
    if counts is not None and not counts(_day(at)):
        return
    model = ("", "")
    usage = line.usage
    if entry.role is not None:
        usage = message.usage if entry.role in {"assistant", "toolResult"} else _NULL
        _take_message(stats, entry, at)
    if entry.role == "assistant":
        stats.tool_calls += _tool_calls(bytes(message.content))
        model = message.provider or "", message.response_model or message.model or ""
        stats.by_model[model].messages += 1
    elif entry.type == USAGE:
        model = line.provider or "", line.model or ""
    elif entry.type == COMPACTION:
        stats.compactions += 1
    amounts = _amounts(bytes(usage))
    if amounts is not None:
        stats.used.add(*amounts)
        stats.by_model[model].add(*amounts)
        if (today := _day(at)) is not None:
            stats.by_day[today].add(*amounts)


def _take_message(stats: Stats, entry: Entry, at: float | None) -> None:
    stats.by_role[entry.role or ""] += 1
    if at is None:
        return
    if (day := _day(at)) is not None:
        stats.by_day[day].messages += 1
    if entry.is_conversation:
        stats.saw(at)


def _parse(raw: bytes) -> _CountedLine:
    try:
        return _decode_line(raw)
    except (msgspec.MsgspecError, RecursionError):
        # Lone surrogates, members of unexpected types, or deep nesting.
        line = object_members(raw)
    message = line.get("message", b"")
    inner = object_members(message) if message.startswith(b"{") else {}
    return _CountedLine(
        message=_CountedMessage(
            provider=string_of(inner.get("provider")),
            model=string_of(inner.get("model")),
            response_model=string_of(inner.get("responseModel")),
            content=msgspec.Raw(inner.get("content", b"null")),
            usage=msgspec.Raw(inner.get("usage", b"null")),
            timestamp=msgspec.Raw(inner.get("timestamp", b"null")),
        ),
        provider=string_of(line.get("provider")),
        model=string_of(line.get("model")),
        usage=msgspec.Raw(line.get("usage", b"null")),
    )


def _time(message: _CountedMessage, entry: Entry) -> float | None:
    """The time of a message, else of its entry, as in lists."""
    own = loads(bytes(message.timestamp))
    if _is_number(own):
        return parse_js_date(own)
    return parse_js_date(entry.timestamp)


def _day(at: float | None) -> str | None:
    return None if at is None else _date(at // _DAY)


@functools.lru_cache
def _date(day: float) -> str | None:
    """`YYYY-MM-DD` of a day number since the epoch, in UTC."""
    moment = iso_from_ms(day * _DAY)
    return None if moment is None else moment[:10]


def _tool_calls(content: bytes) -> int:
    if b'"toolCall"' not in content:
        return 0
    try:
        return sum(block.type == "toolCall" for block in _decode_blocks(content))
    except (msgspec.MsgspecError, RecursionError):
        blocks = (block for block in elements(content) if block.startswith(b"{"))
        return sum(string_of(object_members(block).get("type")) == "toolCall" for block in blocks)


def _amounts(usage: bytes) -> tuple[dict[str, int], dict[str, float]] | None:
    """Tokens and cost of a usage object, else None. Values that are not numbers count as 0."""
    if not usage.startswith(b"{"):
        return None
    try:
        value = loads(usage)
    except ValueError:
        return None
    tokens = {name: int(_number(value.get(name))) for name in PARTS}
    tokens["total"] = sum(tokens.values())
    given = value.get("cost")
    paid = given if isinstance(given, dict) else {}
    cost = {name: _number(paid.get(name)) for name in PARTS}
    total = paid.get("total")
    cost["total"] = _number(total) if _is_number(total) else sum(cost.values())
    return tokens, cost


def _number(value: Any) -> float:
    """The value if it is a number within the safe integer range of JSON, else 0."""
    if not _is_number(value) or not -_SAFE_INTEGER <= value <= _SAFE_INTEGER:
        return 0
    return float(value)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and not math.isnan(value)
