"""All texts of a line that a search can look into, and what is known of each."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Any

import attrs
import msgspec

from sessiond.format.entries import CONVERSATION_ROLES, MESSAGE
from sessiond.text.dates import FARTHEST, parse_js_date
from sessiond.text.safe import without_sequences
from sessiond.text.utf8 import readable

SAID = "said"
FIELDS = (SAID, "thinking", "calls", "results", "commands", "summaries", "labels")
"""The kinds of texts. The default is those of user and assistant."""

_SUMMARIES = ("compaction", "branch_summary")
_PATHS = ("path", "file_path", "filePath", "file", "filename")
"""Arguments in which tools get the path of a file."""

FULL_OUTPUT = "fullOutput"
"""The detail of a result that an agent keeps in a file of its own, as the session has a part."""

_FIRST, _LAST = 24 * 1024, 8 * 1024
"""Characters that are searchable of a text that no person wrote: its beginning and its end."""


@attrs.define
class MessageText:
    """A text: position and length of its line in bytes, its role, and what it is."""

    start: int
    length: int
    role: str
    text: str
    entry_id: str = ""
    """Empty for entries of version 1."""
    field: str = SAID
    part: int = 0
    """Its number in the line."""
    time: float | None = None
    """Milliseconds since the epoch."""
    tool: str | None = None
    file: str | None = None
    """The normal path of the file that a call names."""
    model: str | None = None
    """The id of the model that said or did it; None for anybody else."""


_Piece = tuple[str, object, object, str | None, str | None]
"""Field, role, text, tool and file."""


def texts_of(start: int, raw: bytes) -> list[MessageText]:
    """All texts of a line that can be searched."""
    entry = _value(raw)
    if not isinstance(entry, dict):
        return []
    sent, given = entry.get("message"), entry.get("id")
    message = sent if isinstance(sent, dict) else {}
    entry_id = given if isinstance(given, str) else ""
    time = _time(message.get("timestamp")) or _time(entry.get("timestamp"))
    named = message.get("model") if message.get("role") == "assistant" else None
    model = named if isinstance(named, str) else None
    texts: list[MessageText] = []
    for field, role, text, tool, file in _pieces(entry, message):
        if isinstance(text, str) and text and isinstance(role, str):
            plain = without_sequences(text)
            searched = plain if field == SAID else _ends(plain)
            of_line = start, len(raw), role, searched, entry_id, field, len(texts)
            texts.append(MessageText(*of_line, time, tool, file, model))
    return texts


def _pieces(entry: dict[str, Any], message: dict[str, Any]) -> Iterator[_Piece]:
    kind, given = entry.get("type"), message.get("role")
    # An object or a list cannot even be looked up among the roles.
    role = given if isinstance(given, str) else None
    if kind == "label":
        yield "labels", kind, entry.get("label"), None, None
    elif kind in _SUMMARIES:
        yield "summaries", kind, entry.get("summary"), None, None
    elif kind != MESSAGE:
        return
    elif role in CONVERSATION_ROLES:
        yield SAID, role, _joined(message.get("content")), None, None
        yield from _done(role, message.get("content"))
    elif role == "toolResult":
        tool = message.get("toolName")
        named = tool if isinstance(tool, str) else None
        yield "results", role, _joined(message.get("content")), named, None
        details = message.get("details")
        if isinstance(details, dict) and FULL_OUTPUT in details:
            yield "results", role, details[FULL_OUTPUT], named, None
    elif role == "bashExecution":
        yield "commands", role, message.get("command"), "bash", None
        yield "results", role, message.get("output"), "bash", None


def _done(role: str, content: object) -> Iterator[_Piece]:
    """The thoughts of a model, and which tools it called."""
    for block in _blocks(content):
        if block.get("type") == "thinking":
            yield "thinking", role, block.get("thinking"), None, None
        elif block.get("type") == "toolCall":
            name, sent = block.get("name"), block.get("arguments")
            tool = name if isinstance(name, str) else ""
            arguments = sent if isinstance(sent, dict) else {}
            paths = _files(arguments)
            yield "calls", role, _call(tool, arguments), tool, next(iter(paths), None)
            for each in paths[1:]:
                yield "calls", role, each, tool, each


def _value(raw: bytes) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # It holds a lone surrogate, or bytes that are not UTF-8.
        value: object = json.loads(readable(raw))
    except (ValueError, RecursionError):
        return None
    return value


def _time(value: object) -> float | None:
    if isinstance(value, str):
        return parse_js_date(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= FARTHEST:
        return float(value)
    return None


def _blocks(content: object) -> list[dict[str, Any]]:
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def _joined(content: object) -> str:
    """The text of a message, as `text_of` reads it."""
    if isinstance(content, str):
        return content
    texts = [block.get("text") for block in _blocks(content) if block.get("type") == "text"]
    return " ".join(text if isinstance(text, str) else "" for text in texts)


def _call(name: str, arguments: dict[str, Any]) -> str:
    """A call as text: the name of the tool, and each argument as it was written."""
    return "\n".join([name, *(f"{key}: {_as_text(value)}" for key, value in arguments.items())])


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        # Nested more deeply than the encoder goes, although the decoder did.
        return ""


def _files(arguments: dict[str, Any]) -> list[str]:
    """Return the normal paths of the files that a call names, in itself and in each edit."""
    named = [arguments, *_blocks(arguments.get("edits"))]
    paths = [_path(each) for each in named]
    return list(dict.fromkeys(posixpath.normpath(path) for path in paths if path))


def _path(arguments: dict[str, Any]) -> str:
    return next((given for name in _PATHS if isinstance(given := arguments.get(name), str)), "")


def _ends(text: str) -> str:
    if len(text) <= _FIRST + _LAST:
        return text
    return f"{text[:_FIRST]}\n{text[-_LAST:]}"
