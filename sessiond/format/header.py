"""The first line of a session file."""

from __future__ import annotations

import re
from typing import Any

import attrs

from sessiond.jsontext import spans
from sessiond.jsontext.spans import Buffer, js_string, js_trim

_SAFE_INTEGER = 2**53 - 1
_SAFE_DIGITS = 255
"""Hexadecimal digits of the largest integers that surely are within a double's range."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PREFIXED_NUMBER = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INFINITY = re.compile(r"[+-]?Infinity")

CURRENT_VERSION = 3
"""What pi has written since its version 3 format. It is the version of new files."""

LATEST_VERSION = 4
"""What OpenClaw writes since 2026.9: version 3 with `reset` lines. Later versions are read as they
are, and reported as `unknownVersion`."""


@attrs.frozen
class Header:
    """The header's members as far as they matter; `raw` is its line without white space."""

    id: str
    version: float
    """1 where the header has none; NaN where it is something that no number can be made of."""
    timestamp: str
    cwd: str | None
    parent_session: str | None
    """`parentSession`, else `branchedFrom` of version 1."""
    provider: str | None
    """Initial settings, as version 1 wrote them in the header: provider, model, thinking level."""
    model_id: str | None
    thinking_level: str | None
    raw: bytes

    @property
    def is_known(self) -> bool:
        """Whether the version is one whose rules are known."""
        return 1 <= self.version <= LATEST_VERSION

    @property
    def whole_version(self) -> int:
        """The version as an integer; where none can hold it, the one whose rules the file follows.

        Not every number is one on the wire: JavaScript's integers end at 2^53.
        """
        if abs(self.version) <= _SAFE_INTEGER:
            return int(self.version)
        return CURRENT_VERSION


def parse_header(raw: bytes, value: dict[str, Any] | None = None) -> Header | None:
    """The header of a line; None unless it is an object of type `session` with a string id.

    `value` is the decoded line where it is at hand. Raises ValueError for what is not JSON.
    """
    value = spans.loads(raw) if value is None else value
    if not isinstance(value, dict) or value.get("type") != "session":
        return None
    session_id = value.get("id")
    if not isinstance(session_id, str):
        return None
    return Header(
        id=session_id,
        version=_version(value.get("version")),
        timestamp=_string(value, "timestamp") or "",
        cwd=_string(value, "cwd"),
        parent_session=_string(value, "parentSession") or _string(value, "branchedFrom"),
        provider=_string(value, "provider"),
        model_id=_string(value, "modelId"),
        thinking_level=_string(value, "thinkingLevel"),
        raw=raw,
    )


def _string(value: dict[str, Any], name: str) -> str | None:
    found = value.get(name)
    return found if isinstance(found, str) else None


def _version(value: object) -> float:
    """As JavaScript compares `version ?? 1` with numbers."""
    if value is None:
        return 1
    if isinstance(value, int | float):
        try:
            return value + 0.0 if isinstance(value, float) else int(value)
        except OverflowError:
            return float("inf")
    if isinstance(value, str):
        return _number_of(value)
    return float("nan")


def _number_of(text: str) -> float:
    """`Number(text)` in JavaScript, which takes other spellings than Python's float()."""
    trimmed = js_trim(text)
    if not trimmed:
        return 0
    if _NUMBER.fullmatch(trimmed) or _INFINITY.fullmatch(trimmed):
        return float(trimmed)
    if _PREFIXED_NUMBER.fullmatch(trimmed):
        digits, base = trimmed[2:], {"x": 16, "o": 8, "b": 2}[trimmed[1].lower()]
        # Beyond a double's range JavaScript has infinity, which int() would not become.
        return float(int(digits, base)) if len(digits) <= _SAFE_DIGITS else float("inf")
    return float("nan")


def new_header_line(
    session_id: str,
    timestamp: str,
    cwd: str,
    parent_session: str | None = None,
    *,
    source: Header | None = None,
) -> bytes:
    """A header as pi writes it: `type,version,id,timestamp,cwd[,parentSession]`.

    Its version is 3, or 4 where lines are copied from a session of version 4 (`source`).
    """
    version = CURRENT_VERSION
    if source is not None and source.is_known:
        version = max(version, int(source.version))
    line = b'{"type":"session","version":%d,"id":%b,"timestamp":%b,"cwd":%b' % (
        version,
        js_string(session_id),
        js_string(timestamp),
        js_string(cwd),
    )
    if parent_session is not None:
        line += b',"parentSession":' + js_string(parent_session)
    return line + b"}"


def with_version(raw: Buffer, version: int) -> bytes:
    """The header line with `version` set, in its place or as the last member."""
    return spans.replace_member(bytes(raw), "version", b"%d" % version)
