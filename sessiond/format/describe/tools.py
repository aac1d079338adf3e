"""Read quickly which tools an answer calls, and which call a result answers."""

from __future__ import annotations

import msgspec

from sessiond.format.describe.preview import BriefBlock, BriefLine, BriefMessage
from sessiond.format.entries import Entry
from sessiond.format.view.edits import PATHS, first_string
from sessiond.format.view.entry import MAIN_ARGUMENTS
from sessiond.text.parts import object_members


class ToolCall(msgspec.Struct, gc=False, frozen=True):
    """A call of a tool: its id, the tool, and its main argument as written."""

    id: str
    tool: str
    text: str
    path: str = ""
    """The file that it is about."""
    path_json: bytes = b""
    """The path as JSON, spelled as on the line."""


class ToolUse(msgspec.Struct, gc=False):
    """The tool calls of an answer, or the call and outcome of a tool result."""

    calls: tuple[ToolCall, ...] = ()
    is_silent: bool = False
    """Whether an answer has no text beside its calls."""
    tool: str = ""
    """The tool that a result is of; empty for an answer."""
    call_id: str = ""
    """The call that this is the result of."""
    failed: bool = False


def tool_use(entry: Entry, line: BriefLine) -> ToolUse:
    """Return the tools of a message, of which a line was read; none of other entries."""
    if entry.role not in ("assistant", "toolResult"):
        return ToolUse()
    message = line.message or BriefMessage()
    if entry.role == "toolResult":
        return ToolUse(tool=message.toolName, call_id=message.toolCallId, failed=message.isError)
    if not isinstance(message.content, list):
        return ToolUse()
    calls = [_call(block) for block in message.content if block.type == "toolCall"]
    return ToolUse(tuple(calls), is_silent=all(each.type != "text" for each in message.content))


def _call(block: BriefBlock) -> ToolCall:
    raw = bytes(block.arguments)
    # Some models send arguments that are no object.
    given = object_members(raw) if raw.startswith(b"{") else {}
    text = first_string(given, MAIN_ARGUMENTS) or ""
    path = first_string(given, PATHS)
    if path is None:
        return ToolCall(block.id, block.name, text)
    raw = next(given[name] for name in PATHS if first_string(given, [name]) == path)
    return ToolCall(block.id, block.name, text, path, raw)
