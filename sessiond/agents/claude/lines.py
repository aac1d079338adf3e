"""Translate the lines of a session of Claude Code, as version 2.1 writes them.

The lines of the conversation form a tree by `uuid` and `parentUuid`, in which context that the
program added (`attachment`) is a link like any other. An answer of the model has one line for each
of its blocks, all with its usage. Bookkeeping is left out; a line of an unknown type becomes an
entry that says so. It is one module although it is long: whole and brief translation must agree on
every line, and share the state that goes from one line to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import attrs
import msgspec

from sessiond.agents.claude.names import encoded_directory
from sessiond.agents.claude.prompts import slash_command, split_prompt
from sessiond.agents.claude.tally import NO_TOKENS, Tally, Tokens
from sessiond.agents.messages import (
    BRIEF_RESULT,
    Count,
    all_of,
    answer_line,
    brief_answer,
    call_block,
    content_of,
    image_block,
    is_prompt,
    json_number,
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
    directory_line,
    session_info_line,
    usage_line,
)
from sessiond.format.repair.salvage import salvage
from sessiond.text.lenient import lenient
from sessiond.text.parts import elements, string_of
from sessiond.text.spans import js_string
from sessiond.text.utf8 import readable

_BOOKKEEPING = frozenset(
    {
        *("agent-name", "api-request", "api-request-blob", "api-request-shape", "atis-latch"),
        *("attachment", "bridge-session", "file-history-snapshot", "frame-link"),
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

_DELEGATES = frozenset({"Agent", "Task", "Workflow"})
"""Tools that begin subagents."""

_TITLES = frozenset({"ai-title", "custom-title", "summary"})
_TREE_LINE = b'"parentUuid"'
_KEPT_MARK = b"<persisted-output>"
_KEPT = re.compile(
    r"<persisted-output>\s{0,20}[^\n]{0,200}saved to: [^\n]{0,4096}/tool-results/([\w.-]{1,200})"
)
"""The beginning of a result that is kept in a file beside the session, whose name it has."""
_LINE_BEGINS = re.compile(r'\{\s*"(?:parentUuid|type|sessionId|isSidechain)"\s*:')
"""The beginning of a line that another one may have been written into."""

_STOP_REASONS = {"tool_use": b'"toolUse"', "max_tokens": b'"length"'}
_PREFIX = "claude-code"


_ABSENT, _EMPTY = msgspec.Raw(b""), msgspec.Raw(b'""')


class _CacheCreation(msgspec.Struct, gc=False):
    ephemeral_1h_input_tokens: Count = 0


_NO_CREATION = _CacheCreation()


class _Usage(msgspec.Struct, gc=False):
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_creation: _CacheCreation | None = None


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    model: msgspec.Raw = _EMPTY
    content: msgspec.Raw = _EMPTY
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Line(msgspec.Struct, rename="camel", gc=False):
    """The members used of a line of any type."""

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
    is_sidechain: bool | None = None
    origin: msgspec.Raw = _ABSENT
    prompt_source: str | None = None


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


class _BriefBlock(msgspec.Struct, gc=False):
    type: str | None = None
    name: str = ""


class _BriefMessage(msgspec.Struct, gc=False):
    content: list[_BriefBlock]
    id: str | None = None
    model: msgspec.Raw = _EMPTY
    usage: _Usage | None = None


class _BriefLine(msgspec.Struct, rename="camel", gc=False):
    """The part of a line with blocks that lists and the count of usage need: no texts."""

    type: str
    uuid: str
    message: _BriefMessage
    timestamp: str | None = None
    cwd: str | None = None


_brief_line = msgspec.json.Decoder(_BriefLine).decode
_line, _block = lenient(_Line), lenient(_Block)
_blocks_quickly = msgspec.json.Decoder(list[_Block]).decode


def _nothing(_: str) -> None:
    """Return nothing: no output is kept beside a copy of a session."""


@attrs.define
class ClaudeTranslator:
    """The state that the next line of a session needs to know of those before it.

    Siblings are alternatives in pi's tree. Here they are not if they belong to one answer: newer
    versions write the result of each call below the line of its call, and the next answer below the
    result that came last. So an answer and what belongs to it make one chain of entries, in the
    order of the lines, and whatever continues one of them continues the last. `ids` leads from each
    uuid to the first entry of the chain, and `ends` from there to the last.
    """

    session_id: str
    """The id that the path gives; empty: the lines give it."""
    project: str | None = None
    """The directory of the session that began this one, if the lines say which that is."""
    parent_session: str | None = None
    subagent: Subagent | None = None
    begun: bool = False
    number: int = 0
    time: str = ""
    """The time of the last line that has one."""
    tip: str | None = None
    """The entry that was translated last."""
    position: str | None = None
    """The value of `ids` for the last line that is a part of the tree."""
    ids: dict[str | None, str | None] = attrs.field(factory=dict)
    """By uuid: the first entry of the line's chain, or of that of the nearest line above it."""
    ends: dict[str, str] = attrs.field(factory=dict)
    """By the first entry of a chain: the last one."""
    lasts: dict[bool, str | None] = attrs.field(factory=dict)
    """The values of `ids` for the last line of the conversation (false), and of sidechains
    (true)."""
    tools: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    """The names of tools, and the first entries of their answers, by calls without a result."""
    answers: dict[str | None, str] = attrs.field(factory=dict)
    """The first entry of each answer by the id that the API gave to it."""
    tally: Tally = attrs.field(factory=Tally)
    model: bytes = b'""'
    """The last model that answered, as JSON."""
    model_name: str = ""
    has_title: bool = False
    """Whether the user has named the session."""
    title: str | None = None
    """A name that came before the header."""
    directories: dict[str, None] = attrs.field(factory=dict)
    """The directories in which the session has worked."""
    read_output: Callable[[str], str | None] = _nothing
    """Returns the output that the program keeps in a file of this name beside the session."""
    directory_name: str = ""
    """The name of the directory with the session, which encodes that of its working directory."""
    before: tuple[str | None, bytes] = (None, b"0")
    """The first entry after the last boundary that a compaction keeps, and its tokens."""

    def copy(self) -> Self:
        return attrs.evolve(
            self,
            ids=self.ids.copy(),
            ends=self.ends.copy(),
            lasts=self.lasts.copy(),
            tools=self.tools.copy(),
            answers=self.answers.copy(),
            directories=self.directories.copy(),
            tally=self.tally.copy(),
        )

    def translate(self, line: bytes) -> Iterable[bytes]:
        self.number += 1
        begins = _BEGINS.match(line)
        is_bookkeeping = begins is not None and begins[1].decode() in _BOOKKEEPING
        if is_bookkeeping and _TREE_LINE not in line:
            # Large, and no part of the tree: not decoded.
            return ()
        line = readable(line)
        read = _line(line)
        if read is not None:
            return self._translate(read, line)
        return self._damaged(line) if line.strip() else ()

    def brief(self, line: bytes) -> Iterable[bytes]:
        """Translate a line as far as lists and the count of usage need it.

        Answers and results have no content. Above which entry an entry stands is not kept, so that
        one translator can do either this or `translate`.
        """
        if self.begun and _BEGINS.match(line) is None:
            try:
                read = _brief_line(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                # Without blocks, or damaged.
                return self.translate(line)
            is_known = not read.cwd or read.cwd in self.directories
            # Raw members may have bytes that are not UTF-8.
            if read.uuid not in self.ids and is_known and bytes(read.message.model).isascii():
                if read.type == "assistant":
                    return self._brief_answer(read)
                kinds = {block.type for block in read.message.content}
                if read.type == "user" and kinds == {"tool_result"}:
                    return self._brief_results(read)
        return self.translate(line)

    def _brief_answer(self, read: _BriefLine) -> list[bytes]:
        self.number += 1
        self.time = read.timestamp or self.time
        self.ids[read.uuid] = None
        message = read.message
        first = self.answers.get(message.id)
        if message.id is not None and first is None:
            self.answers[message.id] = read.uuid
        for block in message.content:
            if block.type == "tool_use":
                self.tally.delegates |= block.name in _DELEGATES
        line = brief_answer(
            Stamp(read.uuid, None, self.time),
            provider=b'"anthropic"',
            usage=self._used(message),
            model=self.model,
            answer_id=message.id,
            is_part=first is not None,
            calls=bool(message.content) and message.content[-1].type == "tool_use",
        )
        return [line]

    def _brief_results(self, read: _BriefLine) -> list[bytes]:
        self.number += 1
        self.time = read.timestamp or self.time
        self.ids[read.uuid] = None
        return [BRIEF_RESULT] * len(read.message.content)

    def _damaged(self, line: bytes) -> Iterator[bytes]:
        """Translate what is whole in a damaged line, and return the rest as it is.

        A crash leaves NUL bytes, or the beginning of a line before the next one.
        """
        salvaged = salvage(line, _is_line, _LINE_BEGINS)
        for each in salvaged.entries:
            read = _line(each)
            if read is not None:
                yield from self._translate(read, each)
        yield salvaged.rest or b"\0"

    def _translate(self, read: _Line, line: bytes) -> list[bytes]:
        # A list, because generators within generators cost a third of the time of a list.
        if read.uuid in self.ids:
            # Version 2.1.257 writes all lines again after a second compaction.
            return []
        self.time = read.timestamp or self.time
        lines: list[bytes] = []
        if read.type in _TITLES:
            title = self._title(read)
            if title is not None and title != self.title:
                lines += self._named(title)
        if read.uuid is None:
            return [*lines, *self._without_uuid(read, line)]
        if not self.begun and read.cwd is not None:
            lines += self._header(read, read.cwd)
        lines += self._of_tree(read.uuid, read, line)
        if read.cwd and read.cwd not in self.directories:
            lines += self._works_in(read.cwd)
        return lines

    def _without_uuid(self, read: _Line, line: bytes) -> Iterator[bytes]:
        """Yield the entries of a line that is no part of the tree."""
        if read.type == "last-prompt":
            yield from self._moved(read.leaf_uuid)
        elif read.type == "cost-state":
            yield from self._paid(line)
        elif self.begun and read.type not in _BOOKKEEPING and read.type not in _TITLES:
            yield unknown_line(self._next(), _PREFIX, read.type, line)

    def _works_in(self, cwd: str) -> Iterator[bytes]:
        """Yield an entry for a further directory, which may be that of the session's file."""
        is_first = not self.directories
        was_there = self.directory_name in map(encoded_directory, self.directories)
        self.directories[cwd] = None
        if not is_first:
            is_moved = not was_there and encoded_directory(cwd) == self.directory_name
            yield directory_line(self._next(), f"{_PREFIX}/cwd", cwd, is_moved=is_moved)

    def _header(self, read: _Line, cwd: str) -> Iterator[bytes]:
        self.begun = True
        self.session_id = self.session_id or read.session_id or ""
        if self.project is not None and read.session_id:
            self.parent_session = f"{self.project}/{read.session_id}.jsonl"
        yield new_header_line(
            self.session_id, self.time, cwd, self.parent_session, subagent=self.subagent
        )
        if self.title is not None:
            yield from self._named(self.title)

    def _of_tree(self, uuid: str, read: _Line, line: bytes) -> list[bytes]:
        message = read.message or _NO_MESSAGE
        content = bytes(message.content)
        blocks = _blocks(content)
        if read.type == "assistant":
            return self._part_of_answer(uuid, read, message, content, blocks)
        results = [block for block in blocks if block.type == "tool_result"] if blocks else blocks
        chain = self._chain(read, results)
        at = Stamp(uuid, None if chain is None else self.ends.get(chain, chain), self.time)
        lines: list[bytes] = []
        if self.begun:
            lines += self._entries(at, read, line, _Content(content, blocks, results))
        # Lines below one that is left out belong to the one above it.
        position = chain
        if lines:
            self.tip = position = uuid
            if chain in self.ends and (results or not is_prompt(lines[-1])):
                # Prompts do not belong to an answer, so that a rewind makes a branch.
                position = chain
                self.ends[chain] = uuid
        self.ids[uuid] = self.position = self.lasts[read.is_sidechain is True] = position
        return lines

    def _part_of_answer(
        self, uuid: str, read: _Line, message: _Message, content: bytes, blocks: list[_Block]
    ) -> list[bytes]:
        """Return the entry of a line of an answer, below the line before it."""
        first = self.answers.get(message.id)
        chain = first or self._chain(read, ())
        at = Stamp(uuid, None if chain is None else self.ends.get(chain, chain), self.time)
        position = chain
        lines = []
        if self.begun:
            position = first or uuid
            lines.append(self._answer(at, read, message, content, blocks, first=position))
            if message.id is not None and first is None:
                self.answers[message.id] = uuid
            self.tip = self.ends[position] = uuid
        self.ids[uuid] = self.position = self.lasts[read.is_sidechain is True] = position
        return lines

    def _chain(self, read: _Line, results: Iterable[_Block]) -> str | None:
        """Return the first entry of the chain that a line continues; None at a root."""
        for block in results:
            if block.tool_use_id in self.tools:
                return self.tools[block.tool_use_id][1]
        above = read.parent_uuid
        if read.subtype == "compact_boundary":
            above = read.logical_parent_uuid
        if above is None or above in self.ids:
            return above and self.ids[above]
        # The line above is damaged, or in another file.
        return self.lasts.get(read.is_sidechain is True)

    def _entries(self, at: Stamp, read: _Line, line: bytes, content: _Content) -> Iterator[bytes]:
        if read.type == "user":
            yield from self._user(at, read, content)
        elif read.type == "system":
            yield from self._system(at, read, line)
        elif read.type not in _BOOKKEEPING:
            yield unknown_line(at, _PREFIX, read.type, line)

    def _user(self, at: Stamp, read: _Line, content: _Content) -> Iterator[bytes]:
        if content.results:
            yield from self._results(at, content)
        elif read.is_compact_summary:
            kept, tokens = self.before
            yield compaction_line(
                at, summary=content.text, first_kept_entry_id=kept, tokens_before=tokens
            )
        elif read.is_meta or read.prompt_source == "system" or _is_notification(read):
            said, text = content.as_said(), not read.is_meta
            yield custom_message_line(at, custom_type=_PREFIX, content=said, display=text)
        else:
            yield from self._prompt(at, content)

    def _prompt(self, at: Stamp, content: _Content) -> Iterator[bytes]:
        """Yield the entry of what was typed, below that of what the program put before it."""
        command = slash_command(content.text)
        if command is not None:
            yield prompt_line(at, js_string(command))
            return
        prompt = split_prompt(content.texts)
        if not prompt.added:
            yield prompt_line(at, content.as_said())
            return
        typed = [text_block(prompt.typed)] if prompt.typed is not None else []
        typed += map(_translate, content.blocks[prompt.next_block :])
        above = Stamp(f"{at.id}.1", at.parent_id, at.timestamp) if typed else at
        added = content_of(list(map(text_block, prompt.added)))
        yield custom_message_line(
            above, custom_type=_PREFIX, content=added, display=prompt.is_shown
        )
        if typed:
            yield prompt_line(Stamp(at.id, above.id, at.timestamp), content_of(typed))

    def _results(self, at: Stamp, content: _Content) -> Iterator[bytes]:
        """Yield an entry for each result of a line, and one for what the user said with them."""
        said = [block for block in content.blocks if block.type != "tool_result"]
        parent = at.parent_id
        for number, block in enumerate(content.results, 1):
            # Lines below this one name its uuid: the last entry has it.
            is_last = number == len(content.results) and not said
            entry_id = at.id if is_last else f"{at.id}.{number}"
            output = bytes(block.content)
            kept = None
            if _KEPT_MARK in output[:200]:
                kept = _KEPT.match(_Content(output, _blocks(output), []).text)
            yield result_line(
                Stamp(entry_id, parent, at.timestamp),
                js_string(block.tool_use_id),
                js_string(self.tools.pop(block.tool_use_id, ("", ""))[0]),
                _translated(output, _blocks(output)),
                failed=block.is_error is True,
                full_output=self.read_output(kept[1]) if kept is not None else None,
            )
            parent = entry_id
        if said:
            blocks = content_of(list(map(_translate, said)))
            yield prompt_line(Stamp(at.id, parent, at.timestamp), blocks)

    def _answer(
        self,
        at: Stamp,
        read: _Line,
        message: _Message,
        content: bytes,
        blocks: list[_Block],
        *,
        first: str,
    ) -> bytes:
        """Return the entry of a line of the answer that began with the entry `first`."""
        for block in blocks:
            if block.type == "tool_use":
                self.tools[block.id] = block.name, first
                self.tally.delegates |= block.name in _DELEGATES
        reason, error = _STOP_REASONS.get(message.stop_reason or "", b'"stop"'), None
        translated = _translated(content, blocks)
        if read.is_api_error_message:
            text = _Content(content, blocks, []).text
            reason, error, translated = b'"error"', js_string(text), b"[]"
        usage = self._used(message)
        return answer_line(
            at,
            translated,
            api=b'"anthropic-messages"',
            provider=b'"anthropic"',
            model=self.model,
            usage=usage,
            reason=reason,
            error=error,
            answer_id=message.id,
            part_of=first if first != at.id else None,
        )

    def _used(self, message: _Message | _BriefMessage) -> bytes:
        """Return the usage that a line of an answer adds, and note its model."""
        model = bytes(message.model)
        if model.startswith(b'"<'):
            # The program answers itself, for example after an error of the API.
            return usage_of(*NO_TOKENS, cost=b"0")
        if model != self.model:
            self.model = model
            self.model_name = string_of(model) or ""
        grown = self.tally.growth(message.id, self.model_name, _tokens(message.usage))
        return _NO_GROWTH if grown is NO_TOKENS else usage_of(*grown)

    def _paid(self, line: bytes) -> Iterator[bytes]:
        """Yield entries for the costs that a run has recorded."""
        if not self.begun:
            return
        for number, paid in enumerate(self.tally.pay(line, self.model_name), 1):
            at = self._next(f".{number}" if number > 1 else "")
            yield usage_line(
                at,
                kind="cost",
                provider="anthropic",
                model=paid.model,
                usage=usage_of(*paid.tokens, cost=json_number(paid.dollars)),
                answer_id=f"{self.session_id}/{at.id}",
                priced_answers=paid.answers,
            )

    def _system(self, at: Stamp, read: _Line, line: bytes) -> Iterator[bytes]:
        kind = read.subtype or ""
        if kind == "compact_boundary":
            metadata = members_of(bytes(read.compact_metadata))
            kept = string_of(members_of(metadata.get("preservedSegment")).get("headUuid"))
            # What a fork has copied behind the summary is kept because it follows.
            entry_id = self.ids.get(kept) if kept is not None else None
            self.before = entry_id, metadata.get("preTokens", b"0")
            yield custom_line(at, f"{_PREFIX}/{kind}", all_of(metadata) if metadata else None)
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
        position = self.ids.get(leaf) if leaf is not None else None
        if self.begun and position is not None and position != self.position:
            self.position = position
            self.tip = self.ends.get(position, position)
            yield custom_line(self._next(), f"{_PREFIX}/last-prompt")

    def _next(self, suffix: str = "") -> Stamp:
        """Return the stamp of an entry for a line without an id, below the last one."""
        parent, self.tip = self.tip, f"line-{self.number}{suffix}"
        if self.position is not None:
            # What continues the entry above continues this one, so that it is no branch.
            self.ends[self.position] = self.tip
        return Stamp(self.tip, parent, self.time)


_NO_MESSAGE, _NO_USAGE = _Message(), _Usage()
_NO_GROWTH = usage_of(*NO_TOKENS)


class _Content(msgspec.Struct, gc=False):
    """The content of a message."""

    raw: bytes
    """A JSON string, or a list of blocks."""
    blocks: list[_Block]
    """Empty if the content is a string."""
    results: list[_Block]
    """The blocks that are results of tools."""

    @property
    def texts(self) -> list[bytes]:
        """The string, or the text of each block: a JSON string, or nothing."""
        return [bytes(block.text) for block in self.blocks] if self.blocks else [self.raw]

    @property
    def text(self) -> str:
        return "\n".join(text for raw in self.texts if (text := string_of(raw)))

    def as_said(self) -> bytes:
        """Return the content of a message of the user."""
        return self.raw if self.raw.startswith(b'"') else _translated(self.raw, self.blocks)


def _is_notification(read: _Line) -> bool:
    return string_of(members_of(bytes(read.origin)).get("kind")) == "task-notification"


def _is_line(value: Any) -> bool:
    """Return whether an object in a damaged line is a line, and not a part of one."""
    return isinstance(value.get("type"), str) and ("uuid" in value or "sessionId" in value)


def _tokens(usage: _Usage | None) -> Tokens:
    used = usage or _NO_USAGE
    return (
        used.input_tokens,
        used.output_tokens,
        used.cache_read_input_tokens,
        used.cache_creation_input_tokens,
        (used.cache_creation or _NO_CREATION).ephemeral_1h_input_tokens,
    )


def _blocks(content: bytes) -> list[_Block]:
    """Return the blocks of a message; none if it is a string."""
    if not content.startswith(b"["):
        return []
    try:
        return _blocks_quickly(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [_block(each) or _Block() for each in elements(content)]


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
