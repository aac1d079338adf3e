"""The first line of a session file."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import Any

import msgspec

from sessiond.format.title_slot import title_in_slot
from sessiond.text import spans
from sessiond.text.parts import join_members
from sessiond.text.spans import Buffer, js_string

_SAFE_INTEGER = 2**53 - 1
_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)

CURRENT_VERSION = 3
"""The version pi writes, and the version of new files."""

LATEST_VERSION = 4
"""The version OpenClaw writes since 2026.9: version 3 with `reset` lines. Files of later versions
are read without migration and reported as `unknownVersion`."""


PARENT = "parentSession"
"""The member with the path of the session that this one was made of, or that began it."""


class Subagent(msgspec.Struct, frozen=True, gc=False):
    """Tells that an agent began the session: member `subagent` of a translated header."""

    kind: str | None = None
    """The kind of the subagent, as its agent names it."""
    tool_call_id: str | None = None
    """The tool call in the parent session that began it."""


class Header(msgspec.Struct, frozen=True, gc=False):
    """The members of a header that sessiond uses; `raw` is its line without outer white space.

    A msgspec struct, because a list makes one for each of thousands of files.
    """

    id: str
    version: float
    """1 if the header has none; NaN if its value cannot be converted to a number."""
    timestamp: str
    cwd: str | None
    parent_session: str | None
    """`parentSession`, or `branchedFrom` of version 1."""
    provider: str | None
    """Initial settings, which version 1 wrote in the header: provider, model, thinking level."""
    model_id: str | None
    thinking_level: str | None
    raw: bytes
    subagent: Subagent | None = None
    """Set if an agent began the session, that of `parent_session`."""
    title: str | None = None
    """The name that Oh My Pi gave to the session, in the header or in the line before it."""

    @property
    def is_known(self) -> bool:
        """Whether sessiond knows the rules of this version."""
        return 1 <= self.version <= LATEST_VERSION

    @property
    def whole_version(self) -> int:
        """The version as an integer; version 3 if the number is beyond 2^53.

        JavaScript clients cannot read larger integers exactly. Such a file is read by the rules of
        version 3.
        """
        if abs(self.version) <= _SAFE_INTEGER:
            return int(self.version)
        return CURRENT_VERSION


def parse_header(raw: bytes, value: dict[str, Any] | None = None) -> Header | None:
    """Parse a header line; None unless it is an object of type `session` with a string id.

    `value` is the decoded line, if the caller has it. Raises ValueError if `raw` is not JSON.
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
        subagent=_subagent(value.get("subagent")),
        title=_string(value, "title"),
    )


def with_title(header: Header, title: str) -> Header:
    """Return the header with the title of the line before it, which replaces its own."""
    return msgspec.structs.replace(header, title=title)


def _subagent(value: object) -> Subagent | None:
    if not isinstance(value, dict):
        return None
    return Subagent(_string(value, "kind"), _string(value, "toolCallId"))


def _string(value: dict[str, Any], name: str) -> str | None:
    member = value.get(name)
    return member if isinstance(member, str) else None


def _version(value: object) -> float:
    """Return the number that `version ?? 1` is for JavaScript; NaN for any but a number's text."""
    if value is None:
        return 1
    if isinstance(value, int | float) or (isinstance(value, str) and _DECIMAL.fullmatch(value)):
        return float(value)
    return math.nan


def new_header_line(
    session_id: str,
    timestamp: str,
    cwd: str,
    parent_session: str | None = None,
    *,
    source: Header | None = None,
    subagent: Subagent | None = None,
) -> bytes:
    """Return a header as pi writes it: `type,version,id,timestamp,cwd[,parentSession]`.

    Its version is 3, or 4 if lines are copied from a session of version 4 (`source`).
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
    if subagent is not None:
        members = (("kind", subagent.kind), ("toolCallId", subagent.tool_call_id))
        texts = ((name, js_string(value)) for name, value in members if value is not None)
        line += b',"subagent":' + join_members(*texts)
    return line + b"}"


def with_version(raw: Buffer, version: int) -> bytes:
    """Set `version` in a header line, in its place or as the last member."""
    return spans.replace_member(bytes(raw), "version", b"%d" % version)


def header_in(data: bytes) -> tuple[Header, slice] | None:
    """Return the header of a file, and where its bytes are; None if the file is not a session.

    Lines before it that are not JSON do not count.
    """
    at = 0
    while at < len(data):
        newline = data.find(b"\n", at)
        end = len(data) if newline < 0 else newline
        raw = data[at:end].strip()
        if raw and (at or title_in_slot(raw) is None):
            with suppress(ValueError):
                header = parse_header(raw)
                start = data.index(raw, at, end)
                return None if header is None else (header, slice(start, start + len(raw)))
        at = end + 1
    return None
