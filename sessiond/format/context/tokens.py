"""Estimate the tokens of messages and contexts: one token for four characters (as pi 1.6.0).

Characters are UTF-16 code units. The count of a provider is preferred over an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import msgspec

from sessiond.format import entries as types
from sessiond.format.context.build import Context
from sessiond.format.context.message_view import MessageView, view_message
from sessiond.text.javascript import stringify, utf16_length
from sessiond.text.lenient import lenient

IMAGE_CHARACTERS = 4800
"""Characters that an image counts as."""

MOST_TOKENS = 2**53 - 1
"""The largest count that is accepted: JavaScript's integers are exact up to here."""

DEFAULT_RESERVE_TOKENS = 16_384
DEFAULT_KEEP_RECENT_TOKENS = 20_000

_WITHOUT_USE = frozenset({"aborted", "error"})
_BEGINNINGS = frozenset({types.COMPACTION, types.RESET})
_INVALIDATING = frozenset({types.CONTEXT_EDIT, *_BEGINNINGS})
_PARTS = ("input", "output", "cacheRead", "cacheWrite")


@attrs.frozen
class Estimate:
    """Tokens of a list of messages.

    `usage` is the provider's count up to and including `last_usage` (an index; None if no usage can
    be trusted). `trailing` is the estimate for what follows.
    """

    usage: int
    trailing: int
    last_usage: int | None = None

    @property
    def tokens(self) -> int:
        return self.usage + self.trailing


@attrs.frozen
class CompactionPolicy:
    """When to compact and how much to keep, in tokens.

    `reserve_floor` is a setting of CoderClaw: the minimum of the reserve.
    """

    enabled: bool = True
    reserve: int = DEFAULT_RESERVE_TOKENS
    keep_recent: int = DEFAULT_KEEP_RECENT_TOKENS
    reserve_floor: int = 0

    def threshold(self, context_window: int) -> int:
        """Return the maximum tokens of a context; negative if the reserve exceeds the window."""
        return context_window - max(self.reserve, self.reserve_floor)

    def should_compact(self, tokens: int, context_window: int) -> bool:
        return self.enabled and tokens > self.threshold(context_window)


def estimate_tokens(message: bytes) -> int:
    """Estimate the tokens of one message; 0 for unknown roles and blocks."""
    return _tokens(view_message(message))


def _tokens(message: MessageView) -> int:
    return -(-_characters(message) // 4)


def _characters(message: MessageView) -> int:
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


def _content_characters(message: MessageView) -> int:
    if isinstance(message.content, str):
        return utf16_length(message.content)
    count = 0
    for block in message.blocks:
        if block.type == "text" and block.text:
            count += utf16_length(block.text)
        elif block.type == "image":
            count += IMAGE_CHARACTERS
    return count


def _assistant_characters(message: MessageView) -> int:
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
    totalTokens: _Number = None  # noqa: N815 - the names on disk
    input: _Number | msgspec.UnsetType = msgspec.UNSET
    output: _Number | msgspec.UnsetType = msgspec.UNSET
    cacheRead: _Number | msgspec.UnsetType = msgspec.UNSET  # noqa: N815
    cacheWrite: _Number | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Counted(msgspec.Struct, gc=False):
    role: str = ""
    stopReason: str | None = None  # noqa: N815
    usage: msgspec.Raw = msgspec.Raw()


_decode_counted = lenient(_Counted)
_decode_usage = msgspec.json.Decoder(_Usage).decode


def trusted_usage(message: bytes) -> int | None:
    """Return the tokens of the context up to and including a message, from its own usage.

    None unless the message is a complete answer of an assistant with a usage of numbers. That is
    its `totalTokens`; if it is missing or 0, the sum of the four parts (with output); None if a
    part is missing, or the number is not positive or above `MOST_TOKENS`. Fractions are rounded up.
    """
    counted = _decode_counted(message) or _Counted()
    if counted.role != "assistant" or counted.stopReason in _WITHOUT_USE:
        return None
    try:
        usage = _decode_usage(counted.usage)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if usage.totalTokens:
        total: int | float = usage.totalTokens
    else:
        parts = [getattr(usage, name) for name in _PARTS]
        if msgspec.UNSET in parts:
            return None
        total = sum(part or 0 for part in parts)
    return int(-(-total // 1)) if 0 < total <= MOST_TOKENS else None


def estimate_messages(messages: Sequence[bytes]) -> Estimate:
    """Estimate the tokens of a list of messages; `last_usage` is an index into it."""
    for index in range(len(messages) - 1, -1, -1):
        usage = trusted_usage(messages[index])
        if usage is not None:
            trailing = sum(map(estimate_tokens, messages[index + 1 :]))
            return Estimate(usage, trailing, index)
    return Estimate(0, sum(map(estimate_tokens, messages)))


def estimate_context(context: Context) -> Estimate:
    """Estimate the tokens of a context; `last_usage` is an index into its entries.

    Usage from before the last context edit, compaction or reset on the branch belongs to another
    context and is not used. Without usage, the system message in force is counted once, and all
    other messages.
    """
    last_usage = _last_usage(context, _INVALIDATING)
    if last_usage is None:
        return Estimate(0, _estimate_all(context))
    index, usage = last_usage
    rest = range(index + 1, len(context.entries))
    return Estimate(usage, sum(tokens_at(context, at) for at in rest), index)


def is_counted(context: Context) -> bool:
    """Whether the size is known; after a compaction it is unknown until a model answers."""
    latest = next((e.type for e in reversed(context.path) if e.type in _BEGINNINGS), None)
    return latest != types.COMPACTION or _last_usage(context, _BEGINNINGS) is not None


def tokens_at(context: Context, index: int) -> int:
    """Estimate the tokens of the entry at an index of the context's entries."""
    return sum(map(estimate_tokens, context.messages_at(index)))


def _last_usage(context: Context, barriers: frozenset[str]) -> tuple[int, int] | None:
    """Return index and tokens of the last usage after all entries of the `barriers` types."""
    behind = 0
    for entry in reversed(context.path):
        if entry.type in barriers:
            break
        behind += 1
    last = len(context.entries) - 1
    for index in range(last, last - behind, -1):
        if context.entries[index].role == "assistant":
            for message in context.messages_at(index):
                usage = trusted_usage(message)
                if usage is not None:
                    return index, usage
    return None


def _estimate_all(context: Context) -> int:
    tokens = 0
    for index in range(len(context.entries)):
        for message in context.messages_at(index):
            view = view_message(message)
            if view.role != "system":
                tokens += _tokens(view)
    system = context.system_message
    return tokens if system is None else tokens + estimate_tokens(system)
