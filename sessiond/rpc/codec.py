"""Decode messages and encode answers: the envelope, batches, results, errors.

The rules are those of JSON-RPC 2.0 (https://www.jsonrpc.org/specification) and RFC 8259.

msgspec decodes bodies and keeps opaque members as the original bytes. It refuses lone surrogate
escapes, so a body that has one is decoded again with U+FFFD in their place, and the members that
contain one are then taken from the original bytes.
"""

from __future__ import annotations

import codecs
from typing import Any

import attrs
import msgspec
from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR

from sessiond.runtime.limits import MAX_BATCH, MAX_BATCH_BYTES, MAX_DEPTH
from sessiond.text.nesting import depth_exceeds
from sessiond.text.parts import elements, object_members
from sessiond.text.spans import Json, js_string, loads, members, plain
from sessiond.text.surrogates import without_lone_surrogates

LAST_RESORT = (
    b'{"jsonrpc":"2.0","id":%%b,"error":{"code":%d,"message":"The answer cannot be written"}}'
    % INTERNAL_ERROR
)
"""The answer if building any other answer failed; the id is still to be inserted."""

ABSENT = Raw()
_BLANK = b" \t\r\n"
_SMALL = 32 * 1024
_SLICE = 256 * 1024
_SEARCHED_FOR_ID = 16 * 1024
"""How many bytes of a body that cannot be decoded are searched for its id."""


class Envelope(msgspec.Struct, gc=False):
    """A message; `method` is UNSET in responses, and absent raw members are `ABSENT`."""

    id: Raw = ABSENT
    method: str | UnsetType = UNSET
    params: Raw = ABSENT
    jsonrpc: Raw = ABSENT
    result: Raw = ABSENT
    error: Raw = ABSENT


class BadMessage(Exception):
    """A body, or a member of a batch, that cannot be handled; `id` is JSON."""

    def __init__(self, code: int, message: str, id_: bytes = b"null") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id_


_ENVELOPE = msgspec.json.Decoder(Envelope)
_VALUE = msgspec.json.Decoder(Raw)
_RESULT = msgspec.json.Encoder()


def decode(body: bytes) -> Envelope | list[bytes]:
    """Decode one body: a message, or the members of a batch as they are. Raises BadMessage."""
    _check_utf8(body)
    if depth_exceeds(body, MAX_DEPTH):
        message = f"Body nests deeper than {MAX_DEPTH} arrays and objects"
        raise BadMessage(INVALID_REQUEST, message, _readable_id(body))
    if body.lstrip(_BLANK)[:1] == b"[":
        return _decode_batch(body)
    try:
        return _checked(_ENVELOPE.decode(body))
    except msgspec.DecodeError:
        pass
    text = without_lone_surrogates(body)
    _check_json(text)
    return _decode_carefully(body, text)


def _decode_batch(body: bytes) -> list[bytes]:
    if len(body) > MAX_BATCH_BYTES:
        # The list of a batch's members takes many times more memory than the batch.
        message = f"A batch may have {MAX_BATCH_BYTES} bytes at most; send large messages alone"
        raise BadMessage(INVALID_REQUEST, message)
    _check_json(without_lone_surrogates(body))
    batch = elements(body)
    if not batch:
        raise BadMessage(INVALID_REQUEST, "A batch must not be empty")
    if len(batch) > MAX_BATCH:
        raise BadMessage(INVALID_REQUEST, f"A batch may have {MAX_BATCH} members at most")
    return batch


def _check_json(text: bytes) -> None:
    try:
        _VALUE.decode(text)
    except msgspec.DecodeError as error:
        raise BadMessage(PARSE_ERROR, f"Body is not JSON: {error}") from None


def batch_refused() -> BadMessage:
    """The error for a batch where the protocol has none."""
    return BadMessage(INVALID_REQUEST, "Batches are not served; send single messages")


def _check_utf8(body: bytes) -> None:
    """Raise BadMessage unless it is UTF-8. In slices, because decoded text takes more memory."""
    at, size = 0, len(body)
    if size <= _SLICE and body.isascii():
        return
    while at < size:
        end = min(at + _SLICE, size)
        try:
            at += codecs.utf_8_decode(memoryview(body)[at:end], "strict", end == size)[1]
        except UnicodeDecodeError as error:
            place = f"byte {at + error.start}: {error.reason}"
            raise BadMessage(PARSE_ERROR, f"Body is not UTF-8, at {place}") from None


def decode_member(raw: bytes) -> Envelope | BadMessage:
    """Decode a member of a batch."""
    try:
        try:
            return _checked(_ENVELOPE.decode(raw))
        except msgspec.DecodeError:
            return _decode_carefully(raw, without_lone_surrogates(raw))
    except BadMessage as error:
        return error


def _decode_carefully(body: bytes, text: bytes) -> Envelope:
    """Decode what msgspec refused: wrong types, or lone surrogates (replaced in `text`)."""
    if text.lstrip(_BLANK)[:1] != b"{":
        raise BadMessage(INVALID_REQUEST, "Not a request: a message is an object")
    try:
        envelope = _ENVELOPE.decode(text)
    except msgspec.DecodeError:
        # Only the method has a type.
        message = "Not a request: method must be a string"
        raise BadMessage(INVALID_REQUEST, message, _readable_id(body)) from None
    sent = object_members(body)
    for name in ("id", "params", "jsonrpc", "result", "error"):
        if name in sent:
            setattr(envelope, name, Raw(sent[name]))
    if "method" in sent:
        envelope.method = loads(sent["method"])
    return _checked(envelope)


def _checked(envelope: Envelope) -> Envelope:
    if envelope.method is UNSET and (envelope.result is not ABSENT or envelope.error is not ABSENT):
        return envelope
    request_id = bytes(envelope.id)
    if request_id and not _is_id(request_id):
        raise BadMessage(INVALID_REQUEST, "id must be a string, a number or null")
    if bytes(envelope.jsonrpc) != b'"2.0"':
        raise BadMessage(INVALID_REQUEST, 'jsonrpc must be "2.0"', request_id or b"null")
    if envelope.method is UNSET:
        raise BadMessage(INVALID_REQUEST, "method is missing", request_id or b"null")
    return envelope


def _is_id(raw: bytes) -> bool:
    """Whether JSON-RPC 2.0 allows an id: a string, any number, or null, which is discouraged."""
    return raw[0] in b'"-0123456789' or raw == b"null"


def _readable_id(body: bytes) -> bytes:
    if body.lstrip()[:1] != b"{":
        return b"null"
    start = body[:_SEARCHED_FOR_ID]
    try:
        ids = [start[span.start : span.end] for span in members(start) if span.name == "id"]
        _VALUE.decode(without_lone_surrogates(ids[-1]))
    except (ValueError, IndexError, msgspec.DecodeError):
        # Not JSON, or without an id.
        return b"null"
    return ids[-1] if _is_id(ids[-1]) else b"null"


def encode(value: Any) -> bytes:
    """Encode an attrs object or a plain value; strings may contain lone surrogates."""
    if value is None:
        return b"null"
    try:
        return _RESULT.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return _encode_slowly(value)


def _encode_slowly(value: Any) -> bytes:
    if isinstance(value, str):
        return js_string(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    if isinstance(value, list | tuple):
        return b"[" + b",".join(map(_encode_slowly, value)) + b"]"
    if attrs.has(type(value)):
        value = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
    if isinstance(value, dict):
        present = ((name, member) for name, member in value.items() if member is not UNSET)
        pairs = (js_string(name) + b":" + _encode_slowly(member) for name, member in present)
        return b"{" + b",".join(pairs) + b"}"
    return _RESULT.encode(value)


def answer(id_: bytes, result: Any, *, plain_json: bool) -> bytes | Json:
    """The response that carries `result`: an attrs object, a plain value, None, or a Json."""
    return _message(b'{"jsonrpc":"2.0","id":%b,"result":' % id_, result, plain_json)


def failure(id_: bytes, error: dict[str, Any], *, plain_json: bool) -> bytes | Json:
    """The response that carries `error`: `code`, `message` and perhaps `data`."""
    return _message(b'{"jsonrpc":"2.0","id":%b,"error":' % id_, error, plain_json)


def notification(method: str, params: Any, *, plain_json: bool) -> bytes | Json:
    """A notification; `params` as a result in `answer`."""
    start = b'{"jsonrpc":"2.0","method":%b,"params":' % js_string(method)
    return _message(start, params, plain_json)


def _message(start: bytes, value: Any, plain_json: bool) -> bytes | Json:
    # Only the payload is converted to plain JSON: an id is returned exactly as it was sent.
    if not isinstance(value, Json):
        encoded = encode(value)
    elif not plain_json and value.size > _SMALL:
        return Json([start, *value.parts, b"}"])
    else:
        encoded = bytes(value)
    return b"%b%b}" % (start, plain(encoded) if plain_json else encoded)
