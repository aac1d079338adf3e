"""What messages are made of, as typed values for clients: content blocks and usage.

Of a block only `type` is required. What does not fit becomes `UnknownBlock`, which holds the JSON
value as it came.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import attrs
from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.wire import NULL_IS_A_VALUE, raw, wire

if TYPE_CHECKING:
    Block: TypeAlias = "TextContent | ImageContent | ThinkingContent | ToolCall | UnknownBlock"
    Content: TypeAlias = str | list[Block]
else:
    # Built by tag, and described by their components.
    Block = raw("Block")
    Content = raw("Content")

Anything: TypeAlias = Annotated[Any, NULL_IS_A_VALUE]
# JSON.stringify writes null for NaN, which a provider without prices yields.
Tokens: TypeAlias = int | UnsetType | None
Dollars: TypeAlias = float | UnsetType | None


@attrs.frozen
class UnknownBlock:
    """A content block of a type not known here, or one that does not fit its type."""

    raw: Any


@wire
class TextContent:
    """Text."""

    type: Literal["text"] = "text"
    text: str | UnsetType = UNSET
    textSignature: Annotated[
        str | UnsetType, Meta(description="The provider's, for replay; opaque.")
    ] = UNSET


@wire
class ImageContent:
    """An image."""

    type: Literal["image"] = "image"
    data: Annotated[str | UnsetType, Meta(description="The image in base64.")] = UNSET
    mimeType: Annotated[str | UnsetType, Meta(description="Such as `image/png`.")] = UNSET


@wire
class ThinkingContent:
    """A model's thinking."""

    type: Literal["thinking"] = "thinking"
    thinking: str | UnsetType = UNSET
    thinkingSignature: Annotated[
        str | UnsetType,
        Meta(description="The provider's, for replay; holds the payload of redacted thinking."),
    ] = UNSET
    redacted: Annotated[
        bool | UnsetType, Meta(description="Whether the provider withheld the text.")
    ] = UNSET


@wire
class ToolCall:
    """A model's wish to call a tool."""

    type: Literal["toolCall"] = "toolCall"
    id: Annotated[str | UnsetType, Meta(description="By which the tool's result names it.")] = UNSET
    name: Annotated[str | UnsetType, Meta(description="Name of the tool.")] = UNSET
    arguments: Annotated[Anything, Meta(description="An object, as the tool defines it.")] = UNSET
    thoughtSignature: Annotated[
        str | UnsetType, Meta(description="The provider's, for replay; opaque.")
    ] = UNSET
    namespace: Annotated[
        str | UnsetType, Meta(description="Where the tool's name belongs, if not among all.")
    ] = UNSET


@wire
class Cost:
    """What usage cost, in US dollars."""

    input: Dollars = UNSET
    output: Dollars = UNSET
    cacheRead: Dollars = UNSET
    cacheWrite: Dollars = UNSET
    total: Dollars = UNSET


@wire
class Usage:
    """Tokens that calls to a model took. Input excludes what was read from or put into a cache."""

    input: Tokens = UNSET
    output: Tokens = UNSET
    cacheRead: Tokens = UNSET
    cacheWrite: Tokens = UNSET
    cacheWrite1h: Annotated[
        Tokens, Meta(description="The part of `cacheWrite` that is kept for an hour.")
    ] = UNSET
    reasoning: Annotated[Tokens, Meta(description="The part of `output` spent on reasoning.")] = (
        UNSET
    )
    totalTokens: Annotated[
        Tokens, Meta(description="Sum of input, output, cacheRead and cacheWrite.")
    ] = UNSET
    cost: Cost | UnsetType = UNSET


BLOCKS: dict[str, type[Any]] = {
    "text": TextContent,
    "image": ImageContent,
    "thinking": ThinkingContent,
    "toolCall": ToolCall,
}
"""`type` → class."""
