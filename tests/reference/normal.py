"""Normalise the answers of two programs: ids, times and paths by name, numbers as in JavaScript.

Ids are named in order of appearance, times are masked only when they lie in this run (so a time
taken from the wrong entry shows), and numbers become what `JSON.parse` makes of them, because the
reference re-serialises what it stores while the daemon keeps the spelling it was given.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import attrs
from support.jsonwire import dumps

from reference.differences import without_halves

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_FILE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_QUOTED_ID = re.compile(r'"([0-9a-f]{8})"')
_EPOCH_MS = re.compile(r"(?<=:)\d{13}(?=[,}])")
_ARRAY_INDEX = re.compile(r"0|[1-9]\d{0,8}")
_LARGEST_EXACT = 2**53


@attrs.define
class Names:
    """Both sides' ids and directories, and the names they share for them."""

    roots: list[str]
    ids: dict[str, str] = attrs.field(factory=dict)
    started: float = attrs.field(factory=lambda: time.time() - 60)
    """Times since then count as times of this run, which may have begun before."""

    def text(self, value: str) -> str:
        """A string value in which the parts that differ from run to run are replaced."""
        if value in self.ids:
            return self.ids[value]
        if _ISO.fullmatch(value):
            return "<time>" if self._is_now(value) else value
        return self._place(value)

    def line(self, line: str) -> str:
        """A line of a file as text: nothing but ids, times and places changes."""
        line = _QUOTED_ID.sub(lambda m: f'"{self.ids.get(m[1], m[1])}"', line)
        line = _ISO.sub(lambda m: "<time>" if self._is_now(m[0]) else m[0], line)
        line = _EPOCH_MS.sub(lambda m: str(self.number(int(m[0]))), line)
        return self._place(line)

    def number(self, value: float) -> float | str:
        return "<time>" if self.started * 1000 <= value <= (time.time() + 60) * 1000 else value

    def _place(self, value: str) -> str:
        for root in self.roots:
            value = value.replace(root, "<root>")
        value = _FILE_TIME.sub("<time>", value)
        return _UUID.sub(lambda m: self.ids.get(m[0], "<uuid>"), value)

    def _is_now(self, iso: str) -> bool:
        then = datetime.strptime(iso, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
        return self.started <= then.timestamp() <= time.time() + 60


def normal(value: Any, names: Names) -> Any:
    """`value` with everything named and numbers and member order as JavaScript has them."""
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        number = javascript_number(value)
        return None if number is None else names.number(number)
    if isinstance(value, list):
        return [normal(item, names) for item in value]
    indices = sorted((k for k in value if _ARRAY_INDEX.fullmatch(k)), key=int)
    others = [k for k in value if not _ARRAY_INDEX.fullmatch(k)]
    return {key: normal(value[key], names) for key in [*indices, *others]}


def javascript_number(value: float) -> float | None:
    """As `JSON.stringify(JSON.parse(…))` leaves it: doubles, no minus zero, null when not finite."""
    if isinstance(value, int) and abs(value) <= _LARGEST_EXACT:
        return value
    double = float(value)
    if not math.isfinite(double):
        return None
    return int(double) if double.is_integer() and abs(double) <= _LARGEST_EXACT else double


def difference(ours: Any, theirs: Any, path: str = "$") -> str | None:
    """The first place where two normal forms differ, member order included; None when equal."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours:
            if key in theirs and (found := difference(ours[key], theirs[key], f"{path}.{key}")):
                return found
        if list(ours) != list(theirs):
            return f"{path}: members {list(ours)} instead of {list(theirs)}"
        return None
    if isinstance(ours, list) and isinstance(theirs, list):
        for i, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
            if found := difference(mine, other, f"{path}[{i}]"):
                return found
        if len(ours) != len(theirs):
            return f"{path}: {len(ours)} items instead of {len(theirs)}"
        return None
    if type(ours) is type(theirs) and ours == theirs:
        return None
    return f"{path}: {_short(ours)} instead of {_short(theirs)}"


def first_line_difference(ours: Iterable[str], theirs: Iterable[str]) -> str | None:
    mine, others = list(ours), list(theirs)
    for number, (a, b) in enumerate(zip(mine, others, strict=False), 1):
        if a != b:
            return f"line {number}:\n  ours   {a}\n  theirs {b}"
    return None if len(mine) == len(others) else f"{len(mine)} lines instead of {len(others)}"


def _short(value: Any) -> str:
    text = dumps(value)
    return text if len(text) <= 300 else f"{text[:300]}…"


def parsed(line: str) -> Any:
    return json.loads(line)


_TITLES = ("name", "firstMessage", "allMessagesText")


def listed(info: dict[str, Any]) -> dict[str, Any]:
    """The members of a SessionInfo both have, in one order."""
    beside = ("sizeBytes", "revision", "inUse", "activeSince", "activity", "lastUsed")
    return {
        name: without_halves(info[name]) if name in _TITLES else info[name]
        for name in sorted(info)
        if name not in beside
    }
