"""Calls through a real serve loop: order, answers, errors, batches, cancellation, the end."""

import asyncio
import contextvars
import json
import logging
from typing import Any

import attrs
import pytest
from support.client import Client, RpcError, connected
from support.serving import Server

from sessiond.runtime.errors import EntryNotFound, InvalidParams
from sessiond.text.spans import Json


@attrs.define
class Echo:
    value: str


@attrs.define
class Where:
    task: bool


def plain(kind: str) -> dict[str, Any]:
    """Return the data of an error of JSON-RPC itself."""
    return {"kind": kind, "retryable": False}


def invalid(pointer: str) -> dict[str, Any]:
    return {**plain("InvalidParams"), "pointer": pointer}


class Calls:
    """Handlers that record their calls."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.gate = asyncio.Event()
        self.server = Server()
        for name, params_type, handler in [
            ("echo", Echo, self.echo),
            ("wait", Echo, self.wait),
            ("nothing", None, self.nothing),
            ("spliced", None, self.spliced),
            ("task", None, self.task),
            ("missing", None, self.missing),
            ("params", None, self.params),
            ("bug", None, self.bug),
            ("late bug", None, self.late_bug),
            ("unencodable", None, self.unencodable),
            ("protected", None, self.protected),
        ]:
            self.server.register(name, params_type, handler)
        self.server.register("shutdown", None, self.shutdown, is_urgent=True)
        self.server.register("exit", None, self.exit, is_urgent=True)
        self.server.register("note", Echo, self.note)

    async def echo(self, params: Echo) -> dict[str, Any]:
        self.log.append(params.value)
        return {"value": params.value}

    async def wait(self, params: Echo) -> dict[str, Any]:
        self.log.append(f"start {params.value}")
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.log.append(f"cancelled {params.value}")
            raise
        return {"value": params.value}

    async def nothing(self, _params: None) -> None:
        return None

    async def spliced(self, _params: None) -> Json:
        return Json.of(b'{"jsonrpc":"1.0","id":9,', b'"a":[1.0,1E5,"\\ud83d"]}')

    async def task(self, _params: None) -> Where:
        return Where(task=asyncio.current_task() is not None)

    async def missing(self, _params: None) -> None:
        raise EntryNotFound("abc")

    async def params(self, _params: None) -> None:
        raise InvalidParams("role must not be x", "$.message.role")

    async def bug(self, _params: None) -> None:
        raise ZeroDivisionError("oops \ud83d")

    async def late_bug(self, _params: None) -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError("oops")

    async def unencodable(self, _params: None) -> object:
        return object()

    async def protected(self, _params: None) -> str:
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            return "done all the same"
        return "done"

    def shutdown(self, _params: None) -> None:
        self.server.shut_down = True

    def exit(self, _params: None) -> None:
        self.server.stop(0 if self.server.shut_down else 1)

    async def note(self, params: Echo) -> None:
        self.log.append(f"note {params.value}")
        if params.value == "bug":
            raise ZeroDivisionError


@pytest.fixture
async def calls():
    return Calls()


async def answer(client: Client, body: bytes) -> Any:
    client.write(body)
    return (await client.receive()).value


@pytest.mark.parametrize("framing", ["header", "line"])
async def test_a_call_is_answered_in_the_framing_of_the_client(calls, framing):
    async with connected(calls.server, framing) as client:
        assert await client.request("echo", {"value": "é\u2028\ud83d"}) == {
            "value": "é\u2028\ud83d"
        }
        assert await client.request("nothing") is None
        assert calls.server.framing == framing
    assert client.exit_code == 0


@pytest.mark.parametrize(
    "id_", [b"null", b"1.50", b"1", b"-5", rb'"\u0061\ud83d"', b"12345678901234567890123", b'""']
)
async def test_an_id_is_returned_exactly_as_sent(calls, id_):
    async with connected(calls.server) as client:
        client.write(b'{"jsonrpc":"2.0","id":%b,"method":"nothing"}' % id_)
        received = await client.receive()
        assert received.raw == b'{"jsonrpc":"2.0","id":%b,"result":null}' % id_


async def test_a_spliced_result_arrives_byte_for_byte(calls):
    async with connected(calls.server) as client:
        received = await client.request_raw("spliced")
        assert received.raw.endswith(b'"result":{"jsonrpc":"1.0","id":9,"a":[1.0,1E5,"\\ud83d"]}}')


async def test_plain_json_is_an_attribute_of_the_connection(calls):
    async with connected(calls.server) as client:
        calls.server.plain_json = True
        received = await client.request_raw("spliced")
        assert received.raw.endswith(b'"a":[1.0,1E5,"\\ufffd"]}}')


@pytest.mark.parametrize(
    ("method", "params", "error"),
    [
        ("missing", None, (1004, {"kind": "EntryNotFound", "retryable": False, "entryId": "abc"})),
        ("params", None, (-32602, invalid("/message/role"))),
        ("echo", {"value": 3}, (-32602, invalid("/value"))),
        ("echo", None, (-32602, invalid("/value"))),
        ("echo", ["x"], (-32602, invalid(""))),
        ("nothing", ["x"], (-32602, invalid(""))),
        ("nonsense", None, (-32601, plain("MethodNotFound"))),
        ("$/nonsense", None, (-32601, plain("MethodNotFound"))),
        ("bug", None, (-32603, plain("InternalError"))),
        ("late bug", None, (-32603, plain("InternalError"))),
        ("unencodable", None, (-32603, plain("InternalError"))),
    ],
)
async def test_an_error_is_answered_and_the_next_call_served(calls, method, params, error):
    async with connected(calls.server) as client:
        with pytest.raises(RpcError) as caught:
            await client.request(method, params)
        assert (caught.value.code, caught.value.data) == error
        assert await client.request("nothing") is None


async def test_an_unexpected_error_is_logged_with_its_traceback(calls, caplog):
    async with connected(calls.server) as client:
        with pytest.raises(RpcError, match="ZeroDivisionError: oops"):
            await client.request("bug")
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info
    assert record.exc_info[0] is ZeroDivisionError


@pytest.mark.parametrize("body", [
    b'{"jsonrpc":"2.0","id":1,"method":"nothing","params":null}',
    b'{"jsonrpc":"2.0","id":1,"method":"nothing","params":{}}',
    b'{"jsonrpc":"2.0","id":1,"method":"nothing","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"nothing","params":{"jsonrpc":"2.0","method":5}}',
])  # fmt: skip
async def test_a_method_without_params_accepts_any_empty_params(calls, body):
    async with connected(calls.server) as client:
        assert (await answer(client, body))["result"] is None


@pytest.mark.parametrize(("body", "code"), [
    (b"nonsense", -32700),
    (b"\xff", -32700),
    (b'{"jsonrpc":"2.0","id":1}', -32600),
    (b"[]", -32600),
    (b"[" * 600 + b"]" * 600, -32600),
])  # fmt: skip
@pytest.mark.parametrize("framing", ["header", "line"])
async def test_a_bad_body_is_answered_and_the_connection_lives_on(calls, framing, body, code):
    async with connected(calls.server, framing) as client:
        await client.request("nothing")
        assert (await answer(client, body))["error"]["code"] == code
        assert await client.request("nothing") is None
    assert client.exit_code == 0


@pytest.mark.parametrize("framing", ["header", "line"])
async def test_a_body_above_the_limit_is_answered_too_large_with_id_null(framing):
    server = Server(max_message_bytes=100)
    async with connected(server, framing) as client:
        error = await answer(client, b'{"jsonrpc":"2.0","id":1,"method":"%b"}' % (b"x" * 100))
        assert error["id"] is None
        assert error["error"]["code"] == 1011
        assert error["error"]["data"] == {"kind": "TooLarge", "retryable": False, "limit": 100}
        with pytest.raises(RpcError, match="-32601"):
            await client.request("x")


@pytest.mark.parametrize(
    ("garbage", "waiting"), [(b"hello\r\n", False), (b"Content-Length: x\r\n\r\n{}", True)]
)
async def test_a_lost_boundary_ends_the_server_with_1_after_it_answers_earlier_requests(
    calls, caplog, garbage, waiting
):
    async with connected(calls.server) as client:
        earlier = client.start("wait" if waiting else "echo", {"value": "x"})
        await client.send_raw(garbage)
        error = (await client.receive()).value
        assert (error["id"], error["error"]["code"]) == (None, -32700)
        calls.gate.set()
        assert (await earlier).value["result"] == {"value": "x"}
        assert await client.ends() == 1
    assert [record.levelname for record in caplog.records] == ["CRITICAL"]


async def test_responses_and_unknown_notifications_are_ignored(calls):
    async with connected(calls.server) as client:
        client.write(b'{"jsonrpc":"2.0","id":1,"result":null}')
        client.write(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}')
        client.notify("$/nonsense", {"a": 1})
        client.notify("nonsense", [1])
        client.notify("echo")
        client.notify("note", {"value": "bug"})
        client.notify("note", {"value": "x"})
        assert await client.request("nothing") is None
    assert await client.rest() == []
    assert calls.log == ["note bug", "note x"]


async def test_messages_start_in_order_of_arrival(calls):
    names = [f"{number}" for number in range(50)]
    async with connected(calls.server) as client:
        answers = [
            client.start("wait" if int(name) % 3 else "echo", {"value": name}) for name in names
        ]
        await client.request("nothing")
        assert [line.removeprefix("start ") for line in calls.log] == names
        calls.gate.set()
        assert [(await one).value["result"]["value"] for one in answers] == names


async def test_a_waiting_request_does_not_delay_others(calls):
    async with connected(calls.server) as client:
        slow = client.start("wait", {"value": "slow"})
        assert await client.request("nothing") is None
        assert not slow.done()
        calls.gate.set()
        assert (await slow).value["result"] == {"value": "slow"}


async def test_each_call_has_a_context_of_its_own(calls):
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="")

    async def mark(params: Echo) -> str:
        before = variable.get()
        variable.set(params.value)
        await asyncio.sleep(0)
        return before + variable.get()

    calls.server.register("mark", Echo, mark)
    async with connected(calls.server) as client:
        answers = [client.start("mark", {"value": value}) for value in "abc"]
        assert [(await one).value["result"] for one in answers] == ["a", "b", "c"]


@pytest.mark.parametrize("together", [True, False], ids=["in one piece", "later"])
async def test_a_cancelled_request_is_answered_so(calls, together):
    async with connected(calls.server) as client:
        doomed, kept = (client.start("wait", {"value": name}) for name in ("doomed", "kept"))
        if not together:
            await client.request("nothing")
        client.notify("$/cancelRequest", {"id": 1})
        assert (await doomed).value["error"]["code"] == -32800
        assert calls.log == ["start doomed", "start kept", "cancelled doomed"]
        calls.gate.set()
        assert (await kept).value["result"] == {"value": "kept"}


async def test_cancelling_a_request_cancels_the_task_it_awaits(calls):
    inner: list[asyncio.Task[None]] = []

    async def nested(_params: None) -> None:
        inner.append(asyncio.create_task(asyncio.sleep(3600)))
        await inner[0]

    calls.server.register("nested", None, nested)
    async with connected(calls.server) as client:
        doomed = client.start("nested")
        client.notify("$/cancelRequest", {"id": 1})
        assert (await doomed).value["error"]["code"] == -32800
        assert inner[0].cancelled()


async def test_a_number_and_a_string_are_different_ids(calls):
    async with connected(calls.server) as client:
        number = client.start("wait", {"value": "number"}, id_=1)
        string = client.start("wait", {"value": "string"}, id_="1")
        client.notify("$/cancelRequest", {"id": "1"})
        assert (await string).value["error"]["code"] == -32800
        assert not number.done()
        calls.gate.set()
        assert (await number).value["result"] == {"value": "number"}


async def test_an_id_spelled_otherwise_is_the_same_id(calls):
    async with connected(calls.server) as client:
        client.write(rb'{"jsonrpc":"2.0","id":"\u0061","method":"wait","params":{"value":"x"}}')
        client.notify("$/cancelRequest", {"id": "a"})
        received = await client.receive()
        assert received.raw.startswith(rb'{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32800')


@pytest.mark.parametrize(
    "params", [{"id": 99}, {"id": "x"}, {"id": None}, {"id": 1.5}, {}, None, [1]]
)
async def test_a_cancellation_of_nothing_is_ignored(calls, params):
    async with connected(calls.server) as client:
        await client.request("nothing")
        client.notify("$/cancelRequest", {"id": 1})
        client.notify("$/cancelRequest", params)
        assert await client.request("nothing") is None
    assert await client.rest() == []


async def test_a_request_may_finish_in_spite_of_its_cancellation(calls):
    async with connected(calls.server) as client:
        answer = client.start("protected")
        await client.request("nothing")
        client.notify("$/cancelRequest", {"id": 1})
        assert (await answer).value["result"] == "done all the same"


async def test_a_batch_is_answered_as_one_array(calls):
    calls.gate.set()
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "wait", "params": {"value": "\ud83d"}},
        {"jsonrpc": "2.0", "method": "note", "params": {"value": "x"}},
        {"jsonrpc": "2.0", "id": "2", "method": "nonsense"},
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 3, "method": "spliced"},
        5,
        [],
    ]
    async with connected(calls.server) as client:
        client.write(batch)
        answers = (await client.receive()).value
        results = {one["id"]: one["result"] for one in answers if "result" in one}
        errors = sorted((str(one["id"]), one["error"]["code"]) for one in answers if "error" in one)
        assert results[1] == {"value": "\ud83d"}
        assert results[3]["a"] == [1.0, 1e5, "\ud83d"]
        assert errors == [("2", -32601), ("None", -32600), ("None", -32600)]
        assert len(answers) == 5
        assert "note x" in calls.log


async def test_a_batch_waits_for_its_last_answer_but_does_not_delay_others(calls):
    async with connected(calls.server) as client:
        client.write([
            {"jsonrpc": "2.0", "id": "slow", "method": "wait", "params": {"value": "x"}},
            {"jsonrpc": "2.0", "id": "quick", "method": "nothing"},
        ])  # fmt: skip
        await client.request("nothing")
        client.notify("$/cancelRequest", {"id": "slow"})
        answers = (await client.receive()).value
        assert {one["id"] for one in answers} == {"slow", "quick"}


async def test_a_batch_of_notifications_is_not_answered(calls):
    async with connected(calls.server) as client:
        client.write([{"jsonrpc": "2.0", "method": "note", "params": {"value": v}} for v in "ab"])
        await client.request("nothing")
    assert await client.rest() == []
    assert calls.log == ["note a", "note b"]


async def test_after_shutdown_every_request_is_refused_until_exit(calls):
    async with connected(calls.server) as client:
        assert await client.request("shutdown") is None
        for method in ("echo", "nonsense", "shutdown", "nothing"):
            with pytest.raises(RpcError, match="-32600"):
                await client.request(method)
        client.notify("echo", {"value": "x"})
        client.notify("exit")
        client.notify("note", {"value": "after exit"})
        assert await client.ends() == 0
    assert calls.log == []


async def test_exit_ends_with_the_code_it_was_given_and_starts_nothing_more(calls):
    async with connected(calls.server) as client:
        client.notify("exit")
        refused = client.start("echo", {"value": "x"})
        assert await client.ends() == 1
        with pytest.raises(EOFError):
            await refused
    assert calls.log == []


async def test_a_stop_lets_running_requests_finish(calls):
    async with connected(calls.server) as client:
        answer = client.start("wait", {"value": "x"})
        await client.request("nothing")
        calls.server.stop(7)
        calls.gate.set()
        assert (await answer).value["result"] == {"value": "x"}
        assert await client.ends() == 7


async def test_a_stop_before_the_start_ends_at_once(calls):
    calls.server.stop(4)
    async with connected(calls.server) as client:
        assert await client.ends() == 4


async def test_a_stop_cancels_requests_that_do_not_finish(calls, monkeypatch):
    monkeypatch.setattr("sessiond.rpc.server.STOP_SECONDS", 0.05)
    async with connected(calls.server) as client:
        answer = client.start("wait", {"value": "x"})
        await client.request("nothing")
        calls.server.stop(0)
        assert (await answer).value["error"]["code"] == -32800
        assert await client.ends() == 0


async def test_the_end_of_input_waits_for_every_answer(calls):
    async with connected(calls.server) as client:
        answers = [client.start("wait", {"value": name}) for name in "abc"]
        client.end_input()
        asyncio.get_running_loop().call_later(0.05, calls.gate.set)
        assert [(await one).value["result"]["value"] for one in answers] == ["a", "b", "c"]
        assert await client.ends() == 0


async def test_a_notification_is_sent_with_attrs_or_spliced_params(calls):
    async with connected(calls.server) as client:
        await client.request("nothing")
        calls.server.notify("a", Where(task=True))
        calls.server.notify("b", Json.of(b'{"x":', b"1.0}"))
        calls.server.notify("c", {"y": "\ud83d"})
        assert await client.notification("a") == {"task": True}
        assert (await client.receive()).raw == b'{"jsonrpc":"2.0","method":"b","params":{"x":1.0}}'
        assert await client.notification("c") == {"y": "\ud83d"}


async def test_requests_are_counted(calls):
    async with connected(calls.server) as client:
        await client.request("nothing")
        await client.request("nothing")
        assert calls.server.requests == 2


async def test_many_requests_in_one_piece_let_others_run_in_between(calls):
    """Started in slices: a timer does not have to wait for all of them."""
    turns = []

    async def count(_params: None) -> None:
        turns.append("request")

    calls.server.register("count", None, count)
    one = json.dumps({"jsonrpc": "2.0", "method": "count"}).encode() + b"\n"
    async with connected(calls.server, "line") as client:
        await client.request("nothing")
        asyncio.get_running_loop().call_later(0.01, turns.append, "timer")
        await client.send_raw(one * 20_000)
        await client.request("nothing")
    assert turns.count("request") == 20_000
    assert "timer" in turns[:-1]
