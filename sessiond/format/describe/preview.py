"""Describe an entry in one short line of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from sessiond.format import entries as types
from sessiond.format.entries import Entry
from sessiond.text.javascript import utf16_head, utf16_length
from sessiond.text.lenient import lenient
from sessiond.text.safe import presentable

LIMIT = 120
"""Maximum length of a preview, in UTF-16 code units."""

# Enough text to fill a preview after runs of white space are collapsed.
_HEAD = 4 * LIMIT


class BriefBlock(msgspec.Struct, gc=False):
    type: str = ""
    text: str = ""
    thinking: str = ""
    name: str = ""
    id: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class BriefMessage(msgspec.Struct, gc=False):
    content: str | list[BriefBlock] | None = None
    command: str = ""
    toolName: str = ""  # noqa: N815
    toolCallId: str = ""  # noqa: N815
    isError: bool = False  # noqa: N815
    errorMessage: str = ""  # noqa: N815


class BriefLine(msgspec.Struct, gc=False):
    """The members read of a line for its preview, and for the tools that it names."""

    message: BriefMessage | None = None
    content: str | list[BriefBlock] | None = None
    summary: str = ""
    customType: str = ""  # noqa: N815
    thinkingLevel: str = ""  # noqa: N815
    provider: str = ""
    modelId: str = ""  # noqa: N815
    model: str = ""
    label: str | None = None
    name: str | None = None
    title: str | None = None
    purpose: str = ""
    kind: str = ""
    targetId: str | None = None  # noqa: N815
    reason: str = ""


_decode = lenient(BriefLine)


def brief(entry: Entry) -> BriefLine:
    """Read what the descriptions of an entry need."""
    return _decode(entry.raw) or BriefLine()


def preview(entry: Entry, line: BriefLine | None = None) -> str:
    """Return at most 120 characters on one line, without halves of surrogate pairs; may be empty.

    Messages and summaries show the beginning of their text, assistant messages without text the
    names of the tools they call, other entries the values they set. `line`: what was read of the
    entry already.
    """
    return presentable(_shorten(_text(entry, line or brief(entry))))


def _text(entry: Entry, line: BriefLine) -> str:
    describe = _TEXTS.get(entry.type)
    return line.customType if describe is None else describe(line)


def _message_text(line: BriefLine) -> str:
    message = line.message or BriefMessage()
    text = _content(message.content)
    return text or message.command or message.errorMessage or message.toolName


_TEXTS: dict[str, Callable[[BriefLine], str]] = {
    types.MESSAGE: _message_text,
    types.CUSTOM_MESSAGE: lambda line: _content(line.content) or line.customType,
    types.COMPACTION: lambda line: line.summary,
    types.BRANCH_SUMMARY: lambda line: line.summary,
    types.THINKING_LEVEL_CHANGE: lambda line: line.thinkingLevel,
    types.MODEL_CHANGE: lambda line: line.model or f"{line.provider}/{line.modelId}",
    types.USAGE: lambda line: f"{line.kind} {line.provider}/{line.model}",
    types.LABEL: lambda line: line.label or "",
    types.SESSION_INFO: lambda line: line.name or "",
    types.TITLE_CHANGE: lambda line: line.title or "",
    types.MODEL_USAGE: lambda line: f"{line.purpose} {line.provider}/{line.model}",
    types.CONTEXT_EDIT: lambda line: line.targetId or "",
    types.LEAF: lambda line: line.targetId or "",
    types.RESET: lambda line: line.reason,
}
"""How to describe the entries of each type."""


def _content(content: str | list[BriefBlock] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    text = _beginning(block.text for block in content if block.type == "text")
    tools = ", ".join(block.name for block in content if block.name)
    return text or tools or _beginning(block.thinking for block in content)


def _beginning(texts: Iterable[str]) -> str:
    """Join the beginnings of texts until they fill a preview."""
    start = ""
    for text in texts:
        start += " " + text[:_HEAD]
        if len(start) > _HEAD:
            break
    return start.strip()


def _shorten(text: str) -> str:
    # Most texts have no runs of white space, and then a few characters more are enough.
    short = " ".join(text[: LIMIT + 10].split())
    text = short if len(short) > LIMIT else " ".join(text[:_HEAD].split())[: LIMIT + 1]
    return text if utf16_length(text) <= LIMIT else utf16_head(text, LIMIT - 1) + "…"
