"""Render one entry as Markdown, for people.

The rules:

- An entry with content has a heading `## ` with its title, a line of facts in italics, joined by
  ` · ` and omitted if empty, and its content. Settings and similar entries are one line in italics
  that ends with their time.
- Titles: `User`, `Assistant`, `System`, `Tool result: ` and the tool (` (error)` where it failed),
  `Command`, `Summary of compacted messages`, `Summary of another branch`; of other messages the
  custom type, else the role, else `Message`.
- Facts: the entry's timestamp as written; provider/model of an assistant; `aborted`; exit code of a
  command that failed, `cancelled`, `not in context`; `hidden` for a custom message not displayed;
  `label: ` and the label in force.
- Texts are not escaped, because most are Markdown: a program that renders the file must treat HTML
  in it as untrusted. A code fence that a text leaves open is closed after it. Blank texts are
  omitted, and newlines around a text are removed.
- Thinking is a quotation that begins `**Thinking**`. A tool call is `**Tool call:**` and the name,
  then a list of its arguments: strings of one line and other values (their JSON) as code spans,
  longer strings as fences. The text of tool results is in fences, as are commands, `$ ` before
  them, with their output. A fence is longer than any run of backticks in it.
- An image is one line in italics: its type and size. Other blocks are JSON in a fence.
- An error of an assistant is one line in italics after its content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container

import attrs

from sessiond.format import entries as types
from sessiond.format.describe.clean_text import clean
from sessiond.format.entries import Entry
from sessiond.jsontext.javascript import truthy
from sessiond.jsontext.parts import elements, object_members, string_of
from sessiond.jsontext.spans import js_trim

Members = dict[str, bytes]

_SPECIAL = re.compile(r"[\\`*_\[\]<>#|~&!]")
_TICKS = re.compile("`+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_TITLES = {"user": "User", "assistant": "Assistant", "system": "System"}


@attrs.frozen
class Rendering:
    """How entries are rendered.

    Content blocks of the types in `without` (`thinking`, `toolCall`, ...) are omitted. `safe`
    changes each short text before its Markdown characters are escaped.
    """

    without: Container[str] = ()
    safe: Callable[[str], str] = str

    def inline(self, text: str) -> str:
        return inline(self.safe(text))


_PLAIN = Rendering()


def blocks_of(entry: Entry, line: bytes, label: str | None) -> list[str]:
    """Return the blocks of one entry; `label` is the one in force."""
    head, body = parts_of(entry, line, label)
    return head + body


def parts_of(
    entry: Entry, line: bytes, label: str | None, how: Rendering = _PLAIN
) -> tuple[list[str], list[str]]:
    """Return the blocks of one entry in two parts: title and facts, and its content."""
    members = object_members(line)
    facts = [how.inline(entry.timestamp)]
    note = _note(entry, members, how)
    title = ""
    body: list[str] = []
    if note is None:
        title, facts_of, body = _said(entry, members, how)
        facts += facts_of
    if label:
        facts.append(f"label: {how.inline(label)}")
    first = " · ".join(filter(None, [note or "", *facts]))
    shown = [f"*{first}*"] if first else []
    return ([f"## {title}", *shown] if note is None else shown), body


def _note(entry: Entry, members: Members, how: Rendering) -> str | None:
    """One line about a setting or similar entry; None for an entry that has content."""

    def text(name: str) -> str:
        return how.inline(string_of(members.get(name)) or "")

    if entry.type in _WITH_CONTENT:
        return None
    if entry.type == types.CONTEXT_EDIT:
        gone = members.get("replacement") == b"null"
        return f"{text('targetId')} {'removed from' if gone else 'replaced in'} the context"
    note = _NOTES.get(entry.type)
    return note(text) if note else f"Entry of type {how.inline(entry.type)}"


def _label_note(text: Callable[[str], str]) -> str:
    target, label = text("targetId"), text("label")
    return f"Label of {target}: {label}" if label else f"Label of {target} removed"


def _reset_note(text: Callable[[str], str]) -> str:
    reason = text("reason")
    return f"Context reset: {reason}" if reason else "Context reset"


_WITH_CONTENT = {types.MESSAGE, types.CUSTOM_MESSAGE, types.COMPACTION, types.BRANCH_SUMMARY}
_NOTES: dict[str, Callable[[Callable[[str], str]], str]] = {
    types.MODEL_CHANGE: lambda text: f"Model: {text('provider')}/{text('modelId')}",
    types.THINKING_LEVEL_CHANGE: lambda text: f"Thinking level: {text('thinkingLevel')}",
    types.SESSION_INFO: lambda text: f"Name: {text('name')}",
    types.LABEL: _label_note,
    types.USAGE: lambda text: f"Usage: {text('kind')} {text('provider')}/{text('model')}",
    types.RESET: _reset_note,
    types.CUSTOM: lambda text: f"Custom entry: {text('customType')}",
}


def _said(entry: Entry, members: Members, how: Rendering) -> tuple[str, list[str], list[str]]:
    """Title, facts and blocks of an entry that has content."""
    if entry.type in (types.COMPACTION, types.BRANCH_SUMMARY):
        compacted = entry.type == types.COMPACTION
        title = "Summary of compacted messages" if compacted else "Summary of another branch"
        return title, [], _text(string_of(members.get("summary")) or "")
    message = members
    if entry.type == types.MESSAGE:
        raw = members.get("message", b"")
        message = object_members(raw) if raw[:1] == b"{" else {}
    role = string_of(message.get("role")) or ""
    if role == "bashExecution":
        return "Command", _command_facts(message), [_command(message)]
    if role == "toolResult":
        failed = " (error)" if truthy(message.get("isError")) else ""
        tool = how.inline(string_of(message.get("toolName")) or "unknown")
        return f"Tool result: {tool}{failed}", [], _content(message, how, fenced=True)
    if role == "assistant":
        body = [*_content(message, how), *_error(message, how)]
        return "Assistant", _model_facts(message, how), body
    custom = string_of(message.get("customType")) or role
    title = _TITLES.get(role) or how.inline(custom) or "Message"
    hidden = message.get("display") == b"false"
    return title, ["hidden"] if hidden else [], _content(message, how)


def _model_facts(message: Members, how: Rendering) -> list[str]:
    names = [how.inline(string_of(message.get(name)) or "") for name in ("provider", "model")]
    aborted = string_of(message.get("stopReason")) == "aborted"
    return ["/".join(filter(None, names)), "aborted" if aborted else ""]


def _error(message: Members, how: Rendering) -> list[str]:
    error = string_of(message.get("errorMessage"))
    return [f"*Error: {how.inline(error)}*"] if error else []


def _command_facts(message: Members) -> list[str]:
    facts = []
    if truthy(message.get("cancelled")):
        facts.append("cancelled")
    elif truthy(message.get("exitCode")):
        facts.append(f"exit code {inline(message['exitCode'].decode())}")
    if truthy(message.get("excludeFromContext")):
        facts.append("not in context")
    return facts


def _command(message: Members) -> str:
    command, output = (clean(string_of(message.get(name)) or "") for name in ("command", "output"))
    return _fence(f"$ {command}\n{output}")


def _content(message: Members, how: Rendering, *, fenced: bool = False) -> list[str]:
    raw = message.get("content", b"null")
    whole = string_of(raw)
    if whole is not None:
        return _fenced(whole) if fenced else _text(whole)
    blocks: list[str] = []
    for block in elements(raw):
        members = object_members(block) if block[:1] == b"{" else {}
        if string_of(members.get("type")) not in how.without:
            blocks += _block(block, members, how, fenced=fenced)
    return blocks


def _block(raw: bytes, members: Members, how: Rendering, *, fenced: bool) -> list[str]:
    text = string_of(members.get("text"))
    thinking = string_of(members.get("thinking"))
    match string_of(members.get("type")):
        case "text" if text is not None:
            return _fenced(text) if fenced else _text(text)
        case "thinking" if thinking is not None:
            lines = "\n".join(_text(thinking)).split("\n")
            quoted = "\n".join(f"> {line}" if line else ">" for line in lines)
            return [f"> **Thinking**\n>\n{quoted}"] if js_trim(thinking) else []
        case "toolCall":
            return _call(members, how)
        case "image":
            kind = how.inline(string_of(members.get("mimeType")) or "unknown type")
            return [f"*Image: {kind}, {_image_bytes(members)} bytes*"]
        case _:
            return [_fence(clean(raw.decode()), "json")]


def _image_bytes(members: Members) -> int:
    data = string_of(members.get("data")) or ""
    return len(data.rstrip("=")) * 3 // 4


def _call(members: Members, how: Rendering) -> list[str]:
    heading = f"**Tool call:** {code_span(string_of(members.get('name')) or 'unknown')}"
    raw = members.get("arguments", b"{}")
    given = object_members(raw) if raw[:1] == b"{" else {"arguments": raw}
    listed = "\n".join(_argument(name, value, how) for name, value in given.items()).rstrip("\n")
    return [heading, listed] if listed else [heading]


def _argument(name: str, value: bytes, how: Rendering) -> str:
    text = string_of(value)
    shown = clean(value.decode() if text is None else text)
    if "\n" not in shown:
        return f"- {how.inline(name)}: {code_span(shown)}"
    fence = "\n".join(f"  {line}" if line else "" for line in _fence(shown).split("\n"))
    return f"- {how.inline(name)}:\n\n{fence}\n"


def _text(text: str) -> list[str]:
    """A text without changes, except that an open fence is closed."""
    text = clean(text).strip("\n")
    if not js_trim(text):
        return []
    still_open = ""
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        ticks, rest = fence[1], fence[2]
        if not still_open:
            still_open = ticks if ticks[0] == "~" or "`" not in rest else ""
        elif ticks[0] == still_open[0] and len(ticks) >= len(still_open) and not rest.strip():
            still_open = ""
    return [f"{text}\n{still_open}" if still_open else text]


def _fenced(text: str) -> list[str]:
    return [_fence(clean(text))] if js_trim(text) else []


def _fence(text: str, language: str = "") -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    body = text.strip("\n")
    return f"{ticks}{language}\n{body}\n{ticks}"


def code_span(text: str) -> str:
    """A code span on one line."""
    text = clean(text).replace("\n", " ")
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if not text or text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def inline(text: str) -> str:
    """A text on one line with all Markdown characters escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(clean(text).split()))
