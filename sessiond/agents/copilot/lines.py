"""Translate the events of a session of Copilot CLI, as versions 1.0.24 to 1.0.102 write them.

Events follow each other in one line (`parentId`). Those of a subagent have an `agentId`, stand
between the others, and become a branch below the call that began it. Since 1.0.70 or so each
request notes what it used; before, the end of a run says what all its requests used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import attrs

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
from sessiond.format.header import new_header_line
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

_PREFIX = "copilot"
_PROVIDER = "github-copilot"
_BOOKKEEPING = frozenset(
    {
        *("assistant.turn_start", "assistant.turn_end", "hook.start", "hook.end"),
        *("session.resume", "session.start", "session.model_change", "session.truncation"),
        *("subagent.completed", "subagent.configured", "subagent.selected", "subagent.started"),
        *("system.message", "tool.execution_start", "tool.user_requested"),
        *("session.compaction_start", "session.context_changed", "session.mode_changed"),
        *("session.plan_changed", "session.title_changed", "session.workspace_file_changed"),
        *("skill.invoked", "system.notification", "session.idle", "subagent.deselected"),
    }
)
_TOLD = frozenset({"abort", "session.error", "session.info", "session.warning", "subagent.failed"})
"""Events that a reader should see."""


@attrs.define
class CopilotTranslator:
    """The state that the next event of a session needs to know of those before it."""

    session_id: str
    """The id that the path gives; empty: the events give it."""
    title: str | None = None
    begun: bool = False
    number: int = 0
    time: str = ""
    tip: str | None = None
    """The last entry of the conversation, not of a subagent."""
    tips: dict[str, str | None] = attrs.field(factory=dict)
    """The last entries of subagents by their ids."""
    calls: dict[str, str] = attrs.field(factory=dict)
    """The names of tools by calls without a result."""
    notes_requests: bool = False
    """Whether requests note what they used."""
    ids: set[str] = attrs.field(factory=set)

    def copy(self) -> Self:
        return attrs.evolve(
            self, tips=self.tips.copy(), calls=self.calls.copy(), ids=self.ids.copy()
        )

    def translate(self, line: bytes) -> Iterable[bytes]:
        line = readable(line)
        members = members_of_line(line.strip())
        if members is None:
            return [line] if line.strip() else []
        name = string_of(members.get("id"))
        if name is None or name in self.ids:
            return [] if name is not None else [line]
        self.ids.add(name)
        self.time = string_of(members.get("timestamp")) or self.time
        data = members_of(members.get("data"))
        lines = [] if self.begun else [*self._header(data)]
        agent = string_of(members.get("agentId"))
        above = self.tip if agent is None else self.tips.get(agent, self.tip)
        at = Stamp(name, above, self.time)
        entries = list(self._entries(string_of(members.get("type")) or "", data, at, agent, line))
        if entries:
            end = string_of(object_members(entries[-1]).get("id"))
            if agent is None:
                self.tip = end
            else:
                self.tips[agent] = end
        return [*lines, *entries]

    def _header(self, data: Members) -> Iterator[bytes]:
        self.begun = True
        name = self.session_id or string_of(data.get("sessionId")) or ""
        cwd = string_of(members_of(data.get("context")).get("cwd")) or ""
        yield new_header_line(name, string_of(data.get("startTime")) or self.time, cwd)
        if self.title:
            self.tip = "name"
            yield session_info_line(Stamp("name", None, self.time), self.title)

    def _entries(
        self, kind: str, data: Members, at: Stamp, agent: str | None, line: bytes
    ) -> Iterator[bytes]:
        if kind == "user.message":
            yield self._said(data, at, agent)
        elif kind == "assistant.message":
            yield self._answer(data, at)
        elif kind == "tool.execution_complete":
            yield self._result(data, at)
        elif kind == "session.usage_record":
            self.notes_requests = True
            yield _request(members_of(data.get("usage")), at)
        elif kind == "session.shutdown" and not self.notes_requests:
            yield from _run(data, at)
        elif kind == "session.compaction_complete":
            yield from _summary(data, at)
        elif kind in _TOLD:
            yield custom_line(at, f"{_PREFIX}/{kind}", line.strip())
        elif kind not in _BOOKKEEPING and kind != "session.shutdown":
            yield unknown_line(at, _PREFIX, kind or "event", line.strip())

    def _said(self, data: Members, at: Stamp, agent: str | None) -> bytes:
        """Return a prompt; what was said to a subagent, or added by the program, is none."""
        content = content_of([text_block(data.get("content"))])
        if agent is None and string_of(data.get("source")) in (None, "user"):
            return prompt_line(at, content)
        return custom_message_line(at, custom_type=_PREFIX, content=content, display=True)

    def _answer(self, data: Members, at: Stamp) -> bytes:
        blocks: list[bytes] = []
        if string_of(data.get("reasoningText")):
            blocks.append(thinking_block(data["reasoningText"]))
        if string_of(data.get("content")):
            blocks.append(text_block(data["content"]))
        requests = data.get("toolRequests", b"")
        calls = [members_of(each) for each in elements(requests)] if requests[:1] == b"[" else []
        for call in calls:
            name, call_id = (_string(call.get(each)) for each in ("name", "toolCallId"))
            self.calls[string_of(call_id) or ""] = string_of(name) or ""
            blocks.append(call_block(call_id, name, call.get("arguments") or b"{}"))
        return answer_line(
            at,
            content_of(blocks),
            api=b'"openai-completions"',
            provider=js_string(_PROVIDER),
            model=_string(data.get("model")),
            usage=usage_of(0, 0, 0, 0),
            reason=b'"toolUse"' if calls else b'"stop"',
            answer_id=string_of(data.get("messageId")),
        )

    def _result(self, data: Members, at: Stamp) -> bytes:
        result, error = members_of(data.get("result")), members_of(data.get("error"))
        text = result.get("content") or error.get("message")
        call_id = _string(data.get("toolCallId"))
        return result_line(
            at,
            call_id,
            js_string(self.calls.pop(string_of(call_id) or "", "")),
            content_of([text_block(text)]),
            failed=data.get("success") != b"true",
        )


def _request(usage: Members, at: Stamp) -> bytes:
    return _usage_line(usage, string_of(usage.get("model")) or "", at)


def _run(data: Members, at: Stamp) -> Iterator[bytes]:
    """Yield what the requests of a run used, by models."""
    parent = at.parent_id
    for number, (model, metrics) in enumerate(members_of(data.get("modelMetrics")).items(), 1):
        entry_id = f"{at.id}.{number}"
        usage = members_of(members_of(metrics).get("usage"))
        yield _usage_line(usage, model, Stamp(entry_id, parent, at.timestamp))
        parent = entry_id


def _usage_line(usage: Members, model: str, at: Stamp) -> bytes:
    """Return the entry for usage; tokens that were read from the cache are among the input."""
    read, written = (count_of(usage.get(f"cache{each}Tokens")) for each in ("Read", "Write"))
    given = max(count_of(usage.get("inputTokens")) - read - written, 0)
    counts = usage_of(given, count_of(usage.get("outputTokens")), read, written)
    # Copies of a session keep the ids of events.
    return usage_line(
        at, kind="request", provider=_PROVIDER, model=model, usage=counts, answer_id=at.id
    )


def _summary(data: Members, at: Stamp) -> Iterator[bytes]:
    summary = string_of(data.get("summaryContent"))
    if summary:
        before = b"%d" % count_of(data.get("preCompactionTokens"))
        yield compaction_line(at, summary=summary, first_kept_entry_id=None, tokens_before=before)


def _string(raw: bytes | None) -> bytes:
    return raw if raw is not None and raw.startswith(b'"') else b'""'
