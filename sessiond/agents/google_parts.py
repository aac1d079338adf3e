"""Contents of the API of Gemini, which Gemini CLI and its forks store: a list of parts."""

from __future__ import annotations

from sessiond.agents.messages import (
    Members,
    image_block,
    members_of,
    text_block,
    unknown_block,
)
from sessiond.text.parts import elements, string_of


def parts_of(content: bytes | None) -> list[Members]:
    """Return the parts of a content; a string is a part with this text."""
    if content is None:
        return []
    if content.startswith(b'"'):
        return [{"text": content}]
    each = elements(content) if content.startswith(b"[") else [content]
    return [{"text": part} if part.startswith(b'"') else members_of(part) for part in each]


def text_of(content: bytes | None) -> str:
    """Return the text of a string, of parts, or of one part."""
    return "\n".join(text for part in parts_of(content) if (text := string_of(part.get("text"))))


def block_of(part: Members) -> bytes:
    """Return the block for a part of what was said."""
    if "text" in part:
        return text_block(part["text"])
    data = members_of(part.get("inlineData"))
    kind = string_of(data.get("mimeType")) or ""
    if kind.startswith("image/") and data.get("data", b"").startswith(b'"'):
        return image_block(data["data"], data["mimeType"])
    return unknown_block(next(iter(part), None))


def response_of(part: Members) -> str:
    """Return what a tool answered: the output or the error of its response, or a text."""
    response = members_of(members_of(part.get("functionResponse")).get("response"))
    said = response.get("output") or response.get("error") or part.get("text")
    return string_of(said) or (said or b"").decode(errors="replace")


def string_member(raw: bytes | None) -> bytes:
    """Return a JSON string; an empty one for any other value."""
    return raw if raw is not None and raw.startswith(b'"') else b'""'
