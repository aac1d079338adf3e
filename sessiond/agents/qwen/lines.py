"""Translate the lines of a chat of Qwen Code, as versions 0.15 and 0.24 write them.

The lines form a tree by `uuid` and `parentUuid`, in which lines of the program (`system`) are links
like any other. An answer is one line; each result of its calls is a line below the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import attrs

from sessiond.agents.google_parts import (
    block_of,
    parts_of,
    response_of,
    string_member,
    text_of,
)
from sessiond.agents.messages import (
    Members,
    answer_line,
    call_block,
    content_of,
    count_of,
    members_of,
    prompt_line,
    result_line,
    text_block,
    thinking_block,
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
    usage_line,
)
from sessiond.text.parts import elements, members_of_line, object_members, string_of
from sessiond.text.spans import js_string
from sessiond.text.utf8 import readable

_PREFIX = "qwen-code"
_PROVIDER = "qwen"
_REQUEST = "qwen-code.api_response"
_TYPED = frozenset({"", "mid_turn_user_message", "realtime_message"})
"""Kinds of lines of the user that a person has typed."""
_BOOKKEEPING = frozenset(
    {
        *("attribution_snapshot", "at_command", "branch_checkpoint", "file_history_snapshot"),
        *(
            "goal_runtime",
            "goal_state",
            "goal_turn_end",
            "parent_session",
            "session_artifact_event",
        ),
        *("session_artifact_snapshot", "session_model", "session_recording_degraded"),
        *("session_source", "session_sources_snapshot", "turn_result", "ui_telemetry"),
        "user_text_elements",
    }
)
_TOLD = frozenset({"slash_command"})
"""Kinds of lines of the program that a reader should see."""


@attrs.define
class QwenTranslator:
    """The state that the next line of a chat needs to know of those before it."""

    session_id: str
    """The id that the path gives; empty: the lines give it."""
    parent_session: str | None = None
    subagent: Subagent | None = None
    title: str | None = None
    begun: bool = False
    tip: str | None = None
    """The entry that was translated last."""
    time: str = ""
    notes_requests: bool = False
    """Whether the program notes what each request used; those of subagents are in the chat, too."""
    ends: dict[str, str | None] = attrs.field(factory=dict)
    """By uuid: the last entry of the line, or of the nearest line above it that has one."""

    def copy(self) -> Self:
        return attrs.evolve(self, ends=self.ends.copy())

    def translate(self, line: bytes) -> Iterable[bytes]:
        line = readable(line)
        members = members_of_line(line.strip())
        if members is None:
            return [line] if line.strip() else []
        name = string_of(members.get("uuid"))
        if name is None:
            return [line]
        if name in self.ends:
            return []
        self.time = string_of(members.get("timestamp")) or self.time
        lines = [] if self.begun else [*self._header(members)]
        above = string_of(members.get("parentUuid"))
        # If the line above is damaged, the one before it is continued.
        parent = self.ends.get(above or "", self.tip)
        if members.get("parentUuid") == b"null":
            parent = None
        entries = list(self._entries(members, Stamp(name, parent, self.time), line.strip()))
        if entries:
            self.tip = string_of(object_members(entries[-1]).get("id"))
        self.ends[name] = self.tip if entries else parent
        return [*lines, *entries]

    def _header(self, members: Members) -> Iterator[bytes]:
        self.begun = True
        name = self.session_id or string_of(members.get("sessionId")) or ""
        cwd = string_of(members.get("cwd")) or ""
        yield new_header_line(name, self.time, cwd, self.parent_session, subagent=self.subagent)
        if self.title:
            yield session_info_line(Stamp("title", None, self.time), self.title)

    def _entries(self, members: Members, at: Stamp, line: bytes) -> Iterator[bytes]:
        kind = string_of(members.get("type")) or ""
        message = members_of(members.get("message"))
        if kind == "user":
            yield from _said(members, message, at)
        elif kind == "assistant":
            is_counted = not self.notes_requests and self.subagent is None
            yield from _answer(members, message, at, is_counted=is_counted)
        elif kind == "tool_result":
            yield from _results(members, message, at)
        elif kind == "system":
            yield from self._system(members, at, line)
        else:
            yield unknown_line(at, _PREFIX, kind or "line", line)

    def _system(self, members: Members, at: Stamp, line: bytes) -> Iterator[bytes]:
        kind = string_of(members.get("subtype")) or ""
        payload = members_of(members.get("systemPayload"))
        event = members_of(payload.get("uiEvent"))
        if string_of(event.get("event.name")) == _REQUEST:
            self.notes_requests = True
            yield _request(event, at)
        elif kind == "custom_title":
            title = string_of(payload.get("customTitle"))
            # The program repeats it, so that the end of a file has it.
            if title and title != self.title:
                self.title = title
                yield session_info_line(at, title)
        elif kind == "chat_compression":
            yield _summary(payload, at)
        elif kind == "rewind":
            yield custom_line(at, f"{_PREFIX}/{kind}")
        elif kind in _TOLD:
            yield custom_line(at, f"{_PREFIX}/{kind}", line)
        elif kind not in _BOOKKEEPING:
            yield unknown_line(at, _PREFIX, f"system/{kind}", line)


def _summary(payload: Members, at: Stamp) -> bytes:
    history = payload.get("compressedHistory", b"")
    contents = elements(history) if history.startswith(b"[") else []
    texts = (text_of(members_of(each).get("parts")) for each in contents)
    before = count_of(members_of(payload.get("info")).get("originalTokenCount"))
    return compaction_line(
        at,
        summary=next(filter(None, texts), ""),
        first_kept_entry_id=None,
        tokens_before=b"%d" % before,
    )


def _said(members: Members, message: Members, at: Stamp) -> Iterator[bytes]:
    content = content_of(list(map(block_of, parts_of(message.get("parts")))))
    if (string_of(members.get("subtype")) or "") in _TYPED:
        yield prompt_line(at, content)
    else:
        yield custom_message_line(at, custom_type=_PREFIX, content=content, display=True)


def _request(event: Members, at: Stamp) -> bytes:
    """Return what a request used, of the conversation, a subagent or the program itself."""
    counts = {
        name: event.get(member, b"0")
        for name, member in {
            "promptTokenCount": "input_token_count",
            "candidatesTokenCount": "output_token_count",
            "cachedContentTokenCount": "cached_content_token_count",
            "thoughtsTokenCount": "thoughts_token_count",
            "totalTokenCount": "total_token_count",
        }.items()
    }
    names = (string_of(event.get(each)) or "" for each in ("response_id", "event.timestamp"))
    return usage_line(
        at,
        kind="request",
        provider=_PROVIDER,
        model=string_of(event.get("model")) or "",
        usage=_usage(counts),
        answer_id="/".join(names),
    )


def _answer(members: Members, message: Members, at: Stamp, *, is_counted: bool) -> Iterator[bytes]:
    parts = parts_of(message.get("parts"))
    if not parts:
        # A subagent writes what a request used before what was answered.
        return
    usage = _usage(members_of(members.get("usageMetadata")) if is_counted else {})
    model = members.get("model")
    has_calls = any("functionCall" in part for part in parts)
    yield answer_line(
        at,
        content_of(list(map(_block, parts))),
        api=b'"openai-completions"',
        provider=js_string(_PROVIDER),
        model=string_member(model),
        usage=usage,
        reason=b'"toolUse"' if has_calls else b'"stop"',
        answer_id=at.id,
    )


def _block(part: Members) -> bytes:
    if "functionCall" in part:
        call = members_of(part["functionCall"])
        given = call.get("args") or b"{}"
        return call_block(string_member(call.get("id")), string_member(call.get("name")), given)
    if part.get("thought") == b"true":
        return thinking_block(string_member(part.get("text")))
    return block_of(part)


def _results(members: Members, message: Members, at: Stamp) -> Iterator[bytes]:
    """Yield an entry for each result of a line; the last one has its uuid as id."""
    parts = [part for part in parts_of(message.get("parts")) if "functionResponse" in part]
    status = string_of(members_of(members.get("toolCallResult")).get("status"))
    above = at.parent_id
    for number, part in enumerate(parts, 1):
        response = members_of(part["functionResponse"])
        entry_id = at.id if number == len(parts) else f"{at.id}.{number}"
        yield result_line(
            Stamp(entry_id, above, at.timestamp),
            string_member(response.get("id")),
            string_member(response.get("name")),
            content_of([text_block(js_string(response_of(part)))]),
            failed=status not in (None, "success"),
        )
        above = entry_id


def _usage(tokens: Members) -> bytes:
    """Return the usage: prompts contain what came from the cache, answers may lack thoughts."""
    cached = count_of(tokens.get("cachedContentTokenCount"))
    given = max(count_of(tokens.get("promptTokenCount")) - cached, 0)
    output, total = (count_of(tokens.get(f"{each}TokenCount")) for each in ("candidates", "total"))
    if total > given + cached + output:
        output += count_of(tokens.get("thoughtsTokenCount"))
    return usage_of(given, output, cached, 0)
