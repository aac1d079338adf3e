"""Messages that programs often write."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sessiond_client.generated.contract import (
    AssistantMessage,
    Block,
    Cost,
    TextContent,
    ToolCall,
    Usage,
    UserMessage,
)

_NANOSECONDS_PER_MILLISECOND = 1_000_000


def user_text(text: str) -> UserMessage:
    """Return a message of the user, with the current time."""
    return UserMessage(content=text, timestamp=_now())


def assistant_message(
    content: str | Sequence[Block],
    provider: str,
    model: str,
    *,
    api: str = "",
    usage: Usage | None = None,
) -> AssistantMessage:
    """Return an answer of a model with all members that pi needs, with the current time.

    Args:
        content: A text, or blocks of text, thinking and tool calls.
        provider: The provider of the model, such as `anthropic`.
        model: The id of the model.
        api: How the model was called, such as `anthropic-messages`.
        usage: Tokens and cost. None: no tokens, at a price that is not known.

    """
    blocks: list[Block] = [TextContent(text=content)] if isinstance(content, str) else [*content]
    calls = any(isinstance(block, ToolCall) for block in blocks)
    return AssistantMessage(
        content=blocks,
        api=api,
        provider=provider,
        model=model,
        usage=usage or _no_usage(),
        stop_reason="toolUse" if calls else "stop",
        timestamp=_now(),
    )


def _no_usage() -> Usage:
    cost = Cost(input=None, output=None, cache_read=None, cache_write=None, total=None)
    return Usage(input=0, output=0, cache_read=0, cache_write=0, total_tokens=0, cost=cost)


def _now() -> int:
    return time.time_ns() // _NANOSECONDS_PER_MILLISECOND
