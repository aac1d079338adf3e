"""Translate the lines of a rollout of Codex, as version 0.169 and older ones write them.

A rollout is what the model was sent and what it answered, one item a line, and beside it events for
people that say the same once more. Items become entries, each below the one before; of the events
only those that no item tells. Tokens stand in lines of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import islice
from typing import Self

import attrs
import msgspec

from sessiond.agents.codex.calls import arguments_of
from sessiond.agents.codex.prompts import split_prompt
from sessiond.agents.codex.replay import Replay
from sessiond.agents.messages import (
    BRIEF_RESULT,
    Count,
    Members,
    all_of,
    answer_line,
    brief_answer,
    brief_request,
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
    custom_line,
    custom_message_line,
    session_info_line,
    usage_line,
)
from sessiond.runtime.errors import ReadFailed, SessionNotFound
from sessiond.text.parts import elements, members_of_line, string_of
from sessiond.text.spans import js_string
from sessiond.text.utf8 import readable

Find = Callable[[str], str | None]
"""Returns the path of the rollout of a thread, if there is one."""

Part = Callable[[str, int], Iterable[bytes]]
"""Returns the lines of a thread with ordinals below a number.

Raises SessionNotFound and ReadFailed.
"""

_ITEMS = frozenset({"message", "reasoning", "compaction"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_SKIPPED_ITEMS = frozenset({"ghost_snapshot", "tool_search_call", "tool_search_output"})
_BRIEF_OUTPUTS = frozenset(each.encode() for each in _OUTPUTS)
_SAID = frozenset({b"message", b"reasoning"})
_BRIEF_ITEMS = frozenset({*_SAID, *(each.encode() for each in _CALLS)})
_BRIEF_ITEMS |= _BRIEF_OUTPUTS
_TOLD = frozenset({"error", "turn_aborted", "stream_error", "entered_review_mode"})
"""Events that no item tells, and that a reader should see."""

_SKIPPED = frozenset({"world_state", "event_msg"})

_PREFIX = "codex"

_BEGINS = re.compile(
    rb'\{"timestamp":"([0-9TZ:.-]{1,40})",(?:"ordinal":[0-9]{1,15},)?"type":"([a-z_]{1,40})",'
    rb'"payload":\{(?:"type":"([a-z_]{1,40})")?'
)
"""The beginning of a line, as all versions with envelopes write it: time, type, and that of the
payload."""
_COUNTED = frozenset({b"token_count", b"thread_name_updated", None})
"""Events that lists and the count of usage need; None: the type does not come first."""
_BRIEF_KINDS = frozenset({b"event_msg", b"turn_context", b"token_usage_record"})


class _Usage(msgspec.Struct, gc=False):
    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    output_tokens: Count = 0
    cache_write_input_tokens: Count = 0


class _Info(msgspec.Struct, gc=False):
    total_token_usage: msgspec.Raw = msgspec.Raw(b"")
    last_token_usage: _Usage | None = None


class _Thought(msgspec.Struct, gc=False):
    text: str = ""


class _BriefPayload(msgspec.Struct, gc=False):
    role: str | None = None
    model: str | None = None
    summary: list[_Thought] | None = None
    info: _Info | None = None
    response_id: str | None = None
    usage: _Usage | None = None


class _BriefLine(msgspec.Struct, gc=False):
    """The part of a line that lists and the count of usage need beside its types."""

    payload: _BriefPayload


class _SkippedLine(msgspec.Struct, gc=False):
    """A line of which nothing is decoded, to see whether it is damaged."""


_NO_USAGE = _Usage()
_brief_line = msgspec.json.Decoder(_BriefLine).decode
_skipped_line = msgspec.json.Decoder(_SkippedLine).decode


@attrs.frozen(eq=False, repr=False)
class _Turn:
    """A prompt of the branch, and the one before it: a copy of a translator shares them all."""

    number: int
    above: str | None
    """The entry before the prompt."""
    before: _Turn | None


@attrs.define
class CodexTranslator:
    """The state that the next line of a rollout needs to know of those before it."""

    thread_id: str
    part: Part
    """Reads the beginning of a thread that others go on from."""
    find: Find
    """Finds the thread that began this one."""
    begun: bool = False
    number: int = 0
    time: str = ""
    tip: str | None = None
    provider: str = "openai"
    model: str = ""
    title: str | None = None
    """The name of the thread; at first that of the index, which no line tells."""
    turn: _Turn | None = None
    """The last prompt of the branch."""
    tools: dict[str, str] = attrs.field(factory=dict)
    """The names of tools by the ids of calls that have no output yet."""
    records: bool = False
    """Whether requests tell their tokens in lines of their own, as newer versions write them."""
    forks: tuple[str, ...] = ()
    """The threads whose beginnings are being translated."""
    total: bytes = b""
    """The tokens of all requests, as the last event counted them."""
    answer: str | None = None
    """The entry with which the answer under way began; None: there is none."""
    replay: Replay | None = None
    """The lines that the beginning of a fork copies from its parent, until it ends."""
    is_agent: bool = False
    """Whether another thread began this one, with a task that is its first own prompt."""

    def copy(self) -> Self:
        return attrs.evolve(self, tools=self.tools.copy(), replay=copy(self.replay))

    @property
    def is_replayed(self) -> bool:
        """Whether the present line is a copy of one of the parent's."""
        return self.replay is not None and self.replay.has_begun

    def translate(self, line: bytes) -> Iterator[bytes]:
        self.number += 1
        if not line.strip():
            return
        members = members_of_line(readable(line))
        if members is None:
            yield line
            return
        self.time = string_of(members.get("timestamp")) or self.time
        kind = string_of(members.get("type"))
        payload = members_of_line(members.get("payload", b"")) if "payload" in members else None
        if payload is None:
            # Until the middle of 2025 items had no envelope, and the first line no type.
            kind, payload = ("session_meta" if kind is None else "response_item"), members
        if self.replay is not None and self.replay.ends(kind, payload, members):
            self.replay = None
        if kind == "session_meta":
            yield from self._begin(payload)
        elif not self.begun:
            yield line
        elif kind == "response_item":
            yield from self._item(string_of(payload.get("type")) or "message", payload)
        else:
            yield from self._other(kind or "", payload)

    def brief(self, line: bytes) -> Iterable[bytes]:
        """Translate a line as far as lists and the count of usage need it.

        Answers and results have no content. Above which entry an entry stands is not kept, so that
        one translator can do either this or `translate`.
        """
        begins = _BEGINS.match(line) if self.begun and self.replay is None else None
        if begins is None:
            return self.translate(line)
        kind, part = begins[2], begins[3]
        is_brief = part in _BRIEF_ITEMS if kind == b"response_item" else kind in _BRIEF_KINDS
        try:
            if kind == b"event_msg" and part not in _COUNTED:
                # Most of them say once more what items say.
                _skipped_line(line)
                self._go_on(begins)
                return ()
            payload = _brief_line(line).payload if is_brief else None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            payload = None
        if payload is None or (part == b"message" and payload.role != "assistant"):
            return self.translate(line)
        if kind == b"event_msg":
            return self._brief_count(begins, line, payload)
        self._go_on(begins)
        return self._brief_item(kind, part, payload)

    def _brief_item(
        self, kind: bytes, part: bytes | None, payload: _BriefPayload
    ) -> Iterable[bytes]:
        if kind == b"token_usage_record":
            self.records = True
            return (self._brief_usage(payload.usage, payload.response_id),)
        if kind == b"turn_context":
            self.model = payload.model or self.model
            return ()
        if part in _BRIEF_OUTPUTS:
            self.answer = None
            return (BRIEF_RESULT,)
        if part == b"reasoning" and not any(each.text for each in payload.summary or ()):
            return ()
        return (self._brief_answer(calls=part not in _SAID),)

    def _go_on(self, begins: re.Match[bytes]) -> None:
        self.number += 1
        self.time = begins[1].decode()

    def _brief_answer(self, *, calls: bool) -> bytes:
        at, first = self._next(), self.answer
        self.answer = first or at.id
        return brief_answer(
            at,
            provider=js_string(self.provider),
            model=js_string(self.model),
            usage=_NOTHING,
            is_part=first is not None,
            calls=calls,
        )

    def _brief_count(
        self, begins: re.Match[bytes], line: bytes, payload: _BriefPayload
    ) -> Iterable[bytes]:
        if begins[3] != b"token_count" or payload.info is None:
            return self.translate(line)
        self._go_on(begins)
        total = bytes(payload.info.total_token_usage)
        if self.records or total == self.total:
            return ()
        self.total = total
        return (self._brief_usage(payload.info.last_token_usage, None),)

    def _brief_usage(self, used: _Usage | None, answer_id: str | None) -> bytes:
        self.answer = None
        used = used or _NO_USAGE
        usage = usage_of(
            max(0, used.input_tokens - used.cached_input_tokens),
            used.output_tokens,
            used.cached_input_tokens,
            used.cache_write_input_tokens,
        )
        return brief_request(
            self._next(),
            provider=self.provider,
            model=self.model,
            usage=usage,
            answer_id=answer_id,
        )

    def _begin(self, meta: Members) -> Iterator[bytes]:
        if self.begun:
            return
        self.begun = True
        self.thread_id = string_of(meta.get("id")) or self.thread_id
        self.provider = string_of(meta.get("model_provider")) or self.provider
        time = string_of(meta.get("timestamp")) or self.time
        above = _spawner(meta)
        self.is_agent = above is not None
        origin = above or string_of(meta.get("forked_from_id"))
        history = members_of(meta.get("history_base"))
        if origin is not None and not history and not self.forks:
            self.replay = Replay.of(meta, time)
        yield new_header_line(
            self.thread_id,
            time,
            string_of(meta.get("cwd")) or "",
            None if origin is None or self.forks else self.find(origin),
            subagent=Subagent(_role(meta)) if self.is_agent else None,
        )
        if history:
            yield from self._before(history)
        if self.title is not None and not self.forks:
            yield session_info_line(self._next(), self.title)

    def _before(self, history: Members) -> Iterator[bytes]:
        """Translate the part of another thread with which this one begins."""
        thread_id = string_of(history.get("thread_id")) or ""
        own, number, time, provider = self.thread_id, self.number, self.time, self.provider
        forks, self.forks = self.forks, (*self.forks, own)
        is_missing = thread_id in self.forks
        self.number, self.begun = 0, False
        try:
            if not is_missing:
                end = count_of(history.get("end_ordinal_exclusive"))
                for line in self.part(thread_id, end):
                    # Its entries have the ids that they have there, so that they count once.
                    yield from islice(self.translate(line), 0 if self.begun else 1, None)
        except (SessionNotFound, ReadFailed):
            is_missing = True
        self.thread_id, self.number, self.begun, self.forks = own, number, True, forks
        self.time, self.provider = time, provider
        if is_missing:
            at = self._next()
            yield custom_line(at, f"{_PREFIX}/history_base", all_of(history))

    def _other(self, kind: str, payload: Members) -> Iterator[bytes]:
        event = string_of(payload.get("type"))
        if kind == "turn_context":
            self.model = string_of(payload.get("model")) or self.model
        elif kind == "compacted":
            summary = string_of(payload.get("message")) or ""
            at = self._next()
            yield compaction_line(at, summary=summary, first_kept_entry_id=None, tokens_before=b"0")
        elif kind == "token_usage_record":
            self.records = True
            answer_id = string_of(payload.get("response_id"))
            yield from self._usage(members_of(payload.get("usage")), answer_id)
        elif kind == "event_msg" and event == "token_count":
            yield from self._counted(members_of(payload.get("info")))
        elif kind == "event_msg" and event == "thread_name_updated":
            name = string_of(payload.get("thread_name")) or string_of(payload.get("name"))
            if name and name != self.title:
                self.title = name
                yield session_info_line(self._next(), name)
        elif kind == "event_msg" and event == "thread_rolled_back":
            yield from self._roll_back(count_of(payload.get("num_turns")))
        elif event in _TOLD:
            name = f"{_PREFIX}/{kind}/{event}"
            yield custom_line(self._next(), name, all_of(payload))
        elif kind not in _SKIPPED:
            name = f"{kind}/{event}" if event else kind
            yield unknown_line(self._next(), _PREFIX, name, all_of(payload))

    def _roll_back(self, turns: int) -> Iterator[bytes]:
        if self.turn is not None and 0 < turns <= self.turn.number:
            last = self.turn.number - turns
            while self.turn is not None and self.turn.number > last:
                self.tip, self.turn = self.turn.above, self.turn.before
            yield custom_line(self._next(), f"{_PREFIX}/thread_rolled_back")

    def _counted(self, info: Members) -> Iterator[bytes]:
        total = info.get("total_token_usage", b"")
        if not self.records and total != self.total:
            self.total = total
            yield from self._usage(members_of(info.get("last_token_usage")))

    def _usage(self, given: Members, answer_id: str | None = None) -> Iterator[bytes]:
        self.answer = None
        if self.is_replayed:
            # The parent has asked for it.
            return
        cached = count_of(given.get("cached_input_tokens"))
        usage = usage_of(
            max(0, count_of(given.get("input_tokens")) - cached),
            count_of(given.get("output_tokens")),
            cached,
            count_of(given.get("cache_write_input_tokens")),
        )
        yield usage_line(
            self._next(),
            kind="request",
            provider=self.provider,
            model=self.model,
            usage=usage,
            answer_id=answer_id,
        )

    def _item(self, kind: str, item: Members) -> Iterator[bytes]:
        if kind == "message":
            yield from self._message(item)
        elif kind == "reasoning":
            summary = elements(_list(item, "summary"))
            texts = [string_of(members_of(each).get("text")) for each in summary]
            thought = "\n\n".join(text for text in texts if text)
            if thought:
                yield self._answer([thinking_block(js_string(thought))], b'"stop"')
        elif kind in _CALLS:
            yield self._call(kind, item)
        elif kind in _OUTPUTS:
            yield self._output(item)
        elif kind not in _SKIPPED_ITEMS:
            yield unknown_line(self._next(), _PREFIX, kind, all_of(item))

    def _message(self, item: Members) -> Iterator[bytes]:
        role = string_of(item.get("role"))
        blocks = _blocks(_list(item, "content"))
        if role == "assistant":
            yield self._answer(blocks, b'"stop"')
        elif role == "user":
            self.answer = None
            yield from self._prompt(item, blocks)
        else:
            yield self._hidden(blocks)

    def _prompt(self, item: Members, blocks: list[bytes]) -> Iterator[bytes]:
        """Yield the entry of what was typed, below that of what the program put before it."""
        prompt = split_prompt(item)
        typed = blocks[prompt.next_block :]
        if prompt.typed is not None:
            typed.insert(0, text_block(js_string(prompt.typed)))
        if prompt.added:
            yield self._hidden([text_block(js_string(text)) for text in prompt.added])
        if not typed:
            return
        if self.is_agent and self.title is None and not self.is_replayed:
            self.title = prompt.first_text
            if self.title:
                yield session_info_line(self._next("name"), self.title)
        number = 1 if self.turn is None else self.turn.number + 1
        self.turn = _Turn(number, self.tip, self.turn)
        yield prompt_line(self._next("prompt" if prompt.added else ""), content_of(typed))

    def _hidden(self, blocks: list[bytes]) -> bytes:
        content = content_of(blocks)
        return custom_message_line(
            self._next(), custom_type=_PREFIX, content=content, display=False
        )

    def _answer(self, blocks: list[bytes], reason: bytes) -> bytes:
        at, first = self._next(), self.answer
        self.answer = first or at.id
        return answer_line(
            at,
            content_of(blocks),
            api=b'"openai-responses"',
            provider=js_string(self.provider),
            model=js_string(self.model),
            usage=_NOTHING,
            reason=reason,
            part_of=first,
        )

    def _call(self, kind: str, item: Members) -> bytes:
        call_id = string_of(item.get("call_id")) or string_of(item.get("id")) or ""
        name = string_of(item.get("name")) or kind.removesuffix("_call")
        self.tools[call_id] = name
        given = next((item[each] for each in ("arguments", "input", "action") if each in item), b"")
        block = call_block(js_string(call_id), js_string(name), arguments_of(given))
        return self._answer([block], b'"toolUse"')

    def _output(self, item: Members) -> bytes:
        self.answer = None
        call_id = string_of(item.get("call_id")) or ""
        output = item.get("output", b'""')
        members = members_of(output)
        if members:
            output = members.get("content", b'""')
        blocks = _blocks(output) if output.startswith(b"[") else [text_block(output)]
        name = js_string(self.tools.pop(call_id, ""))
        failed = members.get("success") == b"false"
        return result_line(
            self._next(), js_string(call_id), name, content_of(blocks), failed=failed
        )

    def _next(self, suffix: str = "") -> Stamp:
        """Return the stamp of an entry for the present line, below the last one."""
        parent = self.tip
        self.tip = f"{self.thread_id[-12:]}-{self.number}{suffix and '.' + suffix}"
        return Stamp(self.tip, parent, self.time)


_NOTHING = usage_of(0, 0, 0, 0)
"""The usage of an answer: that of its request stands in an entry of its own."""


def _spawner(meta: Members) -> str | None:
    """Return the thread that began this one as an agent; before 0.144 only `source` names it."""
    subagent = members_of(members_of(meta.get("source")).get("subagent"))
    spawn = members_of(subagent.get("thread_spawn"))
    return string_of(meta.get("parent_thread_id")) or string_of(spawn.get("parent_thread_id"))


def _role(meta: Members) -> str | None:
    return string_of(meta.get("agent_role")) or string_of(meta.get("agent_nickname"))


def _list(item: Members, name: str) -> bytes:
    raw = item.get(name, b"[]")
    return raw if raw.startswith(b"[") else b"[]"


def _blocks(content: bytes) -> list[bytes]:
    return [_block(members_of(each)) for each in elements(content)]


def _block(block: Members) -> bytes:
    image = image_at(string_of(block.get("image_url")))
    if image is not None:
        return image
    if "text" in block:
        return text_block(block["text"])
    return unknown_block(string_of(block.get("type")))
