"""Message boundaries: both framings, whole, byte by byte, and with bytes of the next message."""

import itertools
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.rpc.framing import BoundaryLost, Receiver, TooLong, Unfinished, frame
from sessiond.text.spans import Json

BODY = b'{"jsonrpc":"2.0"}'


def header(body: bytes, *lines: bytes) -> bytes:
    return b"\r\n".join([b"Content-Length: %d" % len(body), *lines, b"", body])


def events(receiver: Receiver) -> Iterator[object]:
    """Yield what comes next: bodies, and the exceptions that are no end."""
    while True:
        try:
            body = receiver.next()
        except (TooLong, Unfinished) as error:
            yield type(error)
        else:
            if body is None:
                return
            yield body


def received(receiver: Receiver, *chunks: bytes, end: bool = True) -> list[object]:
    found = []
    for chunk in chunks:
        receiver.feed(chunk)
        found += events(receiver)
    if end:
        receiver.ended = True
        found += events(receiver)
    return found


def one_by_one(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


STREAMS = {
    "header": (header(b"{}") + header(BODY), [b"{}", BODY]),
    "lower case": (b"content-length: 2\r\n\r\n{}", [b"{}"]),
    "upper case": (b"CONTENT-LENGTH:2\r\n\r\n{}", [b"{}"]),
    "white space around the number": (b"Content-Length: \t2 \r\n\r\n{}", [b"{}"]),
    "other headers": (b"X-Y: z: \r\nContent-Length: 2\r\nContent-Foo:\r\n\r\n{}", [b"{}"]),
    "utf-8": (header(b"{}", b"Content-Type: application/vscode-jsonrpc; charset=utf-8"), [b"{}"]),
    "utf8": (header(b"{}", b'content-type: x/y; CHARSET="UTF8"'), [b"{}"]),
    "no charset": (header(b"{}", b"Content-Type: application/json"), [b"{}"]),
    "said twice": (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", [b"{}"]),
    "line feeds only": (b"Content-Length: 2\n\n{}Content-Length: 2\n\n[]", [b"{}", b"[]"]),
    "blank lines between": (header(b"{}") + b"\r\n\r\n" + header(b"[]"), [b"{}", b"[]"]),
    "body with a header in it": (header(header(b"{}")) + header(b"1"), [header(b"{}"), b"1"]),
    "empty body": (header(b"") + header(b"{}"), [b"", b"{}"]),
    "body of line feeds": (header(b"\n\n\r\n") + header(b"{}"), [b"\n\n\r\n", b"{}"]),
    "nothing": (b"", []),
    "lines": (b'{"a":1}\n[1]\n', [b'{"a":1}', b"[1]"]),
    "last line without end": (b'{"a":1}\n{"b":2}', [b'{"a":1}', b'{"b":2}']),
    "blank lines": (b"{}\n\n \t\r\n\n{}\n\n", [b"{}", b"{}"]),
    "carriage returns": (b"{}\r\n[]\r\n", [b"{}", b"[]"]),
    "white space before the first line": (b"\n \r\n\t{}\n", [b"{}"]),
    "much white space before a line": (b" \n" * 10_000 + b"{}\n", [b"{}"]),
    "much white space before a header": (b"\r\r\n\n" * 5000 + header(b"{}"), [b"{}"]),
    "many blank lines between": (header(b"{}") + b"\r\n" * 10_000 + header(b"[]"), [b"{}", b"[]"]),
    "bad line": (b"{}\nnonsense\n{}\n", [b"{}", b"nonsense", b"{}"]),
    "header lines in line framing": (b"{}\nContent-Length: 2\n", [b"{}", b"Content-Length: 2"]),
    "other line separators": ('{}\n["\u2028\u2029\x85"]\n'.encode(), [b"{}", '["\u2028\u2029\x85"]'.encode()]),
}  # fmt: skip


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("cut", [lambda data: [data], one_by_one], ids=["whole", "byte by byte"])
def test_a_stream_gives_its_messages_for_any_chunks(stream, cut):
    data, bodies = STREAMS[stream]
    assert received(Receiver(), *cut(data)) == bodies


@pytest.mark.parametrize("stream", [name for name in STREAMS if STREAMS[name][1]])
def test_a_message_is_given_as_soon_as_its_last_byte_is_there(stream):
    """Nothing waits for the next message, except a line for its line feed."""
    data, bodies = STREAMS[stream]
    if not data.endswith(b"\n") and data.startswith(b"{"):
        data += b"\n"
    assert received(Receiver(), data, end=False) == bodies


@given(st.lists(st.binary(max_size=40), max_size=6), st.lists(st.integers(0, 400), max_size=8))
def test_any_bodies_in_any_chunks_are_received(bodies, cuts):
    data = b"".join(map(header, bodies))
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(places)]
    assert received(Receiver("header"), *chunks) == bodies


def test_the_framing_is_known_from_the_first_byte():
    for first, framing in [(b"{", "line"), (b"[", "line"), (b"C", "header")]:
        receiver = Receiver()
        assert receiver.framing is None
        receiver.feed(first)
        assert receiver.next() is None
        assert receiver.framing == framing


def test_a_requested_framing_is_not_guessed():
    assert received(Receiver("line"), b"Content-Length: 2\n{}\n") == [b"Content-Length: 2", b"{}"]
    with pytest.raises(BoundaryLost):
        received(Receiver("header"), b"{}\n")


LOST = {
    "no colon": b"hello\r\n",
    "no colon in the second line": b"Content-Length: 2\r\nhello\r\n",
    "no length": b"Content-Type: x\r\n\r\n{}",
    "negative": b"Content-Length: -2\r\n\r\n{}",
    "plus": b"Content-Length: +2\r\n\r\n{}",
    "no number": b"Content-Length: two\r\n\r\n{}",
    "empty": b"Content-Length:\r\n\r\n{}",
    "two numbers": b"Content-Length: 2 2\r\n\r\n{}",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "digits without end": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    "other digits": "Content-Length: ٢\r\n\r\n{}".encode(),
    "name with a space": b"Content Length: 2\r\n\r\n{}",
    "binary": bytes(range(256)) * 2,
    "too long": b"X: " + b"y" * 9000,
    "too long and whole": b"X: " + b"y" * 8192 + b"\r\nContent-Length: 2\r\n\r\n{}",
    "many lines": (b"X: " + b"y" * 60 + b"\r\n") * 200,
}


@pytest.mark.parametrize("stream", LOST)
@pytest.mark.parametrize("cut", [lambda data: [data], one_by_one], ids=["whole", "byte by byte"])
def test_bytes_without_a_header_block_lose_the_boundary(stream, cut):
    """At once where a line shows it, else after 8 KiB; and after good messages as well."""
    with pytest.raises(BoundaryLost):
        received(Receiver("header"), *cut(LOST[stream]), end=False)
    with pytest.raises(BoundaryLost):
        received(Receiver(), *cut(header(b"{}") + LOST[stream]), end=False)


def test_a_header_block_of_8_kib_is_still_one():
    start = b"Content-Length: 2\r\nX: "
    block = start + b"y" * (8192 - len(start))
    assert received(Receiver(), block + b"\r\n\r\n{}") == [b"{}"]
    assert received(Receiver(), *one_by_one(block + b"\r\n\r\n{}")) == [b"{}"]


@pytest.mark.parametrize(
    "rest", [b"Con", b"Content-Length: 2", b"Content-Length: 2\r\n", b"garbage"]
)
def test_input_that_ends_within_a_header_block_has_lost_the_boundary(rest):
    with pytest.raises(BoundaryLost):
        received(Receiver("header"), rest)


def test_input_that_ends_within_a_body_is_reported_once():
    found = received(Receiver(), b"Content-Length: 5\r\n\r\n{}")
    assert found == [Unfinished]


@pytest.mark.parametrize("framing", ["header", "line"])
def test_only_a_body_above_the_limit_is_refused_and_the_next_is_read(framing):
    fits, too_long = b"[" + b"1" * 98 + b"]", b"[" + b"1" * 99 + b"]"
    wrap = header if framing == "header" else lambda body: body + b"\n"
    data = wrap(fits) + wrap(too_long) + wrap(fits)
    for chunks in ([data], one_by_one(data)):
        found = received(Receiver(max_message_bytes=100), *chunks)
        assert found == [fits, TooLong, fits]


@pytest.mark.parametrize("start", [b"Content-Length: 100000000\r\n\r\n", b"[1,"])
def test_a_body_above_the_limit_is_reported_immediately_and_never_buffered(start):
    receiver = Receiver(max_message_bytes=1000)
    assert received(receiver, start + b" " * 2000, end=False) == [TooLong]
    chunk = bytes(100_000)
    tracemalloc.start()
    try:
        assert received(receiver, *[chunk] * 900, end=False) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("start", [b"", b"{}\n", header(b"{}")], ids=["", "lines", "headers"])
def test_white_space_without_end_is_not_kept(start):
    receiver = Receiver()
    received(receiver, start, end=False)
    chunk = b"\r\n" * 32 * 1024
    tracemalloc.start()
    try:
        for _ in range(100):
            receiver.feed(chunk)
            assert receiver.next() is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_outgoing_messages_are_framed():
    assert b"".join(frame("é".encode(), "header")) == b"Content-Length: 2\r\n\r\n\xc3\xa9"
    assert b"".join(frame(b"{}", "line")) == b"{}\n"
    assert b"".join(frame(Json.of(b"[1,", b"2]"), "header")) == b"Content-Length: 5\r\n\r\n[1,2]"
    assert b"".join(frame(Json.of(b"[1,", b"2]"), "line")) == b"[1,2]\n"


def test_parts_of_an_outgoing_message_are_not_copied():
    part = bytes(100_000)
    assert any(buffer is part for buffer in frame(Json.of(b"[", part, b"]"), "header"))
    assert any(buffer is part for buffer in frame(Json.of(b"[", part, b"]"), "line"))


@pytest.mark.parametrize(
    "body",
    [b'{\n "a": "\\n b"\r\n}', Json.of(b'{\n "a"', memoryview(b': "\\n '), b'b"\r\n}')],
    ids=["bytes", "parts"],
)
def test_a_body_of_several_lines_becomes_one_in_line_framing(body):
    assert b"".join(frame(body, "line")) == b'{"a":"\\n b"}\n'


@pytest.mark.parametrize("step", [1, 2, 7, 10_000])
def test_a_header_of_many_lines_is_read_at_any_speed(step):
    data = b"a: b\r\n" * 200 + b"Content-Length : 2\r\n" + b"c:" + b" " * 500 + b"d\r\n\r\n{}"
    receiver = Receiver("header")
    found = []
    for start in range(0, len(data), step):
        receiver.feed(data[start : start + step])
        while (event := receiver.next()) is not None:
            found.append(event)
    assert found == [b"{}"]
