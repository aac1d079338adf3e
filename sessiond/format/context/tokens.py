"""How many tokens messages and contexts take, by pi 1.5.2's rule of four characters to a token.

Characters are UTF-16 code units. What a provider counted is believed over what is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import msgspec

from sessiond.format import entries as types
from sessiond.format.context.build import Context
from sessiond.format.context.message_view import Spoken, read
from sessiond.jsontext.javascript import stringify, utf16_length
from sessiond.jsontext.parts import object_members, string_of

IMAGE_CHARACTERS = 4800
"""What an image counts."""

MOST_TOKENS = 2**53 - 1
"""The largest count that is believed: integers beyond it are not exact in JavaScript."""

DEFAULT_RESERVE_TOKENS = 16_384
DEFAULT_KEEP_RECENT_TOKENS = 20_000

_WITHOUT_USE = frozenset({"aborted", "error"})
_BEGINNINGS = frozenset({types.COMPACTION, types.RESET})
_INVALIDATING = frozenset({types.CONTEXT_EDIT, *_BEGINNINGS})
_PARTS = ("input", "output", "cacheRead", "cacheWrite")


@attrs.frozen
class Estimate:
    """Tokens of a list of messages.

    `usage` is what the provider counted up to and including `last_usage` (an index; None where no
    usage is to be believed), `trailing` the estimate of what follows.
    """

    usage: int
    trailing: int
    last_usage: int | None = None

    @property
    def tokens(self) -> int:
        return self.usage + self.trailing


@attrs.frozen
class CompactionPolicy:
    """When to compact and what to keep, in tokens.

    `reserve_floor` is CoderClaw's: a smaller reserve is raised to it, a larger one never lowered.
    """

    enabled: bool = True
    reserve: int = DEFAULT_RESERVE_TOKENS
    keep_recent: int = DEFAULT_KEEP_RECENT_TOKENS
    reserve_floor: int = 0

    def threshold(self, context_window: int) -> int:
        """The tokens a context may have; negative where the reserve exceeds the window."""
        return context_window - max(self.reserve, self.reserve_floor)

    def should_compact(self, tokens: int, context_window: int) -> bool:
        return self.enabled and tokens > self.threshold(context_window)


def estimate_tokens(message: bytes) -> int:
    """Tokens of one message; 0 for a role or blocks that are not known."""
    return _tokens(read(message))


def _tokens(message: Spoken) -> int:
    return -(-_characters(message) // 4)


def _characters(message: Spoken) -> int:
    role = message.role
    if role in {"user", "toolResult", "custom"}:
        return _content_characters(message)
    if role == "assistant":
        return _assistant_characters(message)
    if role == "bashExecution":
        return utf16_length(message.command or "") + utf16_length(message.output or "")
    if role in {"branchSummary", "compactionSummary"}:
        return utf16_length(message.summary or "")
    if role == "system":
        sections = sum(utf16_length(text) for text in (message.sections or {}).values() if text)
        tools = bytes(message.toolsAdded)
        added = utf16_length(stringify(tools)) if tools and tools != b"null" else 0
        return _content_characters(message) + sections + added
    return 0


def _content_characters(message: Spoken) -> int:
    if isinstance(message.content, str):
        return utf16_length(message.content)
    count = 0
    for block in message.blocks:
        if block.type == "text" and block.text:
            count += utf16_length(block.text)
        elif block.type == "image":
            count += IMAGE_CHARACTERS
    return count


def _assistant_characters(message: Spoken) -> int:
    count = 0
    for block in message.blocks:
        if block.type == "text":
            count += utf16_length(block.text or "")
        elif block.type == "thinking":
            count += utf16_length(block.thinking or "")
        elif block.type == "toolCall":
            count += utf16_length(block.name or "")
            if arguments := bytes(block.arguments):
                count += utf16_length(stringify(arguments))
    return count


_Number = int | float | None


class _Usage(msgspec.Struct, gc=False):
    totalTokens: _Number = None  # noqa: N815 - these are names on disk
    input: _Number | msgspec.UnsetType = msgspec.UNSET
    output: _Number | msgspec.UnsetType = msgspec.UNSET
    cacheRead: _Number | msgspec.UnsetType = msgspec.UNSET  # noqa: N815
    cacheWrite: _Number | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Counted(msgspec.Struct, gc=False):
    role: str = ""
    stopReason: str | None = None  # noqa: N815
    usage: _Usage | None = None


_decode_counted = msgspec.json.Decoder(_Counted).decode
_decode_usage = msgspec.json.Decoder(_Usage).decode


def believed_usage(message: bytes) -> int | None:
    """Tokens of the context up to and including a message, by its own usage.

    None unless it is a whole answer of an assistant whose usage makes a number above zero.
    """
    try:
        counted = _decode_counted(message)
    except (msgspec.MsgspecError, RecursionError):
        counted = _counted_carefully(message)
    if counted.role != "assistant" or counted.stopReason in _WITHOUT_USE or counted.usage is None:
        return None
    return context_tokens(counted.usage)


def _counted_carefully(message: bytes) -> _Counted:
    members = object_members(message)
    try:
        usage = _decode_usage(members.get("usage", b"null"))
    except (msgspec.MsgspecError, RecursionError):
        usage = None
    return _Counted(
        string_of(members.get("role")) or "", string_of(members.get("stopReason")), usage
    )


def context_tokens(usage: _Usage) -> int | None:
    """`totalTokens`, or where that is missing or 0 the sum of the four parts; output counts.

    None where a part is missing, or the number is not above 0, or beyond `MOST_TOKENS`. A fraction
    is rounded up.
    """
    if usage.totalTokens:
        total: int | float = usage.totalTokens
    else:
        parts = [getattr(usage, name) for name in _PARTS]
        if msgspec.UNSET in parts:
            return None
        total = sum(part or 0 for part in parts)
    return int(-(-total // 1)) if 0 < total <= MOST_TOKENS else None


def estimate_messages(messages: Sequence[bytes]) -> Estimate:
    """Tokens of a list of messages; `last_usage` is an index into it."""
    for index in range(len(messages) - 1, -1, -1):
        usage = believed_usage(messages[index])
        if usage is not None:
            trailing = sum(map(estimate_tokens, messages[index + 1 :]))
            return Estimate(usage, trailing, index)
    return Estimate(0, sum(map(estimate_tokens, messages)))


def estimate_context(context: Context) -> Estimate:
    """Tokens of a context; `last_usage` is an index into its entries.

    Usage from before the last context edit, compaction or reset on the branch counted another
    context, so it is not believed; then the system message in force is counted once, and everything
    else.
    """
    found = _last_usage(context, _INVALIDATING)
    if found is None:
        return Estimate(0, _estimate_all(context))
    index, usage = found
    rest = range(index + 1, len(context.entries))
    return Estimate(usage, sum(tokens_at(context, at) for at in rest), index)


def is_counted(context: Context) -> bool:
    """Whether the size is known: a compaction makes it unknown until a model answers."""
    latest = next((e.type for e in reversed(context.path) if e.type in _BEGINNINGS), None)
    return latest != types.COMPACTION or _last_usage(context, _BEGINNINGS) is not None


def tokens_at(context: Context, index: int) -> int:
    """Estimated tokens of what the entry at that index of the context's entries adds."""
    return sum(map(estimate_tokens, context.messages_at(index)))


def _last_usage(context: Context, barriers: frozenset[str]) -> tuple[int, int] | None:
    """Index and tokens of the last usage to believe behind all entries of these types."""
    behind = 0
    for entry in reversed(context.path):
        if entry.type in barriers:
            break
        behind += 1
    last = len(context.entries) - 1
    for index in range(last, last - behind, -1):
        if context.entries[index].role == "assistant":
            for message in context.messages_at(index):
                usage = believed_usage(message)
                if usage is not None:
                    return index, usage
    return None


def _estimate_all(context: Context) -> int:
    tokens = 0
    for index in range(len(context.entries)):
        for message in context.messages_at(index):
            spoken = read(message)
            if spoken.role != "system":
                tokens += _tokens(spoken)
    system = context.system_message
    return tokens if system is None else tokens + estimate_tokens(system)
