"""Many lines decoded in one call give what each line gives alone."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sessiond.format.line_facts import LineFacts, listed_time, parse_line, parse_lines
from sessiond.jsontext.utf8 import readable

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
    """What a list uses of a line."""
    line = parse_line(raw)
    if line is None:
        return None
    message = line.message
    if message is None:
        return line.type, bytes(line.name), None
    own = bytes(message.timestamp)
    number = float(json.loads(own)) if own[:1] in b"-0123456789" else None
    return line.type, bytes(line.name), (message.role, bytes(message.content), number)


def facts(line: LineFacts) -> tuple:
    message = line.message
    shown = message and (message.role, bytes(message.content), message.time)
    return line.type, readable(bytes(line.name)), shown and (shown[0], readable(shown[1]), shown[2])


@given(st.lists(st.sampled_from(RAW), min_size=1, max_size=6))
def test_a_block_gives_what_its_lines_give(lines: list[bytes]):
    found = [facts(line) for line in parse_lines(b"".join(line + b"\n" for line in lines))]
    assert found == [one for line in lines if (one := naive(line)) is not None]


def test_the_time_of_a_message_is_its_own_or_that_of_its_entry():
    lines = parse_lines("".join(f"{line}\n" for line in LINES[:4]).encode())
    times = [listed_time(line.message, line) for line in lines if line.message]
    assert times == [5, 0, 1767225600000, 0]
