"""Messages and their blocks in pi's format, made of values that another agent has written.

Values are raw JSON, so that nothing of a text changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import orjson
from msgspec import Meta

from sessiond.format.line_texts import FULL_OUTPUT
from sessiond.format.lines import Stamp, custom_line, message_line
from sessiond.text.dates import json_ms
from sessiond.text.parts import join_members, object_members, string_of
from sessiond.text.spans import js_string, loads

Members = dict[str, bytes]
"""The members of an object, raw."""

Count = Annotated[int, Meta(ge=0, lt=1 << 53)]
"""A count of tokens, as JavaScript can hold it."""

_UNKNOWN = "unknown"
"""Between agent and type in the `customType` of an entry for a line of an unknown type."""

_EMPTY = b'""'
_USAGE = b'{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,%b"totalTokens":%d,"cost":%b}'


def members_of(raw: bytes | None) -> Members:
    """Return the members of an object; none of any other value."""
    return object_members(raw) if raw is not None and raw.startswith(b"{") else {}


def all_of(members: Members) -> bytes:
    """Return the object with these members."""
    return join_members(*members.items())


def count_of(raw: bytes | None) -> int:
    """Return a count; 0 for any other value."""
    # What is no number may be nested too deeply to be decoded.
    value = loads(raw) if raw is not None and raw[:1].isdigit() else 0
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


def json_number(value: float) -> bytes:
    """Return a finite number as JSON."""
    return orjson.dumps(value)


def text_block(text: bytes | None) -> bytes:
    """Return a block with this text; empty if it is no string."""
    return b'{"type":"text","text":%b}' % (text if text and text.startswith(b'"') else _EMPTY)


def thinking_block(text: bytes, signature: bytes | None = None) -> bytes:
    signed = b"" if signature is None else b',"thinkingSignature":%b' % signature
    return b'{"type":"thinking","thinking":%b%b}' % (text, signed)


def call_block(call_id: bytes, name: bytes, given: bytes) -> bytes:
    """Return a tool call; a value that is no object becomes the argument `input`."""
    if not given.startswith(b"{"):
        given = join_members(("input", given or None))
    return b'{"type":"toolCall","id":%b,"name":%b,"arguments":%b}' % (call_id, name, given)


def image_block(data: bytes, kind: bytes | None) -> bytes:
    return join_members(("type", b'"image"'), ("data", data), ("mimeType", kind))


def image_at(url: str | None) -> bytes | None:
    """Return the block for an image in a `data:` address; None for any other address."""
    if url is None or not url.startswith("data:image/") or ";base64," not in url:
        return None
    kind, _, data = url.removeprefix("data:").partition(";base64,")
    return image_block(js_string(data), js_string(kind))


def unknown_block(kind: str | None) -> bytes:
    """Return a text that stands for a block of an unknown kind."""
    return text_block(js_string(f"[{kind or 'a part'} that is not shown]"))


def content_of(blocks: Sequence[bytes]) -> bytes:
    return b"[%b]" % b",".join(blocks)


def usage_of(
    given: int,
    output: int,
    cache_read: int,
    cache_write: int,
    for_an_hour: int = 0,
    *,
    cost: bytes | None = None,
) -> bytes:
    """Return the usage of an answer; the cost in dollars, if it was recorded.

    `for_an_hour`: how many of the tokens that were written to a cache it keeps that long.
    """
    total = given + output + cache_read + cache_write
    hour = b'"cacheWrite1h":%d,' % for_an_hour if for_an_hour else b""
    counts = given, output, cache_read, cache_write, hour, total
    return _USAGE % (*counts, b"{}" if cost is None else join_members(("total", cost)))


def unknown_line(at: Stamp, agent: str, kind: str, raw: bytes) -> bytes:
    """Return the entry of an object of a type that the agent's room does not know."""
    return custom_line(at, f"{agent}/{_UNKNOWN}/{kind}", raw.strip())


def unknown_type(line: bytes) -> str | None:
    """Return the type for which an entry of `unknown_line` stands; None for any other entry."""
    name = string_of(object_members(line).get("customType")) or ""
    return name.partition(f"/{_UNKNOWN}/")[2] or None


def prompt_line(at: Stamp, content: bytes) -> bytes:
    """Return the entry of a message of the user."""
    message = b'{"role":"user","content":%b,"timestamp":%b}'
    return message_line(at, message % (content, json_ms(at.timestamp)))


def is_prompt(line: bytes) -> bool:
    """Return whether an entry line is one that `prompt_line` made."""
    return line.startswith(b'{"type":"message",') and b'"message":{"role":"user",' in line


def brief_answer(
    at: Stamp,
    *,
    provider: bytes,
    model: bytes,
    usage: bytes,
    answer_id: str | None = None,
    is_part: bool = False,
    calls: bool = False,
) -> bytes:
    """Return the entry of `answer_line` as far as lists and the count of usage need it.

    Copies of an answer are recognised by what the agent calls it, or else by the entry's id.
    `calls`: it ends with a call of a tool.
    """
    name = b'"id":%b' % js_string(at.id)
    if answer_id is not None:
        name = b'"answerId":%b' % js_string(answer_id)
    part_of = b',"partOf":""' if is_part else b""
    message = (
        b'{"type":"message",%b%b,"message":{"role":"assistant","content":[%b],"provider":%b,'
        b'"model":%b,"usage":%b,"timestamp":%b}}'
    )
    call = b'{"type":"toolCall"}' if calls else b""
    return message % (name, part_of, call, provider, model, usage, json_ms(at.timestamp))


def brief_request(
    at: Stamp, *, provider: str, model: str, usage: bytes, answer_id: str | None = None
) -> bytes:
    """Return the entry of a request as far as lists and the count of usage need it."""
    own = b"" if answer_id is None else b',"answerId":%b' % js_string(answer_id)
    entry = b'{"type":"usage","id":%b,"timestamp":%b%b,"provider":%b,"model":%b,"usage":%b}'
    given = own, js_string(provider), js_string(model), usage
    return entry % (js_string(at.id), js_string(at.timestamp), *given)


BRIEF_RESULT = b'{"type":"message","message":{"role":"toolResult"}}'
"""The entry of a result of a tool, as far as lists and the count of usage need it."""


def answer_line(
    at: Stamp,
    content: bytes,
    *,
    api: bytes,
    provider: bytes,
    model: bytes,
    usage: bytes,
    reason: bytes,
    error: bytes | None = None,
    answer_id: str | None = None,
    part_of: str | None = None,
) -> bytes:
    """Return the entry of an answer of a model, or of a part of one.

    `answer_id` is what the agent or the provider calls the whole answer, also in copies of the
    session. `part_of` is the entry with which the answer began, if that is another one.
    """
    end = b"" if error is None else b',"errorMessage":%b' % error
    message = (
        b'{"role":"assistant","content":%b,"api":%b,"provider":%b,"model":%b,"usage":%b,'
        b'"stopReason":%b%b,"timestamp":%b}'
    )
    given = content, api, provider, model, usage, reason, end, json_ms(at.timestamp)
    return message_line(at, message % given, answer_id=answer_id, part_of=part_of)


def result_line(
    at: Stamp,
    call_id: bytes,
    name: bytes,
    content: bytes,
    *,
    failed: bool,
    full_output: str | None = None,
) -> bytes:
    """Return the entry of what a tool answered.

    `full_output` is what the agent keeps elsewhere, if the model was sent a part of it.
    """
    message = (
        b'{"role":"toolResult","toolCallId":%b,"toolName":%b,"content":%b,"isError":%b%b,'
        b'"timestamp":%b}'
    )
    details = b""
    if full_output is not None:
        details = b',"details":%b' % join_members((FULL_OUTPUT, js_string(full_output)))
    is_error = b"true" if failed else b"false"
    given = call_id, name, content, is_error, details, json_ms(at.timestamp)
    return message_line(at, message % given)
