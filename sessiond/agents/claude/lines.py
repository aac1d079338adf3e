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

from sessiond.agents.messages import (
    Members,
    answer_line,
    call_block,
    content_of,
    count_of,
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
from sessiond.jsontext.parts import (
    elements,
    join_members,
    members_of_line,
    string_of,
)
from sessiond.jsontext.spans import js_string

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
        if (begins is not None and begins[1].decode() in _BOOKKEEPING) or not line.strip():
            # Large, and no part of the tree: not decoded.
            return
        members = members_of_line(line)
        if members is None:
            yield line
            return
        kind = string_of(members.get("type")) or ""
        self.time = string_of(members.get("timestamp")) or self.time
        title = self._title(kind, members)
        if title is not None and title != self.title:
            yield from self._named(title)
        uuid = string_of(members.get("uuid"))
        if uuid is None:
            if kind == "last-prompt":
                yield from self._moved(string_of(members.get("leafUuid")))
            elif title is None and kind not in {*_BOOKKEEPING, "summary"}:
                yield from self._unknown(kind, members)
            return
        yield from self._header(members)
        yield from self._of_tree(kind, uuid, members)

    def _header(self, members: Members) -> Iterator[bytes]:
        cwd = string_of(members.get("cwd"))
        if self.begun or cwd is None:
            return
        self.begun = True
        session_id = self.session_id or string_of(members.get("sessionId")) or ""
        yield new_header_line(
            session_id, self.time, cwd, self.parent_session, subagent=self.subagent
        )
        if self.title is not None:
            yield from self._named(self.title)

    def _of_tree(self, kind: str, uuid: str, members: Members) -> Iterator[bytes]:
        parent = self._entry_of(string_of(members.get("parentUuid")))
        at = Stamp(uuid, parent, self.time)
        lines: list[bytes] = []
        if self.begun:
            lines = list(self._entries(kind, at, members))
        # Lines below one that is left out belong to the one above it.
        self.ids[uuid] = uuid if lines else parent
        if lines:
            self.tip = uuid
        self.said = self.ids[uuid]
        yield from lines

    def _entries(self, kind: str, at: Stamp, members: Members) -> Iterator[bytes]:
        if kind == "user":
            yield from self._user(at, members)
        elif kind == "assistant":
            yield self._assistant(at, members)
        elif kind == "system":
            yield from self._system(at, members)
        elif kind not in _BOOKKEEPING:
            yield unknown_line(at, _PREFIX, kind, members)

    def _entry_of(self, uuid: str | None) -> str | None:
        """Return the entry for a uuid; one that is not known yet keeps its name."""
        return None if uuid is None else self.ids.get(uuid, uuid)

    def _user(self, at: Stamp, members: Members) -> Iterator[bytes]:
        message = members_of(members.get("message"))
        content = message.get("content", b'""')
        blocks = [members_of(each) for each in elements(content)]
        if any(string_of(block.get("type")) == "tool_result" for block in blocks):
            yield from self._results(at, blocks)
        elif members.get("isCompactSummary") == b"true":
            kept, tokens = self.before
            summary = _text(content, blocks)
            yield compaction_line(
                at, summary=summary, first_kept_entry_id=kept, tokens_before=tokens
            )
        elif members.get("isMeta") == b"true" or _text(content, blocks).startswith(_NOT_TYPED):
            shown = members.get("isMeta") != b"true"
            yield custom_message_line(
                at, custom_type=_PREFIX, content=_content(content, blocks), display=shown
            )
        else:
            yield prompt_line(at, _content(content, blocks))

    def _results(self, at: Stamp, blocks: list[Members]) -> Iterator[bytes]:
        """Yield an entry for each result of a line, and one for what the user said with them."""
        results = [block for block in blocks if string_of(block.get("type")) == "tool_result"]
        said = [block for block in blocks if string_of(block.get("type")) != "tool_result"]
        parent = at.parent_id
        for number, block in enumerate(results, 1):
            # Lines below this one name its uuid: the last entry has it.
            is_last = number == len(results) and not said
            entry_id = at.id if is_last else f"{at.id}.{number}"
            call = string_of(block.get("tool_use_id")) or ""
            content = block.get("content", b'""')
            yield result_line(
                Stamp(entry_id, parent, at.timestamp),
                js_string(call),
                js_string(self.tools.pop(call, "")),
                _blocks(content, [members_of(each) for each in elements(content)]),
                failed=block.get("is_error") == b"true",
            )
            parent = entry_id
        if said:
            content = content_of(list(map(_block, said)))
            yield prompt_line(Stamp(at.id, parent, at.timestamp), content)

    def _assistant(self, at: Stamp, members: Members) -> bytes:
        message = members_of(members.get("message"))
        content = message.get("content", b'""')
        blocks = [members_of(each) for each in elements(content)]
        for block in blocks:
            if string_of(block.get("type")) == "tool_use":
                self.tools[string_of(block.get("id")) or ""] = string_of(block.get("name")) or ""
        answer = string_of(message.get("id"))
        # Each block of an answer comes with the usage of the whole.
        is_counted = answer is None or answer != self.answer
        self.answer = answer
        reason = _STOP_REASONS.get(string_of(message.get("stop_reason")) or "", b'"stop"')
        error = None
        if members.get("isApiErrorMessage") == b"true":
            reason, error = b'"error"', js_string(_text(content, blocks))
        return answer_line(
            at,
            _blocks(content, blocks),
            api=b'"anthropic-messages"',
            provider=b'"anthropic"',
            model=message.get("model", b'""'),
            usage=_usage(members_of(message.get("usage")) if is_counted else {}),
            reason=reason,
            error=error,
        )

    def _system(self, at: Stamp, members: Members) -> Iterator[bytes]:
        kind = string_of(members.get("subtype")) or ""
        if kind == "compact_boundary":
            metadata = members_of(members.get("compactMetadata"))
            kept = string_of(members_of(metadata.get("preservedSegment")).get("headUuid"))
            # What a fork has copied behind the summary is kept because it follows.
            known = self.ids.get(kept) if kept is not None else None
            self.before = known, metadata.get("preTokens", b"0")
            above = string_of(members.get("logicalParentUuid"))
            yield custom_line(
                Stamp(at.id, self.ids.get(above) if above else None, at.timestamp),
                f"{_PREFIX}/{kind}",
                (metadata and join_members(*metadata.items())) or None,
            )
        elif kind in _TOLD:
            yield custom_line(at, f"{_PREFIX}/{kind}", join_members(*members.items()))
        elif kind not in _QUIET:
            yield unknown_line(at, _PREFIX, f"system/{kind}", members)

    def _title(self, kind: str, members: Members) -> str | None:
        """Return the name that a line gives to the session, if it counts."""
        if kind == "custom-title":
            self.has_title = True
            return string_of(members.get("customTitle"))
        if kind == "ai-title" and not self.has_title:
            return string_of(members.get("aiTitle"))
        if kind == "summary" and not self.has_title:
            # Old versions also wrote those of other sessions.
            leaf = string_of(members.get("leafUuid"))
            return string_of(members.get("summary")) if leaf in self.ids else None
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

    def _unknown(self, kind: str, members: Members) -> Iterator[bytes]:
        if self.begun:
            yield unknown_line(self._next(), _PREFIX, kind, members)

    def _next(self) -> Stamp:
        """Return the stamp of an entry for a line without an id, below the last one."""
        parent, self.tip = self.tip, f"line-{self.number}"
        return Stamp(self.tip, parent, self.time)


def _text(content: bytes, blocks: list[Members]) -> str:
    """Return the text of a message that is a string or blocks."""
    texts = [string_of(content), *(string_of(block.get("text")) for block in blocks)]
    return "\n".join(text for text in texts if text)


def _content(content: bytes, blocks: list[Members]) -> bytes:
    return content if content.startswith(b'"') else _blocks(content, blocks)


def _blocks(content: bytes, blocks: list[Members]) -> bytes:
    if content.startswith(b'"'):
        return content_of([text_block(content)])
    return content_of(list(map(_block, blocks)))


def _block(block: Members) -> bytes:
    kind = string_of(block.get("type"))
    if kind == "text":
        return text_block(block.get("text"))
    if kind == "thinking":
        return thinking_block(block.get("thinking", b'""'), block.get("signature"))
    if kind == "tool_use":
        given = block.get("input", b"{}")
        return call_block(block.get("id", b'""'), block.get("name", b'""'), given)
    source = members_of(block.get("source"))
    if kind == "image" and "data" in source:
        return image_block(source["data"], source.get("media_type"))
    return unknown_block(kind)


def _usage(given: Members) -> bytes:
    return usage_of(
        count_of(given.get("input_tokens")),
        count_of(given.get("output_tokens")),
        count_of(given.get("cache_read_input_tokens")),
        count_of(given.get("cache_creation_input_tokens")),
    )
