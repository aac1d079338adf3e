"""Translate the messages of opencode, each with its parts, into entry lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from sessiond.format.header import new_header_line
from sessiond.format.lines import (
    Stamp,
    compaction_line,
    custom_line,
    custom_message_line,
    message_line,
)
from sessiond.jsontext.dates import iso_from_ms
from sessiond.jsontext.parts import join_members, object_members, string_of
from sessiond.jsontext.spans import js_string, loads

Members = dict[str, bytes]
_QUIET = frozenset({"step-start", "step-finish", "snapshot", "patch", "retry", "agent"})
_ENDED = ("completed", "error")
_PREFIX = "opencode"


@attrs.frozen
class Session:
    """The row of a session; times in milliseconds."""

    id: str
    directory: str
    title: str
    parent_id: str | None
    created: int
    updated: int
    reverted: str | None
    """The first message that was taken back."""


@attrs.define
class Message:
    """A message and its parts, each with its id."""

    id: str
    created: int
    data: Members
    parts: list[tuple[str, Members]] = attrs.field(factory=list)

    @property
    def role(self) -> str | None:
        return string_of(self.data.get("role"))

    @property
    def is_complete(self) -> bool:
        """Whether opencode will not add to it: an answer is then completed, or has failed."""
        if self.role != "assistant":
            return bool(self.parts)
        return "completed" in _object(self.data.get("time")) or "error" in self.data


def header_of(database: str, session: Session) -> bytes:
    parent = None if session.parent_id is None else f"{database}/{session.parent_id}.jsonl"
    time = iso_from_ms(session.created) or ""
    return new_header_line(session.id, time, session.directory, parent)


def end_of(lines: Sequence[bytes]) -> str | None:
    """Return the id of the last of these entries."""
    return string_of(object_members(lines[-1]).get("id")) if lines else None


def entries_of(message: Message, above: str | None) -> Iterator[bytes]:
    """Yield the entries of a complete message, the first below `above`."""
    at = Stamp(message.id, above, iso_from_ms(message.created) or "")
    if message.role == "user":
        yield from _prompt(message, at)
    elif message.role != "assistant":
        yield custom_line(at, f"{_PREFIX}/{message.role}", join_members(*message.data.items()))
    elif message.data.get("summary") == b"true":
        text = "\n\n".join(_texts(message))
        yield compaction_line(at, summary=text, first_kept_entry_id=None, tokens_before=b"0")
    else:
        yield from _answer(message, at)


def _prompt(message: Message, at: Stamp) -> Iterator[bytes]:
    blocks: list[bytes] = []
    hidden: list[bytes] = []
    for _, part in message.parts:
        kind = string_of(part.get("type"))
        if kind == "text":
            into = hidden if part.get("synthetic") == b"true" else blocks
            into.append(_text(part.get("text", b'""')))
        elif kind == "file":
            blocks.append(_file(part))
        elif kind == "subtask":
            blocks.append(_text(part.get("prompt", b'""')))
        elif kind not in _QUIET and kind != "compaction":
            blocks.append(_unknown(kind))
    if blocks:
        content = b"[%b]" % b",".join([*blocks, *hidden])
        yield message_line(
            at,
            join_members(
                ("role", b'"user"'), ("content", content), ("timestamp", b"%d" % message.created)
            ),
        )
    elif hidden:
        content = b"[%b]" % b",".join(hidden)
        yield custom_message_line(at, custom_type=_PREFIX, content=content, display=False)


def _answer(message: Message, at: Stamp) -> Iterator[bytes]:
    blocks = []
    results: list[tuple[str, Members]] = []
    for part_id, part in message.parts:
        kind = string_of(part.get("type"))
        if kind == "text":
            blocks.append(_text(part.get("text", b'""')))
        elif kind == "reasoning":
            thought = part.get("text", b'""')
            blocks.append(join_members(("type", b'"thinking"'), ("thinking", thought)))
        elif kind == "tool":
            blocks.append(_call(part))
            results.append((part_id, part))
        elif kind not in _QUIET:
            blocks.append(_unknown(kind))
    failure = _failure(message)
    reason = b'"toolUse"' if results else b'"stop"'
    yield message_line(
        at,
        join_members(
            ("role", b'"assistant"'),
            ("content", b"[%b]" % b",".join(blocks)),
            ("api", b'"openai-completions"'),
            ("provider", message.data.get("providerID", b'""')),
            ("model", message.data.get("modelID", b'""')),
            ("usage", _usage(message.data)),
            ("stopReason", reason if failure is None else b'"error"'),
            ("errorMessage", failure),
            ("timestamp", b"%d" % message.created),
        ),
    )
    above = at.id
    for part_id, part in results:
        yield _result(part, Stamp(part_id, above, at.timestamp), message.created)
        above = part_id


def _call(part: Members) -> bytes:
    given = _object(part.get("state")).get("input", b"{}")
    return join_members(
        ("type", b'"toolCall"'),
        ("id", part.get("callID", b'""')),
        ("name", part.get("tool", b'""')),
        ("arguments", given if given.startswith(b"{") else b"{}"),
    )


def _result(part: Members, at: Stamp, time: int) -> bytes:
    state = _object(part.get("state"))
    status = string_of(state.get("status"))
    output = state.get("error" if status == "error" else "output", b'""')
    if status not in _ENDED:
        output = b'"[interrupted]"'
    exit_code = _object(state.get("metadata")).get("exit", b"0")
    return message_line(
        at,
        join_members(
            ("role", b'"toolResult"'),
            ("toolCallId", part.get("callID", b'""')),
            ("toolName", part.get("tool", b'""')),
            ("content", b"[%b]" % _text(output)),
            # A command that fails counts as completed.
            ("isError", b"false" if status == "completed" and exit_code in _NONE else b"true"),
            ("timestamp", b"%d" % time),
        ),
    )


_NONE = (b"0", b"null")


def _failure(message: Message) -> bytes | None:
    error = _object(message.data.get("error"))
    if not error:
        return None
    told = _object(error.get("data")).get("message") or error.get("name", b'""')
    return told if told.startswith(b'"') else b'""'


def _usage(data: Members) -> bytes:
    tokens = _object(data.get("tokens"))
    cache = _object(tokens.get("cache"))
    counts = {
        "input": _count(tokens.get("input")),
        "output": _count(tokens.get("output")) + _count(tokens.get("reasoning")),
        "cacheRead": _count(cache.get("read")),
        "cacheWrite": _count(cache.get("write")),
    }
    cost = data.get("cost")
    return join_members(
        *((name, b"%d" % count) for name, count in counts.items()),
        ("totalTokens", b"%d" % sum(counts.values())),
        ("cost", b"{}" if cost is None or not cost[:1].isdigit() else b'{"total":%b}' % cost),
    )


def _texts(message: Message) -> Iterator[str]:
    for _, part in message.parts:
        text = string_of(part.get("text"))
        if text and string_of(part.get("type")) == "text":
            yield text


def _file(part: Members) -> bytes:
    url, kind = string_of(part.get("url")) or "", string_of(part.get("mime")) or ""
    if kind.startswith("image/") and url.startswith("data:") and ";base64," in url:
        data = js_string(url.partition(";base64,")[2])
        return join_members(("type", b'"image"'), ("data", data), ("mimeType", js_string(kind)))
    name = string_of(part.get("filename")) or url[:200]
    return _text(js_string(f"[file {name}]"))


def _unknown(kind: str | None) -> bytes:
    return _text(js_string(f"[{kind or 'a part'} that is not shown]"))


def _text(raw: bytes) -> bytes:
    return join_members(("type", b'"text"'), ("text", raw if raw.startswith(b'"') else b'""'))


def _object(raw: bytes | None) -> Members:
    return object_members(raw) if raw is not None and raw.startswith(b"{") else {}


def _count(raw: bytes | None) -> int:
    value = 0 if raw is None else loads(raw)
    return value if type(value) is int and 0 <= value < 1 << 53 else 0
