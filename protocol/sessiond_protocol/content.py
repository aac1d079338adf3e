"""Content blocks and usage of messages, as typed values for clients.

Of a block only `type` is required. A block that does not fit its class becomes `UnknownBlock`,
which holds the JSON value unchanged.
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
    """A content block of an unknown type, or one that does not fit its type."""

    raw: Any


@wire
class TextContent:
    """Text."""

    type: Literal["text"] = "text"
    text: str | UnsetType = UNSET
    textSignature: Annotated[
        str | UnsetType, Meta(description="Signature from the provider, for replay; opaque.")
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
        Meta(
            description=(
                "Signature from the provider, for replay; contains the payload of redacted"
                " thinking."
            )
        ),
    ] = UNSET
    redacted: Annotated[
        bool | UnsetType, Meta(description="Whether the provider withheld the text.")
    ] = UNSET


@wire
class ToolCall:
    """A request of a model to call a tool."""

    type: Literal["toolCall"] = "toolCall"
    id: Annotated[
        str | UnsetType, Meta(description="Id of the call, which the tool's result refers to.")
    ] = UNSET
    name: Annotated[str | UnsetType, Meta(description="Name of the tool.")] = UNSET
    arguments: Annotated[Anything, Meta(description="An object, as the tool defines it.")] = UNSET
    thoughtSignature: Annotated[
        str | UnsetType, Meta(description="Signature from the provider, for replay; opaque.")
    ] = UNSET
    namespace: Annotated[
        str | UnsetType, Meta(description="Namespace of the tool's name, if it has one.")
    ] = UNSET


@wire
class Cost:
    """Cost of usage, in US dollars."""

    input: Dollars = UNSET
    output: Dollars = UNSET
    cacheRead: Dollars = UNSET
    cacheWrite: Dollars = UNSET
    total: Dollars = UNSET


@wire
class Usage:
    """Tokens used by calls to a model. `input` excludes tokens read from or written to a cache."""

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
