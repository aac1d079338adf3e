"""Make the view of one entry from its line.

Files have whatever the agents wrote: a member of an unexpected type reads as absent, and nothing
here raises for valid JSON.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

import attrs
import msgspec

from sessiond.format import entries as types
from sessiond.format.describe.metadata import split_metadata
from sessiond.format.describe.usage_line import ROLES, amounts
from sessiond.format.entries import Entry
from sessiond.format.view import blocks as kinds
from sessiond.format.view.blocks import Argument, Block, Change, EntryView, Safe
from sessiond.format.view.edits import (
    EDITS,
    PATHS,
    as_text,
    changes_of_call,
    changes_of_diff,
    first_string,
    is_diff,
)
from sessiond.text.javascript import truthy
from sessiond.text.lenient import lenient
from sessiond.text.parts import elements, object_members, string_of
from sessiond.text.safe import clean
from sessiond.text.spans import js_trim, loads

Members = dict[str, bytes]

MAIN_ARGUMENTS = ("command", "cmd", *PATHS, "pattern", "query", "url")
"""Names of arguments: the first of these that a call has describes the call."""

_METADATA_MARK = b"(untrusted metadata):"
_MAIN_LENGTH = 200
_SAFE_INTEGER = 2**53
_EXIT_CODE = re.compile(r"^Command exited with code (\d{1,9})\Z", re.MULTILINE)
"""The end of a failed result of pi's tool `bash` (pi 1.6.0, `core/tools/bash.js`)."""
_WITH_CONTENT = {types.MESSAGE, types.CUSTOM_MESSAGE, types.COMPACTION, types.BRANCH_SUMMARY}
_TITLES = {"user": "User", "assistant": "Assistant", "system": "System"}


class _Details(msgspec.Struct, gc=False):
    diff: str | None = None


class _ResultMessage(msgspec.Struct, gc=False):
    toolCallId: str | None = None  # noqa: N815
    details: _Details | None = None


class _ResultLine(msgspec.Struct, gc=False):
    message: _ResultMessage | None = None


_result_line = lenient(_ResultLine)


def view_of(entry: Entry, label: str | None = None, safe: Safe = str) -> EntryView:
    """Return what a person sees of an entry; `label` is the one in force."""
    return _Viewer(safe).view(entry, label)


def result_facts(line: bytes) -> tuple[str | None, bool]:
    """Return the id of the call that a result belongs to, and whether the result has a diff."""
    result = _result_line(line)
    message = None if result is None else result.message
    if message is None:
        return None, False
    diff = None if message.details is None else message.details.diff
    return message.toolCallId, bool(js_trim(diff or ""))


@functools.lru_cache(maxsize=8)
def calls_in(line: bytes) -> Mapping[str, bytes]:
    """Return the calls of an answer, as they are written, by their ids.

    A few are kept, because the results of many calls are asked for page by page.
    """
    calls: dict[str, bytes] = {}
    for each in elements(_message(object_members(line)).get("content", b"null")):
        members = object_members(each) if _is(each) else {}
        call_id = string_of(members.get("id")) if _kind(members) == "toolCall" else None
        if call_id:
            calls[call_id] = each
    return calls


def call_of(raw: bytes, safe: Safe) -> Block:
    """Return the view of a call, of which `raw` is the block."""
    view = EntryView("", "", "", "", "")
    _Viewer(safe)._call(view, object_members(raw))  # noqa: SLF001 - of this module
    return view.blocks[0]


def _is(raw: bytes) -> bool:
    return raw[:1] == b"{"


def _kind(members: Members) -> str:
    return string_of(members.get("type")) or ""


def _message(members: Members) -> Members:
    raw = members.get("message", b"")
    return object_members(raw) if _is(raw) else {}


def _integer(raw: bytes | None) -> int | None:
    value = loads(raw) if raw is not None and raw[:1] in b"-0123456789" else None
    return value if isinstance(value, int) and abs(value) < _SAFE_INTEGER else None


@attrs.frozen
class _Viewer:
    """Makes views; every text that is shown passes `safe` first."""

    safe: Safe

    def view(self, entry: Entry, label: str | None) -> EntryView:
        members = object_members(entry.raw)
        view = EntryView(
            entry.id,
            entry.type,
            entry.role or entry.type,
            entry.timestamp,
            "",
            label=None if label is None else self._short(label),
            part_of=string_of(members.get("partOf")),
        )
        if entry.type in _WITH_CONTENT:
            self._count(view, self._said(view, members))
        else:
            view.is_setting = True
            view.title = self._setting(entry.type, members)
            if string_of(members.get("customType")) in _BOOKKEEPING:
                view.notes.append("hidden")
        return view

    def _short(self, text: str) -> str:
        """Return a text on one line."""
        return " ".join(clean(self.safe(text)).split())

    def _text(self, raw: bytes | None) -> str:
        return clean(self.safe(string_of(raw) or ""))

    def _count(self, view: EntryView, members: Members) -> None:
        """Note the usage among the members of a message or summary."""
        is_message = view.type == types.MESSAGE
        if (is_message and view.role not in ROLES) or view.type == types.CUSTOM_MESSAGE:
            return
        used = amounts(members.get("usage", b"null"))
        if used is not None:
            view.tokens = sum(used.tokens)
            view.cost = used.total if used.has_cost else None

    def _setting(self, kind: str, members: Members) -> str:
        def text(name: str) -> str:
            return self._short(string_of(members.get(name)) or "")

        if kind == types.CONTEXT_EDIT:
            gone = members.get("replacement") == b"null"
            return f"{text('targetId')} {'removed from' if gone else 'replaced in'} the context"
        title = _SETTINGS.get(kind)
        return title(text) if title else f"Entry of type {self._short(kind)}"

    def _said(self, view: EntryView, members: Members) -> Members:
        """Add what was said; returns the members of the message, or of the entry itself."""
        if view.type in (types.COMPACTION, types.BRANCH_SUMMARY):
            compacted = view.type == types.COMPACTION
            view.title = (
                "Summary of compacted messages" if compacted else "Summary of another branch"
            )
            tokens = _integer(members.get("tokensBefore"))
            if tokens is not None:
                view.notes.append(f"{tokens:,} tokens before")
            self._add_text(view, members.get("summary"), kinds.SUMMARY)
            return members
        message = _message(members) if view.type == types.MESSAGE else members
        role = string_of(message.get("role")) or ""
        match role:
            case "bashExecution":
                self._command(view, message)
            case "toolResult":
                self._result(view, message)
            case "assistant":
                self._answer(view, message)
            case _:
                custom = string_of(message.get("customType")) or role
                view.title = _TITLES.get(role) or self._short(custom) or "Message"
                if message.get("display") == b"false":
                    view.notes.append("hidden")
                self._content(view, message)
        return message

    def _answer(self, view: EntryView, message: Members) -> None:
        view.title = "Assistant"
        names = (self._short(string_of(message.get(each)) or "") for each in ("provider", "model"))
        view.model = "/".join(filter(None, names)) or None
        reason = string_of(message.get("stopReason"))
        error = self._error(message.get("errorMessage"))
        if reason == "aborted":
            view.notes.append("aborted")
        self._content(view, message)
        if error or reason == "error":
            view.blocks.append(Block(kinds.ERROR, error))

    def _error(self, raw: bytes | None) -> str:
        """Return the text of an error, which some programs store as an object."""
        if raw is None or raw[:1] not in {b"{", b"["}:
            return self._text(raw)
        text = self._text(object_members(raw).get("message")) if raw[:1] == b"{" else ""
        return text or clean(self.safe(raw.decode(errors="replace")))

    def _command(self, view: EntryView, message: Members) -> None:
        view.title = "Command"
        code = _integer(message.get("exitCode"))
        cancelled = truthy(message.get("cancelled"))
        if cancelled:
            view.notes.append("cancelled")
        elif code:
            view.notes.append(f"exit code {code}")
        if truthy(message.get("excludeFromContext")):
            view.notes.append("not in context")
        view.blocks.append(
            Block(
                kinds.COMMAND,
                self._text(message.get("output")),
                title=self._text(message.get("command")),
                failed=cancelled or bool(code),
                exit_code=code,
            )
        )

    def _result(self, view: EntryView, message: Members) -> None:
        tool = self._short(string_of(message.get("toolName")) or "unknown")
        raw = message.get("details", b"")
        details = object_members(raw) if _is(raw) else {}
        result = Block(
            kinds.RESULT, closed=True, tool=tool, call_id=string_of(message.get("toolCallId"))
        )
        view.blocks.append(result)
        is_error = truthy(message.get("isError"))
        view.title = f"Tool result: {tool}{' (error)' if is_error else ''}"
        self._output(view, message, result)
        code = _integer(details.get("exitCode")) or _integer(details.get("exit_code"))
        if is_error and not code and (exit_code := _EXIT_CODE.search(result.text)):
            code = int(exit_code[1])
        if code:
            view.notes.append(f"exit code {code}")
        result.failed, result.exit_code = is_error or bool(code), code
        diff = self._text(details.get("diff"))
        if not js_trim(diff) and is_diff(result.text):
            diff, result.text = result.text, ""
        if js_trim(diff):
            changes = changes_of_diff(diff)
            view.blocks.append(Block(kinds.DIFF, diff, call_id=result.call_id, changes=changes))

    def _output(self, view: EntryView, message: Members, result: Block) -> None:
        texts = []
        for raw in self._raw_blocks(message):
            members = object_members(raw) if _is(raw) else {}
            if _kind(members) == "text":
                texts.append(self._text(members.get("text")))
            else:
                self._block(view, raw, members)
        result.text = "\n".join(texts)

    def _raw_blocks(self, message: Members) -> list[bytes]:
        """Return the blocks of a content; a string is one block of text."""
        raw = message.get("content", b"null")
        return [b'{"type":"text","text":%b}' % raw] if raw[:1] == b'"' else elements(raw)

    def _content(self, view: EntryView, message: Members) -> None:
        for raw in self._raw_blocks(message):
            self._block(view, raw, object_members(raw) if _is(raw) else {})

    def _block(self, view: EntryView, raw: bytes, members: Members) -> None:
        kind = _kind(members)
        match kind:
            case "text" if string_of(members.get("text")) is not None:
                self._add_said(view, members.get("text"))
            case "thinking" if string_of(members.get("thinking")) is not None:
                self._add_text(view, members.get("thinking"), kinds.THINKING)
            case "toolCall":
                self._call(view, members)
            case "image":
                mime_type = self._short(string_of(members.get("mimeType")) or "unknown type")
                size = len((string_of(members.get("data")) or "").rstrip("=")) * 3 // 4
                text = f"{mime_type}, {size} bytes"
                view.blocks.append(Block(kinds.IMAGE, text, mime_type=mime_type, size_bytes=size))
            case _:
                text = clean(self.safe(raw.decode(errors="replace")))
                title = self._short(kind) or None
                view.blocks.append(Block(kinds.DATA, text, title=title, closed=True))

    def _add_said(self, view: EntryView, raw: bytes | None) -> None:
        """Add a text; what a gateway put before a message of a person is no part of it."""
        if view.role == "user" and raw is not None and _METADATA_MARK in raw[:200]:
            metadata, said = split_metadata(self._text(raw))
            if metadata:
                view.blocks.append(Block(kinds.DATA, metadata, title="metadata", closed=True))
                view.blocks.append(Block(kinds.TEXT, said))
                return
        self._add_text(view, raw, kinds.TEXT)

    def _add_text(self, view: EntryView, raw: bytes | None, kind: str) -> None:
        text = self._text(raw).strip("\n")
        if js_trim(text):
            view.blocks.append(Block(kind, text, closed=kind == kinds.THINKING))

    def _call(self, view: EntryView, members: Members) -> None:
        raw = members.get("arguments", b"{}")
        given = object_members(raw) if _is(raw) else {"arguments": raw}
        changes = changes_of_call(given)
        shown_by_diff = EDITS if changes else ()
        call = Block(
            kinds.CALL,
            self._main_argument(given, raw),
            closed=True,
            tool=self._short(string_of(members.get("name")) or "unknown"),
            call_id=string_of(members.get("id")),
            arguments=[
                self._argument(name, value)
                for name, value in given.items()
                if name not in shown_by_diff
            ],
        )
        path = first_string(given, PATHS)
        call.path = None if path is None else clean(self.safe(path))
        view.blocks.append(call)
        if changes:
            self._put_diff(view, changes, call)

    def _argument(self, name: str, value: bytes) -> Argument:
        text = string_of(value)
        value_text = value.decode(errors="replace") if text is None else text
        return Argument(self._short(name), clean(self.safe(value_text)))

    def _main_argument(self, given: Members, raw: bytes) -> str:
        text = first_string(given, MAIN_ARGUMENTS)
        if text is None:
            text = raw.decode(errors="replace") if given else ""
        short = self._short(text)
        return short if len(short) <= _MAIN_LENGTH else f"{short[: _MAIN_LENGTH - 1]}…"

    def _put_diff(self, view: EntryView, changes: list[Change], call: Block) -> None:
        for change in changes:
            change.text = clean(self.safe(change.text))
        view.blocks.append(
            Block(
                kinds.DIFF,
                as_text(changes),
                path=call.path,
                call_id=call.call_id,
                changes=changes,
            )
        )


def _label(text: Callable[[str], str]) -> str:
    target, label = text("targetId"), text("label")
    return f"Label of {target}: {label}" if label else f"Label of {target} removed"


def _leaf(text: Callable[[str], str]) -> str:
    target = text("targetId")
    return f"Continues from {target}" if target else "Continues before the first entry"


def _reset(text: Callable[[str], str]) -> str:
    reason = text("reason")
    return f"Context reset: {reason}" if reason else "Context reset"


_BOOKKEEPING = frozenset({"session_exit", "tool_execution_start"})
"""The custom entries of Oh My Pi that say nothing of the conversation."""

_SETTINGS: dict[str, Callable[[Callable[[str], str]], str]] = {
    types.MODEL_CHANGE: lambda text: (
        f"Model: {text('model') or '/'.join((text('provider'), text('modelId')))}"
    ),
    types.THINKING_LEVEL_CHANGE: lambda text: f"Thinking level: {text('thinkingLevel')}",
    types.SESSION_INFO: lambda text: f"Name: {text('name')}",
    types.TITLE_CHANGE: lambda text: f"Name: {text('title')}",
    types.MODEL_USAGE: lambda text: f"Usage: {text('purpose')} {text('provider')}/{text('model')}",
    types.LABEL: _label,
    types.LEAF: _leaf,
    types.USAGE: lambda text: f"Usage: {text('kind')} {text('provider')}/{text('model')}",
    types.RESET: _reset,
    types.RESET_BOUNDARY: _reset,
    types.CUSTOM: lambda text: (
        f"Directory: {text('worksIn')}"
        if text("worksIn")
        else f"Custom entry: {text('customType')}"
    ),
}
