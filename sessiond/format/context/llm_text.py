"""Convert messages for a model, and serialise a conversation as one text (as pi 1.6.0)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sessiond.format.context.message_view import Block, MessageView, role_of, view_message
from sessiond.format.lines import text_block
from sessiond.text.javascript import entries_of, stringify, truthy, utf16_head, utf16_length
from sessiond.text.parts import elements, join_members, object_members, string_of
from sessiond.text.spans import js_string

COMPACTION_PREFIX = (
    "The conversation history before this point was compacted into the following summary:"
    "\n\n<summary>\n"
)
COMPACTION_SUFFIX = "\n</summary>"
BRANCH_PREFIX = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
)
BRANCH_SUFFIX = "</summary>"

LONGEST_TOOL_RESULT = 2000
"""UTF-16 code units of a tool result that a serialized conversation keeps."""

PART_SEPARATOR = "\n\n"
"""Between two parts of a serialized conversation."""

_AS_THEY_ARE = frozenset({"system", "user", "assistant", "toolResult"})


def to_llm(messages: Iterable[bytes]) -> Iterator[bytes]:
    """Convert messages to the roles that providers know.

    System, user, assistant and toolResult messages stay unchanged. Shell commands, summaries and
    custom messages become user messages with the same `timestamp`. Shell commands excluded from the
    context and unknown roles are dropped.
    """
    converted = (_to_llm(message) for message in messages)
    return (message for message in converted if message is not None)


def _to_llm(message: bytes) -> bytes | None:
    role = role_of(message)
    if role in _AS_THEY_ARE:
        return message
    if role not in {"bashExecution", "custom", "branchSummary", "compactionSummary"}:
        return None
    members = object_members(message)
    content: bytes | None
    if role == "bashExecution":
        if truthy(members.get("excludeFromContext")):
            return None
        content = text_block(js_string(_shell_text(members)))
    elif role == "custom":
        content = members.get("content")
        if content is not None and content[:1] == b'"':
            content = text_block(content)
    else:
        compaction = role == "compactionSummary"
        prefix = COMPACTION_PREFIX if compaction else BRANCH_PREFIX
        suffix = COMPACTION_SUFFIX if compaction else BRANCH_SUFFIX
        content = text_block(_wrapped(prefix, members.get("summary"), suffix))
    return join_members(
        ("role", b'"user"'), ("content", content), ("timestamp", members.get("timestamp"))
    )


def _wrapped(prefix: str, summary: bytes | None, suffix: str) -> bytes:
    """Put a prefix and suffix around a JSON string without changing its spelling."""
    inside = summary[1:-1] if summary is not None and summary[:1] == b'"' else b""
    return js_string(prefix)[:-1] + inside + js_string(suffix)[1:]


def _shell_text(members: dict[str, bytes]) -> str:
    text = f"Ran `{_shown(members.get('command'))}`\n"
    output = _shown(members.get("output"))
    text += f"```\n{output}\n```" if output else "(no output)"
    code = members.get("exitCode", b"null")
    if truthy(members.get("cancelled")):
        text += "\n\n(command cancelled)"
    elif code != b"null" and _shown(code) != "0":
        text += f"\n\nCommand exited with code {_shown(code)}"
    path = members.get("fullOutputPath")
    if truthy(members.get("truncated")) and truthy(path):
        text += f"\n\n[Output truncated. Full output: {_shown(path)}]"
    return text


def _shown(raw: bytes | None) -> str:
    """Convert a value to text; a missing value and null become an empty text."""
    if raw is None or raw == b"null":
        return ""
    text = string_of(raw)
    return stringify(raw) if text is None else text


def serialize(messages: Iterable[bytes]) -> str:
    """Serialise stored messages as one text, so that a model reads and does not continue them.

    Messages are converted by `to_llm` first. Thinking is omitted, and tool results longer than
    `LONGEST_TOOL_RESULT` are cut.
    """
    return PART_SEPARATOR.join(conversation_parts(messages))


def conversation_parts(messages: Iterable[bytes]) -> Iterator[str]:
    """Yield the parts of `serialize` one by one."""
    for message in to_llm(messages):
        view = view_message(message)
        if view.role == "user":
            if text := view.text(""):
                yield f"[User]: {text}"
        elif view.role == "assistant":
            yield from _assistant_parts(view)
        elif view.role == "toolResult" and (text := view.text("")):
            yield f"[Tool result]: {_cut(text)}"


def _assistant_parts(view: MessageView) -> list[str]:
    parts = []
    text_blocks = any(block.type == "text" for block in view.blocks)
    if text_blocks or (isinstance(view.content, str) and view.content):
        parts.append(f"[Assistant]: {view.text(chr(10))}")
    calls = [_call(block) for block in view.blocks if block.type == "toolCall"]
    if calls:
        parts.append(f"[Assistant tool calls]: {'; '.join(calls)}")
    return parts


def _call(block: Block) -> str:
    raw = bytes(block.arguments)
    pairs: Iterable[tuple[str | int, bytes]] = ()
    if raw[:1] == b"{":
        pairs = entries_of(raw)
    elif raw[:1] == b"[":
        pairs = enumerate(elements(raw))
    arguments = ", ".join(f"{name}={stringify(value)}" for name, value in pairs)
    return f"{block.name or ''}({arguments})"


def _cut(text: str) -> str:
    more = utf16_length(text) - LONGEST_TOOL_RESULT
    if more <= 0:
        return text
    kept = utf16_head(text, LONGEST_TOOL_RESULT)
    return f"{kept}\n\n[... {more} more characters truncated]"
