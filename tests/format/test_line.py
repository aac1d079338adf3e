"""Lines decoded as far as they are used give what a whole decoder gives."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sessiond.format.line import Line, listed_time, parse_lines
from sessiond.text.utf8 import readable

LINES = [
    json.dumps({"type": "message", "message": {"role": "user", "content": "a", "timestamp": 5}}),
    '{"type":"message","message":{"role":"user","content":[],"timestamp":1e400}}',
    '{"type":"message","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":1}}',
    '{"type":"message","timestamp":"x","message":{"role":"user","content":"","timestamp":null}}',
    '{"type":"message","message":{"role":"assistant","content":"a","timestamp":"5"}}',
    '{"type":"message","message":{"role":7,"content":"a","timestamp":1e400}}',
    '{"type":"message","message":{"role":"user","timestamp":123456789012345678901234567890}}',
    '{"type":"message","message":{"role":"user","role":"assistant","content":"\\ud83d"}}',
    '{"type":"session_info","name":"a"}',
    '{"type":"session_info","name":7}',
    '{"type":"a"}{"type":"b"}',
    '{"type":"a"} {"type":"b"}',
    '{"type":',
    '"message"}',
    '{"type":"mess',
    'age"}',
    '{"x":"}',
    '{"}',
    "{}",
    "[{}]",
    "}",
    "{",
    "42",
    "null",
    "",
    " ",
    "\r",
    '{"type":"a"}\r',
    ' {"type":"a"}',
    '\ufeff{"type":"a"}',
    '{"a":' * 3000 + "1" + "}" * 3000,
]
RAW = [
    b'{"type":"session_info","name":"caf\xe9"}',
    b'{"type":"message","message":{"role":"user","content":"\xe9","timestamp":1}}',
    b'{"type":"\xff","name":"\xe9"}',
    b'{"\xff":1}',
    b"\xff",
    *(line.encode() for line in LINES),
]


def naive(raw: bytes) -> tuple | None:
    """What a list uses of a line, as a whole decoder finds it."""
    try:
        value = json.loads(raw.decode(errors="replace"), parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        return None
    except RecursionError:
        return None, None, None
    if not isinstance(value, dict):
        return None
    message, kind, name = value.get("message"), value.get("type"), value.get("name")
    shown = None
    if isinstance(message, dict):
        role, content, own = (message.get(each) for each in ("role", "content", "timestamp"))
        number = float(own) if isinstance(own, int | float) and own < 1e308 else None
        shown = role if isinstance(role, str) else None, content, number
    is_name = isinstance(name, str)
    return kind, name if is_name else None, shown


def facts(line: Line) -> tuple:
    message = line.message
    content = json.loads(readable(bytes(message.content)) or b"null") if message else None
    return line.type, line.name, message and (message.role, content, message.time)


@given(st.lists(st.sampled_from(RAW), min_size=1, max_size=6))
def test_lines_give_what_a_whole_decoder_finds(lines: list[bytes]):
    found = [facts(line) for line in parse_lines(b"".join(line + b"\n" for line in lines))]
    assert found == [one for line in lines if (one := naive(line)) is not None]


def test_the_time_of_a_message_is_its_own_or_that_of_its_entry():
    lines = parse_lines("".join(f"{line}\n" for line in LINES[:4]).encode())
    times = [listed_time(line.message, line) for line in lines if line.message]
    assert times == [5, 0, 1767225600000, 0]
