"""Draw what a person sees of a session as lines on a terminal: `session/getView` as text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
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
"""Number of these lines that are the first if the tool failed: the error is usually at the end."""
_LONG_THINKING = 12
_LONG_MARKDOWN = 8000
"""Maximum number of characters of a text that is drawn as Markdown: parsing may take long."""
_LONG_LINE = 2000
"""Maximum number of characters shown of a line."""

_SUMMARIES = ("compaction", "branch_summary")
_CHANGE_STYLES = {"+": "green", "-": "red"}

Item = Mapping[str, Any]
"""A `ViewItem` as decoded JSON."""


@attrs.frozen
class Detail:
    """Which parts of a transcript are shown, and how."""

    users_only: bool = False
    tools: bool = True
    full: bool = False
    details: bool = False
    markdown: bool = False
    """Whether texts of the agent are marked as Markdown, for a terminal that draws it."""

    @classmethod
    def of(cls, *, user: bool, no_tools: bool, full: bool, details: bool, plain: bool) -> Detail:
        """Return what the options of `command.how_shown` say; a dumb terminal gets plain text."""
        is_plain = plain or os.environ.get("TERM") == "dumb"
        return cls(user, not no_tools, full, details, markdown=not is_plain)


@attrs.frozen
class TranscriptLine:
    """One line before wrapping, with its indentation in cells."""

    text: Text
    indent: int = 0
    is_markdown: bool = False
    """Whether the text is Markdown of several lines, which a terminal may draw."""


class Teller:
    """Turns the items of a view into lines, in their order.

    A tool call is shown with its result if there is one, and so is what the call changed. The
    heading of a speaker is shown when the speaker changes. What is hidden from people, and what a
    request used, is shown with the details only.
    """

    def __init__(self, detail: Detail) -> None:
        self._detail = detail
        self._speaker = ""
        self._diffs: dict[str, Item] = {}
        """Changes by calls that have a result, by their ids."""

    def lines(self, item: Item) -> Iterator[TranscriptLine]:
        """Yield the lines of an item; none if it is not wanted."""
        role = item["role"]
        if self._detail.users_only and role != "user":
            return
        if not self._detail.details and (
            item["type"] == "usage" or "hidden" in item.get("notes", ())
        ):
            return
        if item.get("isSetting"):
            title = one_line(item["title"])
            yield TranscriptLine(self._with_details(Text(f"· {title}", style="dim"), item))
        elif role == "toolResult":
            if self._detail.tools:
                yield from self._result(item)
        else:
            yield from self._said(item)

    def _said(self, item: Item) -> Iterator[TranscriptLine]:
        role = item["role"]
        answered = {
            block["callId"] for block in item.get("blocks", ()) if block.get("resultEntryId")
        }
        for block in item.get("blocks", ()):
            if block["kind"] == "diff" and block.get("callId") in answered:
                self._diffs[block["callId"]] = block
        is_markdown = self._detail.markdown and role != "user"
        body = [
            line
            for block in item.get("blocks", ())
            for line in self._block(block, is_markdown=is_markdown)
        ]
        goes_on = role == "assistant" == self._speaker and not item.get("notes")
        if role == "assistant" and not self._detail.details:
            calls = any(block["kind"] == "call" for block in item.get("blocks", ()))
            if not body and (goes_on or not (calls and self._detail.tools)):
                return
            if goes_on:
                yield from body
                return
        self._speaker = role
        yield TranscriptLine(self._with_details(self._heading(item), item))
        yield from body

    def _heading(self, item: Item) -> Text:
        style = ROLE_STYLES.get(item["role"], "magenta")
        mark = "· " if item["role"] in _SUMMARIES else ""
        head = Text(f"{mark}{one_line(item['title'])}", style=style)
        # The block of a command shows how it ended.
        notes = () if item["role"] == "bashExecution" else item.get("notes", ())
        head.append("".join(f" · {one_line(note)}" for note in notes), style="dim")
        return head

    def _block(self, block: Item, *, is_markdown: bool = False) -> Iterator[TranscriptLine]:
        text = block.get("text", "")
        match block["kind"]:
            case "text" | "summary":
                draws = is_markdown and len(text) <= _LONG_MARKDOWN
                yield from self._prose(text) if draws else self._text(text, "", _LONG_TEXT)
            case "thinking":
                # A mark that also works without colours.
                for line in self._text(text, "dim italic", _LONG_THINKING):
                    yield attrs.evolve(line, text=Text("~ ", style="dim") + line.text)
            case "call":
                if self._detail.tools and "resultEntryId" not in block:
                    yield TranscriptLine(_call(block), INDENT)
            case "diff":
                if self._detail.tools and block.get("callId") not in self._diffs:
                    yield from self._diff(block)
            case "command":
                yield from self._command(block)
            case "error":
                said = f": {one_line(text)}" if text else ""
                yield TranscriptLine(Text(f"✗ failed{said}", style="bold red"), INDENT)
            case kind:
                shown = one_line(block.get("title") or text if kind == "image" else kind)
                yield TranscriptLine(Text(f"[{shown}]", style="dim"), INDENT)

    def _command(self, block: Item) -> Iterator[TranscriptLine]:
        line = Text(f"$ {one_line(block.get('title', ''))}", style="bold")
        if block.get("failed"):
            code = block.get("exitCode")
            line.append(f"  ✗ exit {code}" if code else "  ✗ cancelled", style="red")
        yield TranscriptLine(line, INDENT)
        yield from self._text(
            block.get("text", "").rstrip(), "", _LONG_OUTPUT, failed=block.get("failed", False)
        )

    def _result(self, item: Item) -> Iterator[TranscriptLine]:
        result, *others = item["blocks"]
        call = _call({**result, "text": result.get("title", "")})
        failed = bool(result.get("failed"))
        if failed:
            code = result.get("exitCode")
            call.append(f"  ✗ exit {code}" if code else "  ✗ failed", style="red")
        else:
            call.append("  ✓", style="green")
        yield TranscriptLine(self._with_details(call, item), INDENT)
        diffs = [block for block in others if block["kind"] == "diff"]
        diff = self._diffs.pop(result.get("callId", ""), None)
        if diff is not None and not failed:
            diffs = diffs or [diff]
        for block in diffs:
            yield from self._diff(block)
        if failed or not diffs:
            output = result.get("text", "").rstrip()
            yield from self._text(output, "", _LONG_OUTPUT, 2 * INDENT, failed=failed)
        for block in others:
            if block["kind"] != "diff":
                yield from self._block(block)

    def _diff(self, block: Item) -> Iterator[TranscriptLine]:
        for line in self._text(block.get("text", ""), "", _LONG_TEXT, 2 * INDENT):
            line.text.stylize(_CHANGE_STYLES.get(line.text.plain[:1], "dim"))
            yield line

    def _text(
        self, text: str, style: str, most: int, indent: int = INDENT, *, failed: bool = False
    ) -> Iterator[TranscriptLine]:
        """Yield the lines of a text, about `most`; if the tool failed, its end is among them."""
        lines = text.splitlines()
        cut = 0 if self._detail.full or len(lines) <= most + 1 else len(lines) - most
        head = _HEAD_OF_FAILED if failed and cut else len(lines) - cut
        for number, line in enumerate(lines):
            if number == head:
                yield TranscriptLine(Text(f"… {cut:,} more lines (--full)", style="dim"), indent)
            if head <= number < head + cut:
                continue
            shown = clean(line.expandtabs(4))
            if len(shown) > _LONG_LINE and not self._detail.full:
                missing = len(shown) - _LONG_LINE
                shown = f"{shown[:_LONG_LINE]} … {missing:,} more characters"
            yield TranscriptLine(Text(shown, style=style), indent)

    def _prose(self, text: str) -> Iterator[TranscriptLine]:
        """Yield a text as Markdown, shortened as `_text` does."""
        lines = [*self._text(text, "", _LONG_TEXT)]
        # If lines are missing, the last one says how many.
        rest = lines[-1:] if len(text.splitlines()) > len(lines) else []
        source = "\n".join(line.text.plain for line in lines[: len(lines) - len(rest)])
        yield TranscriptLine(Text(source), INDENT, is_markdown=True)
        yield from rest

    def _with_details(self, head: Text, item: Item) -> Text:
        if not self._detail.details:
            return head
        facts = [item["entryId"], _local(item["time"]), item.get("model", "")]
        if "tokens" in item:
            facts.append(f"{item['tokens']:,} tokens")
        if "cost" in item:
            facts.append(f"${item['cost']:.4f}")
        details = "  ".join(one_line(fact) for fact in facts if fact)
        return head + Text(f"  {details}", style="dim")


def _call(block: Item) -> Text:
    """Return a tool call on one line: its name and its main argument."""
    line = Text().append(one_line(block.get("tool", "")), style="yellow")
    text = one_line(block.get("text", ""))
    return line.append(f"  {text}") if text else line


def _local(timestamp: str) -> str:
    at = moment(timestamp)
    return timestamp if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M")
