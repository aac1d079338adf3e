"""Describe an entry in one short line of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from sessiond.format import entries as types
from sessiond.format.entries import Entry
from sessiond.jsontext import spans

LIMIT = 120
"""Maximum length of a preview, in UTF-16 code units."""

# Enough text to fill a preview after runs of white space are collapsed.
_HEAD = 4 * LIMIT
_HEAD_BYTES = 4 * _HEAD
_HIGH, _LOW = 0xD8, 0xDC
"""How the second byte of each half of a surrogate pair begins."""
_NO_TEXT = msgspec.Raw(b'""')


class _PreviewBlock(msgspec.Struct, gc=False):
    type: str = ""
    # Raw: only the first words are needed, so whole texts are not decoded.
    text: msgspec.Raw = _NO_TEXT
    thinking: msgspec.Raw = _NO_TEXT
    name: str = ""


class _PreviewMessage(msgspec.Struct, gc=False):
    content: str | list[_PreviewBlock] | None = None
    command: str = ""
    toolName: str = ""  # noqa: N815
    errorMessage: str = ""  # noqa: N815


class _PreviewLine(msgspec.Struct, gc=False):
    message: _PreviewMessage | None = None
    content: str | list[_PreviewBlock] | None = None
    summary: str = ""
    customType: str = ""  # noqa: N815
    thinkingLevel: str = ""  # noqa: N815
    provider: str = ""
    modelId: str = ""  # noqa: N815
    model: str = ""
    label: str | None = None
    name: str | None = None
    kind: str = ""
    targetId: str | None = None  # noqa: N815
    reason: str = ""


_decode = msgspec.json.Decoder(_PreviewLine).decode


def preview(entry: Entry, line: bytes) -> str:
    """Return at most 120 characters on one line; may be empty.

    Messages and summaries show the beginning of their text, assistant messages without text the
    names of the tools they call, other entries the values they set.
    """
    try:
        values = _decode(line)
    except (msgspec.MsgspecError, RecursionError):
        values = _leniently(line)
    return _shorten(_text(entry, values))


def _text(entry: Entry, line: _PreviewLine) -> str:
    describe = _TEXTS.get(entry.type)
    return line.customType if describe is None else describe(line)


def _message_text(line: _PreviewLine) -> str:
    message = line.message or _PreviewMessage()
    text = _content(message.content)
    return text or message.command or message.errorMessage or message.toolName


_TEXTS: dict[str, Callable[[_PreviewLine], str]] = {
    types.MESSAGE: _message_text,
    types.CUSTOM_MESSAGE: lambda line: _content(line.content) or line.customType,
    types.COMPACTION: lambda line: line.summary,
    types.BRANCH_SUMMARY: lambda line: line.summary,
    types.THINKING_LEVEL_CHANGE: lambda line: line.thinkingLevel,
    types.MODEL_CHANGE: lambda line: f"{line.provider}/{line.modelId}",
    types.USAGE: lambda line: f"{line.kind} {line.provider}/{line.model}",
    types.LABEL: lambda line: line.label or "",
    types.SESSION_INFO: lambda line: line.name or "",
    types.CONTEXT_EDIT: lambda line: line.targetId or "",
    types.LEAF: lambda line: line.targetId or "",
    types.RESET: lambda line: line.reason,
}
"""How to describe the entries of each type."""


def _content(content: str | list[_PreviewBlock] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    text = _first_text(block.text for block in content if block.type == "text")
    tools = ", ".join(block.name for block in content if block.name)
    return text or tools or _first_text(block.thinking for block in content)


def _first_text(texts: Iterable[msgspec.Raw]) -> str:
    """Join the beginnings of texts until they fill a preview."""
    start = ""
    for text in texts:
        start += " " + _head(bytes(memoryview(text)[: _HEAD_BYTES + 1]))
        if len(start) > _HEAD:
            break
    return start.strip()


def _head(raw: bytes) -> str:
    """Decode the beginning of a JSON string, which may be cut within a character or an escape."""
    if not raw.startswith(b'"'):
        return ""
    if len(raw) > _HEAD_BYTES:
        for end in range(len(raw), len(raw) - 7, -1):
            try:
                return str(spans.loads(raw[:end] + b'"'))
            except ValueError:
                continue
    return str(spans.loads(raw))


def _leniently(line: bytes) -> _PreviewLine:
    """Decode a line that has lone surrogates or values of unexpected types."""
    try:
        return _line_of(spans.loads(line))
    except ValueError:
        return _PreviewLine()


def _line_of(value: object) -> _PreviewLine:
    return _PreviewLine(
        **_strings(value, _PreviewLine, ("message", "content")),
        message=_PreviewMessage(
            **_strings(_get(value, "message"), _PreviewMessage, ("content",)),
            content=_blocks(_get(_get(value, "message"), "content")),
        ),
        content=_blocks(_get(value, "content")),
    )


def _strings(value: object, kind: type[msgspec.Struct], others: tuple[str, ...]) -> dict[str, Any]:
    names = (name for name in kind.__struct_fields__ if name not in others)
    pairs = ((name, _get(value, name)) for name in names)
    return {name: member for name, member in pairs if isinstance(member, str)}


def _get(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _blocks(content: object) -> str | list[_PreviewBlock] | None:
    if isinstance(content, list):
        return [_block(block) for block in content]
    return content if isinstance(content, str) else None


def _block(value: object) -> _PreviewBlock:
    return _PreviewBlock(
        **_strings(value, _PreviewBlock, ("text", "thinking")),
        text=_raw(_get(value, "text")),
        thinking=_raw(_get(value, "thinking")),
    )


def _raw(text: object) -> msgspec.Raw:
    return msgspec.Raw(spans.js_string(text)) if isinstance(text, str) else _NO_TEXT


def _shorten(text: str) -> str:
    text = " ".join(text[:_HEAD].split())
    if len(text) <= LIMIT // 2:
        return text
    if text.isascii() or max(text[:LIMIT]) <= "\uffff":
        return text if len(text) <= LIMIT else text[: LIMIT - 1] + "…"
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * LIMIT:
        return text
    cut = units[: 2 * (LIMIT - 1)]
    if cut[-1] & 0xFC == _HIGH and units[len(cut) + 1] & 0xFC == _LOW:
        # Not the first half of a pair alone.
        cut = cut[:-2]
    return cut.decode("utf-16-le", "surrogatepass") + "…"
