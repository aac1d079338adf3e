"""What pi requires of an entry: it ends with an error when it opens or continues a file without it.

Found by opening sessions in pi 1.5.2 whose members were left out or replaced one by one. Members
that pi can do without, such as the timestamp of a message, are not checked, and neither are
messages and blocks of kinds that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sessiond.errors import InvalidParams
from sessiond.format.entries import (
    BRANCH_SUMMARY,
    COMPACTION,
    CONTEXT_EDIT,
    CUSTOM_MESSAGE,
    MESSAGE,
    SESSION_INFO,
    SUMMARY_ROLES,
    USAGE,
)
from sessiond.jsontext.parts import elements, string_of
from sessiond.jsontext.spans import Buffer, loads, raw_members

Members = dict[str, bytes]
"""The members of an object, as they are written."""

_NULL = b"n"
_STRING = b'"'
_ARRAY = b"["
_OBJECT = b"{"
_LONGEST_NAME = 64
"""The names of types and roles are shorter."""


def check_entry(line: Buffer) -> None:
    """Raise InvalidParams unless pi can read this entry; the path is that in the line."""
    entry = _object(line, "$")
    check = _ENTRIES.get(_name(entry.get("type")))
    if check is not None:
        check(entry)


def check_message(message: Buffer, path: str) -> None:
    """Raise InvalidParams unless pi can read this message."""
    members = _object(message, path)
    check = _MESSAGES.get(_name(members.get("role")))
    if check is not None:
        check(members, path)


def check_content(content: Buffer | None, path: str) -> None:
    """Raise InvalidParams unless this is a text, or an array of blocks."""
    if content is None or content[:1] != _STRING:
        _check_blocks(_expect(_ARRAY, "a string or an array", content, path), path)


def check_usage(usage: Buffer | None, path: str) -> None:
    """Raise InvalidParams unless pi can add up this usage."""
    cost = _object(_object(usage, path).get("cost"), f"{path}.cost")
    total = cost.get("total")
    if total is not None and total[:1] in (_STRING, _ARRAY, _OBJECT):
        raise InvalidParams.misfit("a number", bytes(total[:1]), f"{path}.cost.total")


def check_replacement(replacement: Buffer | None, path: str) -> None:
    """Raise InvalidParams unless this is null or an object with content."""
    if replacement != b"null":
        check_content(_object(replacement, path).get("content"), f"{path}.content")


def _user(message: Members, path: str) -> None:
    if _is_given(message, "content"):
        check_content(message["content"], f"{path}.content")


def _assistant(message: Members, path: str) -> None:
    _check_array(message, path)
    check_usage(message.get("usage"), f"{path}.usage")


def _tool_result(message: Members, path: str) -> None:
    _check_array(message, path)
    _check_given_usage(message, path)


def _bash_execution(message: Members, path: str) -> None:
    for name in ("command", "output"):
        _expect(_STRING, "a string", message.get(name), f"{path}.{name}")


def _custom(message: Members, path: str) -> None:
    check_content(message.get("content"), f"{path}.content")


def _system(message: Members, path: str) -> None:
    _user(message, path)
    for name in ("toolsAdded", "toolsRemoved"):
        if _is_given(message, name):
            where = f"{path}.{name}"
            tools = _expect(_ARRAY, "an array", message[name], where)
            for number, tool in enumerate(elements(tools)):
                _expect(_OBJECT, "an object", tool, f"{where}[{number}]")


_MESSAGES: dict[str | None, Callable[[Members, str], None]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _tool_result,
    "bashExecution": _bash_execution,
    "custom": _custom,
    "system": _system,
}


def _message(entry: Members) -> None:
    check_message(_expect(_OBJECT, "an object", entry.get("message"), "$.message"), "$.message")


def _compaction(entry: Members) -> None:
    if not _is_given(entry, "tokensBefore"):
        sent = b"null" if "tokensBefore" in entry else None
        raise InvalidParams.misfit("an integer", sent, "$.tokensBefore")
    _check_given_usage(entry, "$")
    if _is_given(entry, "systemMessage"):
        check_message(entry["systemMessage"], "$.systemMessage")


def _custom_message(entry: Members) -> None:
    if _is_given(entry, "content"):
        check_content(entry["content"], "$.content")


def _context_edit(entry: Members) -> None:
    check_replacement(entry.get("replacement"), "$.replacement")


def _session_info(entry: Members) -> None:
    if _is_given(entry, "name"):
        _expect(_STRING, "a string", entry["name"], "$.name")


_ENTRIES: dict[str | None, Callable[[Members], None]] = {
    MESSAGE: _message,
    COMPACTION: _compaction,
    BRANCH_SUMMARY: lambda entry: _check_given_usage(entry, "$"),
    CUSTOM_MESSAGE: _custom_message,
    USAGE: lambda entry: check_usage(entry.get("usage"), "$.usage"),
    CONTEXT_EDIT: _context_edit,
    SESSION_INFO: _session_info,
}


def _check_array(message: Members, path: str) -> None:
    if _is_given(message, "content"):
        where = f"{path}.content"
        _check_blocks(_expect(_ARRAY, "an array", message["content"], where), where)


def _check_blocks(content: Buffer, path: str) -> None:
    for number, each in enumerate(elements(content)):
        where = f"{path}[{number}]"
        block = _object(each, where)
        kind = _name(_expect(_STRING, "a string", block.get("type"), f"{where}.type"))
        if kind in {"text", "thinking"}:
            _expect(_STRING, "a string", block.get(kind), f"{where}.{kind}")
        elif kind == "toolCall":
            _expect(_STRING, "a string", block.get("name"), f"{where}.name")
            if "arguments" not in block:
                raise InvalidParams.misfit("an object", None, f"{where}.arguments")


def _check_given_usage(members: Members, path: str) -> None:
    if _is_given(members, "usage"):
        check_usage(members["usage"], f"{path}.usage")


def _is_given(members: Members, name: str) -> bool:
    """Whether a member is there and not null, which pi treats alike."""
    return members.get(name, b"null")[:1] != _NULL


def _expect(first: bytes, expected: str, value: Buffer | None, path: str) -> Buffer:
    """Return the value. Raises InvalidParams unless it is there and begins with this byte."""
    if value is None:
        raise InvalidParams.misfit(expected, None, path)
    if value[:1] != first:
        raise InvalidParams.misfit(expected, bytes(value[:1]), path)
    return value


def _name(value: Buffer | None) -> str | None:
    if value is None or len(value) > _LONGEST_NAME:
        return None
    return string_of(bytes(value))


def _object(raw: Buffer | None, path: str) -> Members:
    return raw_members(_expect(_OBJECT, "an object", raw, path))


class _SentRole(msgspec.Struct, gc=False):
    role: str


_decode_role = msgspec.json.Decoder(_SentRole).decode


def _has_plain_role(message: bytes) -> bool:
    """Whether it surely may be appended, which is so for nearly every message."""
    try:
        return _decode_role(message).role not in SUMMARY_ROLES
    except (msgspec.MsgspecError, RecursionError):
        return False


def check_role(message: bytes) -> None:
    """Raise InvalidParams unless this JSON is an object with a role that may be appended."""
    path = "$.message"
    if _has_plain_role(message):
        return
    try:
        role = raw_members(message).get("role")
    except ValueError:
        raise InvalidParams.misfit("an object", message, path) from None
    if role is None or not role.startswith(b'"'):
        raise InvalidParams.misfit("a string", role, f"{path}.role")
    summary = SUMMARY_ROLES.get(str(loads(role)))
    if summary is not None:
        verb = "appendCompaction" if summary == COMPACTION else "branchWithSummary"
        raise InvalidParams(f"use session/{verb} for summaries", f"{path}.role")


def check_replacement_form(replacement: bytes) -> None:
    """Raise InvalidParams unless this is `null`, or an object with string or array content."""
    problem = "Context edit replacement must be null or contain string/array content"
    if replacement == b"null":
        return
    try:
        content = raw_members(replacement).get("content", b"")
    except ValueError:
        raise InvalidParams(problem, "$.replacement") from None
    if content[:1] not in {b'"', b"["}:
        raise InvalidParams(problem, "$.replacement.content")
