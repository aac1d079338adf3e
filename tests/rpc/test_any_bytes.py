"""No bytes crash the server: it stays alive, or has lost the message boundary and says so."""

import asyncio
import itertools
import json
import os

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw, UnsetType
from support.client import framed
from support.effort import effort
from support.serving import Server


@attrs.define
class Params:
    a: str
    b: Raw | UnsetType = UNSET


async def echo(params: Params) -> Params:
    return params


async def yielding(params: Params) -> Params:
    await asyncio.sleep(0)
    return params


def conversation(data: bytes, cuts: list[int]) -> tuple[int, bytes]:
    """Send `data` in pieces to a server; returns its exit code and its output."""
    return asyncio.run(_conversation(data, cuts))


async def _conversation(data: bytes, cuts: list[int]) -> tuple[int, bytes]:
    server = Server(max_message_bytes=2000)
    server.register("echo", Params, echo)
    server.register("yield", Params, yielding)
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    serving = asyncio.create_task(server.serve(server_in, server_out))
    try:
        places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
        for start, end in itertools.pairwise(places):
            os.write(client_out, data[start:end])
            # Two turns: one in which the loop sees the bytes, one in which they are handled.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        os.close(client_out)
        code = await asyncio.wait_for(serving, 30)
        os.close(server_out)
        with os.fdopen(client_in, "rb") as output:
            return code, output.read()
    finally:
        os.close(server_in)


def answers(written: bytes) -> list[object]:
    """Every message the server wrote; fails if there is anything else."""
    if written.startswith((b"{", b"[")):
        return [json.loads(line) for line in written.splitlines()]
    found = []
    while written:
        header, _, rest = written.partition(b"\r\n\r\n")
        length = int(header.removeprefix(b"Content-Length: "))
        assert len(rest) >= length
        found.append(json.loads(rest[:length]))
        written = rest[length:]
    return found


CUTS = st.lists(st.integers(0, 3000), max_size=5)
IDS = st.sampled_from([1, "a", None, 1.5, -3, "\ud83d", [], 10**30])
VALUES = st.sampled_from(
    [None, "x", "\ud83d", 5, {"a": "\udc00", "b": {"id": 1}}, {"a": 1}, [], [1]]
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "1.0", 2]),
        "id": IDS,
        "method": st.sampled_from(
            ["echo", "yield", "nonsense", "$/cancelRequest", "$/x", 5, "\ud83d"]
        ),
        "params": VALUES,
        "result": VALUES,
    },
)
BODIES = st.one_of(MESSAGES, st.lists(MESSAGES, max_size=4), VALUES).map(json.dumps).map(str.encode)
MUTATIONS = st.lists(st.tuples(st.integers(0, 3000), st.binary(max_size=3)), max_size=3)
QUICK = settings(
    max_examples=effort(40, 150), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def mutated(data: bytes, mutations: list[tuple[int, bytes]]) -> bytes:
    for place, replacement in mutations:
        at = place % (len(data) + 1)
        data = data[:at] + replacement + data[at + 1 :]
    return data


def check(data: bytes, cuts: list[int]) -> list[object]:
    code, written = conversation(data, cuts)
    found = answers(written)
    assert code in (0, 1)
    if code == 1:
        lost = [one for one in found if isinstance(one, dict) and one["id"] is None]
        assert -32700 in [one["error"]["code"] for one in lost if "error" in one]
    for one in found:
        for answer in one if isinstance(one, list) else [one]:
            assert answer["jsonrpc"] == "2.0"
            assert ("result" in answer) != ("error" in answer)
            assert answer.get("error", {}).get("code") != -32603
    return found


@QUICK
@given(st.binary(max_size=300), CUTS)
def test_random_bytes(data, cuts):
    check(data, cuts)


@QUICK
@given(st.lists(BODIES, max_size=6), MUTATIONS, CUTS)
def test_mutated_messages_in_header_framing(bodies, mutations, cuts):
    check(mutated(b"".join(map(framed, bodies)), mutations), cuts)


@QUICK
@given(st.lists(BODIES, max_size=6), MUTATIONS, CUTS)
def test_mutated_messages_in_line_framing(bodies, mutations, cuts):
    check(b"{}\n" + mutated(b"".join(body + b"\n" for body in bodies), mutations), cuts)


@QUICK
@given(st.lists(BODIES, max_size=6), st.booleans(), CUTS)
def test_well_framed_messages_never_end_the_server_and_requests_are_all_answered(
    bodies, lines, cuts
):
    last = b'{"jsonrpc":"2.0","id":"last","method":"echo","params":{"a":"still here"}}'
    framing = "line" if lines else "header"
    start = framed(b"{}", framing)
    data = start + b"".join(framed(body, framing) for body in [*bodies, last])
    code, written = conversation(data, cuts)
    found = check(data, cuts)
    assert code == 0
    # Only answers that had to wait a turn may come after it.
    assert {"jsonrpc": "2.0", "id": "last", "result": {"a": "still here"}} in answers(written)
    expected = 2
    for body in bodies:
        value = json.loads(body)
        if isinstance(value, list) and value:
            expected += any(map(_is_answered, value))
        else:
            expected += _is_answered(value)
    assert len(found) == expected


def _is_answered(message: object) -> bool:
    """JSON-RPC 2.0: all messages except notifications and responses are answered."""
    if not isinstance(message, dict):
        return True
    if "method" not in message:
        return "result" not in message
    valid = message.get("jsonrpc") == "2.0" and isinstance(message["method"], str)
    return not valid or "id" in message
