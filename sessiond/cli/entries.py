"""Format entries as text for people: the speaker, the message, and the results of tools.

Entries are JSON values of any shape, because files contain whatever the agents wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
from rich.text import Text

from sessiond.cli.astext import clean, moment, one_line

ROLE_STYLES = {
    "user": "bold cyan",
    "assistant": "green",
    "toolResult": "yellow",
    "bashExecution": "yellow",
}
INDENT = 2
_LONG_TEXT = 40
"""Maximum number of lines shown of a text, unless the full text is requested."""
_LONG_OUTPUT = 8
"""Maximum number of lines shown of a tool's result."""
_HEAD_OF_FAILED = 2
"""Of these, lines of the beginning if the tool failed: the error is usually at the end."""
_LONG_THINKING = 12
_LONG_LINE = 2000
"""Maximum number of characters shown of a line."""
_SHORT_ARGUMENT = 200

_KNOWN_ARGUMENTS = ("command", "cmd", "path", "file_path", "filePath", "pattern", "query", "url")
"""Names of arguments: the first of these that a call has is shown instead of its JSON."""


@attrs.frozen
class Wanted:
    """Which parts of a transcript are shown, and how."""

    users_only: bool = False
    tools: bool = True
    full: bool = False
    details: bool = False


@attrs.frozen
class TranscriptLine:
    """One line before wrapping, with its indentation in cells."""

    text: Text
    indent: int = 0


class Teller:
    """Turns entries into lines, in their order.

    A tool call is shown with its result if the entries contain it. The heading of a speaker is
    shown when the speaker changes.
    """

    def __init__(self, wanted: Wanted, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        self._wanted = wanted
        self._calls: dict[str, Mapping[str, Any]] = {}
        self._answered = {
            str(message.get("toolCallId"))
            for entry in entries
            if isinstance(message := entry.get("message"), Mapping)
        }
        self._speaker = ""

    def lines(self, entry: Mapping[str, Any]) -> Iterator[TranscriptLine]:
        """Yield the lines of an entry; none if it is not wanted."""
        kind = str(entry.get("type"))
        message = entry.get("message") if kind == "message" else None
        if isinstance(message, Mapping):
            yield from self._message(entry, message)
        elif kind == "custom_message":
            yield from self._message(entry, {"role": "custom", **entry})
        elif not self._wanted.users_only:
            yield from self._other(entry, kind)

    def _message(
        self, entry: Mapping[str, Any], message: Mapping[str, Any]
    ) -> Iterator[TranscriptLine]:
        role = str(message.get("role"))
        self._remember_calls(message)
        if self._wanted.users_only and role != "user":
            return
        if role == "toolResult":
            if self._wanted.tools:
                yield from self._result(entry, message)
            return
        body = list(self._body(message, role))
        goes_on = role == "assistant" == self._speaker
        has_calls = self._wanted.tools and _calls(message)
        if role == "assistant" and not self._wanted.details:
            if not body and (goes_on or not has_calls):
                return
            if goes_on:
                yield from body
                return
        self._speaker = role
        name = role
        if role == "custom":
            name = f"custom: {message.get('customType') or '?'}"
        head = Text(one_line(name), style=ROLE_STYLES.get(role, "magenta"))
        yield TranscriptLine(self._with_details(head, entry, message))
        yield from body

    def _body(self, message: Mapping[str, Any], role: str) -> Iterator[TranscriptLine]:
        if isinstance(message.get("command"), str):
            yield from self._command(message)
        content = message.get("content")
        if isinstance(content, str):
            yield from self._text(content, "", _LONG_TEXT)
        for block in content if isinstance(content, list) else []:
            if isinstance(block, Mapping):
                yield from self._block(block)
        if role == "assistant":
            yield from _failure(message)

    def _block(self, block: Mapping[str, Any]) -> Iterator[TranscriptLine]:
        match block.get("type"):
            case "text":
                yield from self._text(str(block.get("text", "")), "", _LONG_TEXT)
            case "thinking":
                # A mark that also works without colours.
                thought = self._text(str(block.get("thinking", "")), "dim italic", _LONG_THINKING)
                for line in thought:
                    yield attrs.evolve(line, text=Text("~ ", style="dim") + line.text)
            case "toolCall":
                if self._wanted.tools and str(block.get("id")) not in self._answered:
                    yield TranscriptLine(_call(block), INDENT)
            case "image":
                kind = one_line(str(block.get("mimeType") or "image"))
                yield TranscriptLine(Text(f"[{kind}]", style="dim"), INDENT)
            case other:
                yield TranscriptLine(Text(f"[{one_line(str(other))}]", style="dim"), INDENT)

    def _command(self, message: Mapping[str, Any]) -> Iterator[TranscriptLine]:
        line = Text(f"$ {one_line(message['command'])}", style="bold")
        code = message.get("exitCode")
        if message.get("cancelled"):
            line.append("  ✗ cancelled", style="red")
        elif code:
            line.append(f"  ✗ exit {one_line(str(code))}", style="red")
        yield TranscriptLine(line, INDENT)
        failed = bool(message.get("cancelled") or code)
        output = str(message.get("output", "")).rstrip()
        yield from self._text(output, "", _LONG_OUTPUT, failed=failed)

    def _result(
        self, entry: Mapping[str, Any], message: Mapping[str, Any]
    ) -> Iterator[TranscriptLine]:
        call = self._calls.pop(str(message.get("toolCallId")), None)
        failed = bool(message.get("isError"))
        details = message.get("details")
        details = details if isinstance(details, Mapping) else {}
        shown = _call(call) if call is not None else Text(one_line(str(message.get("toolName"))))
        code = details.get("exitCode", details.get("exit_code"))
        if failed or code:
            why = f"exit {one_line(str(code))}" if code else "error"
            shown = shown + Text(f"  ✗ {why}", style="red")
        else:
            shown = shown + Text("  ✓", style="green")
        yield TranscriptLine(self._with_details(shown, entry, message), INDENT)
        diff = details.get("diff")
        if isinstance(diff, str) and diff.strip():
            yield from self._diff(diff)
            if not failed:
                return
        output = _texts(message.get("content")).rstrip()
        failed = failed or bool(code)
        yield from self._text(output, "", _LONG_OUTPUT, 2 * INDENT, failed=failed)

    def _diff(self, diff: str) -> Iterator[TranscriptLine]:
        styles = {"+": "green", "-": "red"}
        for line in self._text(diff.rstrip("\n"), "", _LONG_TEXT, 2 * INDENT):
            line.text.stylize(styles.get(line.text.plain[:1], "dim"))
            yield line

    def _text(
        self, text: str, style: str, most: int, indent: int = INDENT, *, failed: bool = False
    ) -> Iterator[TranscriptLine]:
        """The lines of a text, about `most` of them; the end is among them if the tool failed."""
        lines = text.splitlines()
        cut = 0 if self._wanted.full or len(lines) <= most + 1 else len(lines) - most
        head = _HEAD_OF_FAILED if failed and cut else len(lines) - cut
        for number, line in enumerate(lines):
            if number == head:
                yield TranscriptLine(Text(f"… {cut:,} more lines (--full)", style="dim"), indent)
            if head <= number < head + cut:
                continue
            shown = clean(line.expandtabs(4))
            if len(shown) > _LONG_LINE and not self._wanted.full:
                missing = len(shown) - _LONG_LINE
                shown = f"{shown[:_LONG_LINE]} … {missing:,} more characters"
            yield TranscriptLine(Text(shown, style=style), indent)

    def _remember_calls(self, message: Mapping[str, Any]) -> None:
        self._calls.update({str(block.get("id")): block for block in _calls(message)})

    def _other(self, entry: Mapping[str, Any], kind: str) -> Iterator[TranscriptLine]:
        match kind:
            case "compaction" | "branch_summary":
                what = "compacted" if kind == "compaction" else "summary of another branch"
                self._speaker = kind
                before = entry.get("tokensBefore")
                size = f" ({before:,} tokens before)" if isinstance(before, int) else ""
                head = Text(f"· {what}{size}", style="magenta")
                yield TranscriptLine(self._with_details(head, entry, {}))
                yield from self._text(str(entry.get("summary") or ""), "", _LONG_TEXT)
            case _:
                facts = one_line(f"· {kind} {_facts(entry)}")
                yield TranscriptLine(self._with_details(Text(facts, style="dim"), entry, {}))

    def _with_details(
        self, head: Text, entry: Mapping[str, Any], message: Mapping[str, Any]
    ) -> Text:
        if not self._wanted.details:
            return head
        facts = [str(entry.get("id") or ""), _local(str(entry.get("timestamp") or ""))]
        facts.append("/".join(str(message[x]) for x in ("provider", "model") if message.get(x)))
        facts += _usage(message.get("usage"))
        shown = "  ".join(one_line(fact) for fact in facts if fact)
        return head + Text(f"  {shown}", style="dim")


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [
        block for block in blocks if isinstance(block, Mapping) and block.get("type") == "toolCall"
    ]


def _failure(message: Mapping[str, Any]) -> Iterator[TranscriptLine]:
    error, reason = message.get("errorMessage"), message.get("stopReason")
    if error or reason in ("error", "aborted"):
        what = "aborted" if reason == "aborted" else "failed"
        said = f": {one_line(str(error))}" if error else ""
        yield TranscriptLine(Text(f"✗ {what}{said}", style="bold red"), INDENT)


def _call(block: Mapping[str, Any]) -> Text:
    """Format a tool call in one line: its name and main argument, or its arguments as JSON."""
    line = Text().append(one_line(str(block.get("name"))), style="yellow")
    arguments = block.get("arguments")
    if isinstance(arguments, Mapping):
        known = (arguments.get(name) for name in _KNOWN_ARGUMENTS)
        text = next((value for value in known if isinstance(value, str) and value), None)
        if text is None:
            text = json.dumps(arguments, ensure_ascii=False) if arguments else ""
    else:
        text = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    shown = one_line(text)
    if len(shown) > _SHORT_ARGUMENT:
        shown = shown[: _SHORT_ARGUMENT - 1] + "…"
    if shown:
        line.append(f"  {shown}")
    return line


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(
        str(block.get("text", "")) if block.get("type") == "text" else f"[{block.get('type')}]"
        for block in blocks
        if isinstance(block, Mapping)
    )


def _facts(entry: Mapping[str, Any]) -> str:
    known = ("name", "label", "thinkingLevel", "provider", "modelId", "customType", "reason")
    return " ".join(str(entry[name]) for name in known if isinstance(entry.get(name), str))


def _local(timestamp: str) -> str:
    at = moment(timestamp)
    return timestamp if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M")


def _usage(usage: Any) -> list[str]:
    if not isinstance(usage, Mapping):
        return []
    counts = [usage.get(name) for name in ("input", "output", "cacheRead", "cacheWrite")]
    tokens = sum(count for count in counts if isinstance(count, int | float))
    cost = usage.get("cost")
    total = cost.get("total") if isinstance(cost, Mapping) else None
    dollars = f"${total:.4f}" if isinstance(total, int | float) else ""
    return [f"{tokens:,.0f} tokens", dollars]
