"""Translate the messages of opencode, each with its parts, into entry lines."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from sessiond.agents.messages import (
    Members,
    all_of,
    answer_line,
    call_block,
    content_of,
    count_of,
    image_at,
    members_of,
    prompt_line,
    result_line,
    text_block,
    thinking_block,
    unknown_block,
    unknown_line,
    usage_of,
)
from sessiond.format.header import Subagent, new_header_line
from sessiond.format.lines import (
    Stamp,
    compaction_line,
    custom_message_line,
)
from sessiond.text.dates import iso_from_ms
from sessiond.text.parts import string_of
from sessiond.text.spans import js_string

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
    def has_ended(self) -> bool:
        """Whether opencode will not add to it: an answer is then completed, or has failed."""
        if self.role != "assistant":
            return bool(self.parts)
        return "completed" in members_of(self.data.get("time")) or "error" in self.data


def header_of(database: str, session: Session) -> bytes:
    parent = None if session.parent_id is None else f"{database}/{session.parent_id}.jsonl"
    time = iso_from_ms(session.created) or ""
    subagent = None if parent is None else Subagent()
    return new_header_line(session.id, time, session.directory, parent, subagent=subagent)


def entries_of(message: Message, above: str | None) -> Iterator[bytes]:
    """Yield the entries of a message, the first below `above`.

    An answer that has not ended was aborted.
    """
    at = Stamp(message.id, above, iso_from_ms(message.created) or "")
    if message.role == "user":
        yield from _prompt(message, at)
    elif message.role != "assistant":
        yield unknown_line(at, _PREFIX, message.role or "message", all_of(message.data))
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
            into.append(text_block(part.get("text", b'""')))
        elif kind == "file":
            blocks.append(_file(part))
        elif kind == "subtask":
            blocks.append(text_block(part.get("prompt", b'""')))
        elif kind not in _QUIET and kind != "compaction":
            blocks.append(unknown_block(kind))
    if blocks:
        yield prompt_line(at, content_of([*blocks, *hidden]))
    elif hidden:
        content = content_of(hidden)
        yield custom_message_line(at, custom_type=_PREFIX, content=content, display=False)


def _answer(message: Message, at: Stamp) -> Iterator[bytes]:
    blocks = []
    results: list[tuple[str, Members]] = []
    for part_id, part in message.parts:
        kind = string_of(part.get("type"))
        if kind == "text":
            blocks.append(text_block(part.get("text", b'""')))
        elif kind == "reasoning":
            blocks.append(thinking_block(part.get("text", b'""')))
        elif kind == "tool":
            blocks.append(_call(part))
            results.append((part_id, part))
        elif kind not in _QUIET:
            blocks.append(unknown_block(kind))
    failure = _failure(message)
    reason = b'"toolUse"' if results else b'"stop"'
    if failure is not None:
        reason = b'"error"'
    elif not message.has_ended:
        reason = b'"aborted"'
    yield answer_line(
        at,
        content_of(blocks),
        api=b'"openai-completions"',
        provider=message.data.get("providerID", b'""'),
        model=message.data.get("modelID", b'""'),
        usage=_usage(message.data),
        reason=reason,
        error=failure,
    )
    above = at.id
    for part_id, part in results:
        yield _result(part, Stamp(part_id, above, at.timestamp))
        above = part_id


def _call(part: Members) -> bytes:
    given = members_of(part.get("state")).get("input", b"{}")
    return call_block(part.get("callID", b'""'), part.get("tool", b'""'), given)


def _result(part: Members, at: Stamp) -> bytes:
    state = members_of(part.get("state"))
    status = string_of(state.get("status"))
    output = state.get("error" if status == "error" else "output", b'""')
    if status not in _ENDED:
        output = b'"[interrupted]"'
    # A command that fails counts as completed.
    exit_code = members_of(state.get("metadata")).get("exit", b"0")
    failed = status != "completed" or exit_code not in _NONE
    content = content_of([text_block(output)])
    call_id, name = part.get("callID", b'""'), part.get("tool", b'""')
    return result_line(at, call_id, name, content, failed=failed)


_NONE = (b"0", b"null")


def _failure(message: Message) -> bytes | None:
    error = members_of(message.data.get("error"))
    if not error:
        return None
    told = members_of(error.get("data")).get("message") or error.get("name", b'""')
    return told if told.startswith(b'"') else b'""'


def _usage(data: Members) -> bytes:
    tokens = members_of(data.get("tokens"))
    cache = members_of(tokens.get("cache"))
    given, output = count_of(tokens.get("input")), count_of(tokens.get("output"))
    read, written = count_of(cache.get("read")), count_of(cache.get("write"))
    if count_of(tokens.get("total")) > given + output + read + written:
        # Until 1.3.2 `output` contains the tokens of reasoning, and `total` does not add them.
        output += count_of(tokens.get("reasoning"))
    cost = data.get("cost")
    price = cost if cost is not None and cost[:1].isdigit() else None
    return usage_of(given, output, read, written, cost=price)


def _texts(message: Message) -> Iterator[str]:
    for _, part in message.parts:
        text = string_of(part.get("text"))
        if text and string_of(part.get("type")) == "text":
            yield text


def _file(part: Members) -> bytes:
    url = string_of(part.get("url")) or ""
    name = string_of(part.get("filename")) or url[:200]
    return image_at(url) or text_block(js_string(f"[file {name}]"))
