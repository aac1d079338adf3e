"""Content blocks and usage of messages, as typed values for clients.

Required are the members that pi's types require. A block that does not fit its class becomes
`UnknownBlock`, which holds the JSON value unchanged.
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
Dollars: TypeAlias = float | None


@attrs.frozen
class UnknownBlock:
    """A content block of an unknown type, or one that does not fit its type."""

    raw: Any


@wire
class TextContent:
    """Text."""

    type: Literal["text"] = "text"
    text: str
    textSignature: Annotated[
        str | UnsetType, Meta(description="Signature from the provider, for replay; opaque.")
    ] = UNSET


@wire
class ImageContent:
    """An image."""

    type: Literal["image"] = "image"
    data: Annotated[str, Meta(description="The image in base64.")]
    mimeType: Annotated[str, Meta(description="Such as `image/png`.")]


@wire
class ThinkingContent:
    """A model's thinking."""

    type: Literal["thinking"] = "thinking"
    thinking: str
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
    id: Annotated[str, Meta(description="Id of the call, which the tool's result refers to.")]
    name: Annotated[str, Meta(description="Name of the tool.")]
    arguments: Annotated[dict[str, Any], Meta(description="As the tool defines them.")]
    thoughtSignature: Annotated[
        str | UnsetType, Meta(description="Signature from the provider, for replay; opaque.")
    ] = UNSET
    namespace: Annotated[
        str | UnsetType, Meta(description="Namespace of the tool's name, if it has one.")
    ] = UNSET
    argumentsError: Annotated[
        str | UnsetType,
        Meta(description="Why the text of the model is no object; `arguments` is then empty."),
    ] = UNSET


@wire
class Cost:
    """Cost of usage, in US dollars; null: the price is not known."""

    input: Dollars
    output: Dollars
    cacheRead: Dollars
    cacheWrite: Dollars
    total: Dollars
    totalFromProvider: Annotated[
        bool | UnsetType,
        Meta(description="Whether the provider reported `total`; otherwise it is an estimate."),
    ] = UNSET


@wire
class Usage:
    """Tokens used by calls to a model. `input` excludes tokens read from or written to a cache."""

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    cacheWrite1h: Annotated[
        int | UnsetType, Meta(description="The part of `cacheWrite` that is kept for an hour.")
    ] = UNSET
    reasoning: Annotated[
        int | UnsetType, Meta(description="The part of `output` spent on reasoning.")
    ] = UNSET
    totalTokens: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "Sum of input, output, cacheRead and cacheWrite; old pis did not write it."
            )
        ),
    ] = UNSET
    cost: Cost


BLOCKS: dict[str, type[Any]] = {
    "text": TextContent,
    "image": ImageContent,
    "thinking": ThinkingContent,
    "toolCall": ToolCall,
}
"""`type` → class."""
