"""Translate the lines of a session of Claude Code, as version 2.1 writes them.

The lines of the conversation form a tree by `uuid` and `parentUuid`, in which context that the
program added (`attachment`) is a link like any other. An answer of the model has one line for each
of its blocks, all with its usage. Bookkeeping is left out; a line of an unknown type becomes an
entry that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Self

import attrs
import msgspec

from sessiond.agents.messages import (
    Count,
    all_of,
    answer_line,
    call_block,
    content_of,
    image_block,
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
    custom_line,
    custom_message_line,
    session_info_line,
)
from sessiond.jsontext.lenient import lenient
from sessiond.jsontext.parts import elements, string_of
from sessiond.jsontext.spans import js_string
from sessiond.jsontext.utf8 import readable

_BOOKKEEPING = frozenset(
    {
        *("agent-name", "api-request", "api-request-blob", "api-request-shape", "atis-latch"),
        *("attachment", "bridge-session", "cost-state", "file-history-snapshot", "frame-link"),
        *("mode", "permission-mode", "pr-link", "progress", "queue-operation", "relocated"),
        *("result", "started", "tools-used", "worktree-state"),
    }
)
_BEGINS = re.compile(rb'\{"type":"([a-z-]{1,40})"')
"""The beginning of a line that has no uuid: other lines name the line above them first."""

_QUIET = frozenset({"turn_duration", "stop_hook_summary", "session_start"})
"""Kinds of `system` lines that say nothing of the conversation."""
_TOLD = frozenset({"local_command", "api_error", "error", "api_refusal", "model_refusal_fallback"})
"""Kinds of `system` lines that a reader should see."""

_NOT_TYPED = ("<command-", "<local-command-", "<system-reminder>", "<bash-")
"""What the text of a user line begins with that a command or the program itself wrote."""

_STOP_REASONS = {"tool_use": b'"toolUse"', "max_tokens": b'"length"'}
_PREFIX = "claude-code"


_ABSENT, _EMPTY = msgspec.Raw(b""), msgspec.Raw(b'""')


class _Usage(msgspec.Struct, gc=False):
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    model: msgspec.Raw = _EMPTY
    content: msgspec.Raw = _EMPTY
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Line(msgspec.Struct, rename="camel", gc=False):
    """What is used of a line of any type."""

    type: str = ""
    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    session_id: str | None = None
    message: _Message | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    subtype: str | None = None
    compact_metadata: msgspec.Raw = _ABSENT
    logical_parent_uuid: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    summary: str | None = None


class _Source(msgspec.Struct, gc=False):
    data: msgspec.Raw = _ABSENT
    media_type: msgspec.Raw = _ABSENT


class _Block(msgspec.Struct, gc=False):
    """A part of a message: a text, a thought, an image, a call of a tool or its result."""

    type: str | None = None
    text: msgspec.Raw = _ABSENT
    thinking: msgspec.Raw = _EMPTY
    signature: msgspec.Raw = _ABSENT
    source: _Source | None = None
    id: str = ""
    name: str = ""
    input: msgspec.Raw = _ABSENT
    tool_use_id: str = ""
    content: msgspec.Raw = _EMPTY
    is_error: bool | None = None


_line, _block = lenient(_Line), lenient(_Block)
_blocks_quickly = msgspec.json.Decoder(list[_Block]).decode


@attrs.define
class ClaudeTranslator:
    """What the next line of a session needs to know of those before it."""

    session_id: str
    """The id that the path tells; empty: the lines tell it."""
    parent_session: str | None = None
    subagent: Subagent | None = None
    begun: bool = False
    number: int = 0
    time: str = ""
    """That of the last line that has one."""
    tip: str | None = None
    """The entry that was translated last."""
    said: str | None = None
    """The entry of the last line that is a part of the tree."""
    ids: dict[str, str | None] = attrs.field(factory=dict)
    """By uuid: the entry of a line, or that of the nearest line above it that has one."""
    tools: dict[str, str] = attrs.field(factory=dict)
    """The names of tools by the ids of calls that have no result yet."""
    answer: str | None = None
    """The answer whose usage was taken last."""
    has_title: bool = False
    """Whether the user has named the session."""
    title: str | None = None
    """A name that came before the header."""
    before: tuple[str | None, bytes] = (None, b"0")
    """Of the last boundary: the first entry that a compaction keeps, and its tokens."""

    def copy(self) -> Self:
        return attrs.evolve(self, ids=self.ids.copy(), tools=self.tools.copy())

    def translate(self, line: bytes) -> Iterator[bytes]:
        self.number += 1
        begins = _BEGINS.match(line)
        if begins is not None and begins[1].decode() in _BOOKKEEPING:
            # Large, and no part of the tree: not decoded.
            return
        read = _line(line)
        if read is None:
            if line.strip():
                yield line
            return
        self.time = read.timestamp or self.time
        title = self._title(read)
        if title is not None and title != self.title:
            yield from self._named(title)
        if read.uuid is None:
            if read.type == "last-prompt":
                yield from self._moved(read.leaf_uuid)
            elif title is None and self.begun and read.type not in {*_BOOKKEEPING, "summary"}:
                yield unknown_line(self._next(), _PREFIX, read.type, line)
            return
        if not self.begun and read.cwd is not None:
            yield from self._header(read, read.cwd)
        yield from self._of_tree(read.uuid, read, line)

    def _header(self, read: _Line, cwd: str) -> Iterator[bytes]:
        self.begun = True
        session_id = self.session_id or read.session_id or ""
        yield new_header_line(
            session_id, self.time, cwd, self.parent_session, subagent=self.subagent
        )
        if self.title is not None:
            yield from self._named(self.title)

    def _of_tree(self, uuid: str, read: _Line, line: bytes) -> Iterator[bytes]:
        # A uuid that is not known yet keeps its name.
        parent = read.parent_uuid and self.ids.get(read.parent_uuid, read.parent_uuid)
        at = Stamp(uuid, parent, self.time)
        lines = list(self._entries(at, read, line)) if self.begun else []
        # Lines below one that is left out belong to the one above it.
        self.ids[uuid] = uuid if lines else parent
        if lines:
            self.tip = uuid
        self.said = self.ids[uuid]
        return iter(lines)

    def _entries(self, at: Stamp, read: _Line, line: bytes) -> Iterator[bytes]:
        if read.type == "user":
            yield from self._user(at, read)
        elif read.type == "assistant":
            yield self._assistant(at, read)
        elif read.type == "system":
            yield from self._system(at, read, line)
        elif read.type not in _BOOKKEEPING:
            yield unknown_line(at, _PREFIX, read.type, line)

    def _user(self, at: Stamp, read: _Line) -> Iterator[bytes]:
        content = bytes((read.message or _NO_MESSAGE).content)
        blocks = _blocks(content)
        if any(block.type == "tool_result" for block in blocks):
            yield from self._results(at, blocks)
        elif read.is_compact_summary:
            kept, tokens = self.before
            summary = _text(content, blocks)
            yield compaction_line(
                at, summary=summary, first_kept_entry_id=kept, tokens_before=tokens
            )
        elif read.is_meta or _text(content, blocks).startswith(_NOT_TYPED):
            told, shown = _told(content, blocks), not read.is_meta
            yield custom_message_line(at, custom_type=_PREFIX, content=told, display=shown)
        else:
            yield prompt_line(at, _told(content, blocks))

    def _results(self, at: Stamp, blocks: list[_Block]) -> Iterator[bytes]:
        """Yield an entry for each result of a line, and one for what the user said with them."""
        results = [block for block in blocks if block.type == "tool_result"]
        said = [block for block in blocks if block.type != "tool_result"]
        parent = at.parent_id
        for number, block in enumerate(results, 1):
            # Lines below this one name its uuid: the last entry has it.
            is_last = number == len(results) and not said
            entry_id = at.id if is_last else f"{at.id}.{number}"
            content = bytes(block.content)
            yield result_line(
                Stamp(entry_id, parent, at.timestamp),
                js_string(block.tool_use_id),
                js_string(self.tools.pop(block.tool_use_id, "")),
                _translated(content, _blocks(content)),
                failed=block.is_error is True,
            )
            parent = entry_id
        if said:
            content = content_of(list(map(_translate, said)))
            yield prompt_line(Stamp(at.id, parent, at.timestamp), content)

    def _assistant(self, at: Stamp, read: _Line) -> bytes:
        message = read.message or _NO_MESSAGE
        content = bytes(message.content)
        blocks = _blocks(content)
        self.tools |= {block.id: block.name for block in blocks if block.type == "tool_use"}
        # Each block of an answer comes with the usage of the whole.
        is_counted = message.id is None or message.id != self.answer
        self.answer = message.id
        reason = _STOP_REASONS.get(message.stop_reason or "", b'"stop"')
        error = None
        if read.is_api_error_message:
            reason, error = b'"error"', js_string(_text(content, blocks))
        used = (message.usage if is_counted else None) or _NO_USAGE
        return answer_line(
            at,
            _translated(content, blocks),
            api=b'"anthropic-messages"',
            provider=b'"anthropic"',
            model=bytes(message.model),
            usage=usage_of(
                used.input_tokens,
                used.output_tokens,
                used.cache_read_input_tokens,
                used.cache_creation_input_tokens,
            ),
            reason=reason,
            error=error,
        )

    def _system(self, at: Stamp, read: _Line, line: bytes) -> Iterator[bytes]:
        kind = read.subtype or ""
        if kind == "compact_boundary":
            metadata = members_of(bytes(read.compact_metadata))
            kept = string_of(members_of(metadata.get("preservedSegment")).get("headUuid"))
            # What a fork has copied behind the summary is kept because it follows.
            known = self.ids.get(kept) if kept is not None else None
            self.before = known, metadata.get("preTokens", b"0")
            above = read.logical_parent_uuid
            yield custom_line(
                Stamp(at.id, self.ids.get(above) if above else None, at.timestamp),
                f"{_PREFIX}/{kind}",
                all_of(metadata) if metadata else None,
            )
        elif kind in _TOLD:
            yield custom_line(at, f"{_PREFIX}/{kind}", line.strip())
        elif kind not in _QUIET:
            yield unknown_line(at, _PREFIX, f"system/{kind}", line)

    def _title(self, read: _Line) -> str | None:
        """Return the name that a line gives to the session, if it counts."""
        if read.type == "custom-title":
            self.has_title = True
            return read.custom_title
        if read.type == "ai-title" and not self.has_title:
            return read.ai_title
        if read.type == "summary" and not self.has_title:
            # Old versions also wrote those of other sessions.
            return read.summary if read.leaf_uuid in self.ids else None
        return None

    def _named(self, title: str) -> Iterator[bytes]:
        self.title = title
        if self.begun:
            yield session_info_line(self._next(), title)

    def _moved(self, leaf: str | None) -> Iterator[bytes]:
        """Make a line the leaf that is not the last one, for example after a rewind."""
        entry = self.ids.get(leaf) if leaf is not None else None
        if self.begun and entry is not None and entry != self.said:
            self.tip = self.said = entry
            yield custom_line(self._next(), f"{_PREFIX}/last-prompt")

    def _next(self) -> Stamp:
        """Return the stamp of an entry for a line without an id, below the last one."""
        parent, self.tip = self.tip, f"line-{self.number}"
        return Stamp(self.tip, parent, self.time)


_NO_MESSAGE, _NO_USAGE = _Message(), _Usage()


def _blocks(content: bytes) -> list[_Block]:
    """Return the blocks of a message; none if it is a string."""
    if not content.startswith(b"["):
        return []
    try:
        return _blocks_quickly(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [_block(each) or _Block() for each in elements(content)]


def _text(content: bytes, blocks: list[_Block]) -> str:
    """Return the text of a message that is a string or blocks."""
    texts = [content, *(bytes(block.text) for block in blocks)]
    return "\n".join(text for raw in texts if (text := string_of(readable(raw))))


def _told(content: bytes, blocks: list[_Block]) -> bytes:
    return content if content.startswith(b'"') else _translated(content, blocks)


def _translated(content: bytes, blocks: list[_Block]) -> bytes:
    if content.startswith(b'"'):
        return content_of([text_block(content)])
    return content_of(list(map(_translate, blocks)))


def _translate(block: _Block) -> bytes:
    if block.type == "text":
        return text_block(bytes(block.text))
    if block.type == "thinking":
        return thinking_block(bytes(block.thinking), bytes(block.signature) or None)
    if block.type == "tool_use":
        given = bytes(block.input) or b"{}"
        return call_block(js_string(block.id), js_string(block.name), given)
    if block.type == "image" and block.source is not None and bytes(block.source.data):
        return image_block(bytes(block.source.data), bytes(block.source.media_type) or None)
    return unknown_block(block.type)
