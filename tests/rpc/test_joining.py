"""Requests that arrive together and are served by one call: order, failures, cancellation."""

import asyncio
import json
from typing import Any

import attrs
import pytest
from support.client import DEADLINE, Client, connected, framed

from sessiond.errors import EntryNotFound
from sessiond.rpc import connection, running
from sessiond.rpc.dispatch import Joint
from sessiond.rpc.protocol import Server


@attrs.define
class Item:
    to: str
    value: str


class Joining:
    """A method that serves several requests with one call, and records how it was called."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.gate = asyncio.Event()
        self.server = Server()
        joint = Joint(lambda item: item.to, self.several)
        self.server.register("add", Item, self.one, joint=joint)
        self.server.register("other", Item, self.other)

    async def one(self, item: Item) -> str:
        self.log.append(f"one {item.value}")
        if item.value == "wait":
            await self.gate.wait()
        return item.value

    async def several(self, items: list[Item]) -> list[Any]:
        self.log.append(" ".join(item.value for item in items))
        done: list[Any] = []
        for item in items:
            match item.value:
                case "alone" | "wait":
                    return done
                case "bad":
                    done.append(EntryNotFound("x"))
                case "bug":
                    raise ZeroDivisionError
                case "late":
                    await self.gate.wait()
                    done.append("late")
                case value:
                    done.append(value)
        return done

    async def other(self, item: Item) -> str:
        self.log.append(f"other {item.value}")
        return item.value


@pytest.fixture
async def calls(monkeypatch):
    # On a busy machine a few requests may take longer than a slice, and then they are not joined.
    monkeypatch.setattr(connection, "SLICE_SECONDS", DEADLINE)
    return Joining()


def add(number: int, value: str, to: str = "a", method: str = "add") -> dict[str, Any]:
    params = {"to": to, "value": value}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def adds(*values: str) -> list[dict[str, Any]]:
    return [add(number, value) for number, value in enumerate(values)]


async def answers(client: Client, messages: list[dict[str, Any]], count: int) -> list[Any]:
    """Send messages in one piece; returns `(id, result or error code)` in order of arrival."""
    await client.send_raw(b"".join(map(framed, messages)))
    received = [(await client.receive()).value for _ in range(count)]
    return [(one["id"], one.get("result") or one["error"]["code"]) for one in received]


async def test_requests_that_arrived_together_are_served_by_one_call_and_answered_in_order(calls):
    async with connected(calls.server) as client:
        assert await answers(client, adds("x", "y", "z"), 3) == [(0, "x"), (1, "y"), (2, "z")]
    assert calls.log == ["x y z"]


async def test_a_request_that_arrives_alone_does_not_wait_for_another(calls):
    async with connected(calls.server) as client:
        assert await answers(client, adds("x"), 1) == [(0, "x")]
    assert calls.log == ["x"]


async def test_other_methods_and_other_keys_are_served_in_between(calls):
    messages = [
        add(0, "x"),
        add(1, "y", to="b"),
        add(2, "z", method="other"),
        add(3, "u"),
        add(4, "v"),
    ]
    async with connected(calls.server) as client:
        done = await answers(client, messages, 5)
    assert [id_ for id_, _ in done] == [0, 1, 2, 3, 4]
    assert calls.log == ["x", "y", "other z", "u v"]


async def test_the_others_are_served_one_by_one_and_then_together_again(calls):
    async with connected(calls.server) as client:
        done = await answers(client, adds("x", "alone", "y", "z"), 4)
    assert done == [(0, "x"), (1, "alone"), (2, "y"), (3, "z")]
    assert calls.log == ["x alone y z", "one alone", "y z"]


async def test_an_exception_is_the_answer_of_its_request(calls):
    async with connected(calls.server) as client:
        done = await answers(client, adds("x", "bad", "y"), 3)
    assert done == [(0, "x"), (1, EntryNotFound("x").code), (2, "y")]


async def test_invalid_params_are_refused_in_order(calls):
    messages = adds("x", "y", "z")
    messages[1]["params"] = {"to": "a"}
    async with connected(calls.server) as client:
        assert await answers(client, messages, 3) == [(0, "x"), (1, -32602), (2, "z")]
    assert calls.log == ["x", "z"]


async def test_if_the_call_fails_every_request_is_answered_once_and_none_tried_again(calls):
    async with connected(calls.server) as client:
        done = await answers(client, adds("x", "bug", "y"), 3)
    assert done == [(0, -32603), (1, -32603), (2, -32603)]
    assert calls.log == ["x bug y"]


async def test_a_call_that_waits_is_continued_and_does_not_delay_others(calls):
    async with connected(calls.server) as client:
        done = await answers(client, [*adds("x", "late", "alone"), add(9, "o", method="other")], 1)
        assert done == [(9, "o")]
        calls.gate.set()
        rest = [(await client.receive()).value for _ in range(3)]
    assert [(one["id"], one["result"]) for one in rest] == [(0, "x"), (1, "late"), (2, "alone")]
    assert calls.log == ["x late alone", "other o", "one alone"]


async def test_a_cancellation_reaches_a_request_that_waits_alone_and_no_finished_one(calls):
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest"}
    messages = [
        *adds("x", "wait", "y"),
        {**cancel, "params": {"id": 0}},
        {**cancel, "params": {"id": 1}},
        add(3, "z"),
    ]
    async with connected(calls.server) as client:
        done = await answers(client, messages, 4)
    assert sorted(done) == [(0, "x"), (1, -32800), (2, "y"), (3, "z")]


async def test_members_of_a_batch_are_joined(calls):
    async with connected(calls.server) as client:
        await client.send_raw(framed(adds("x", "y", "z")))
        batch = (await client.receive()).value
    assert [(one["id"], one["result"]) for one in batch] == [(0, "x"), (1, "y"), (2, "z")]
    assert calls.log == ["x y z"]


async def test_a_notification_is_served_and_not_answered(calls):
    messages = adds("x", "y")
    del messages[0]["id"]
    async with connected(calls.server) as client:
        assert await answers(client, messages, 1) == [(1, "y")]
    assert calls.log == ["x y"]


async def test_a_call_is_limited_in_number_and_bytes(calls, monkeypatch):
    monkeypatch.setattr(running, "_MOST_REQUESTS", 3)
    size = len(json.dumps(add(0, "x" * 100)["params"]))
    async with connected(calls.server) as client:
        await answers(client, adds(*"abcde"), 5)
        monkeypatch.setattr(running, "_MOST_BYTES", 2 * size)
        await answers(client, adds("x" * 100, "y" * 100, "z" * 100, "u" * 300), 4)
    assert [len(line.split()) for line in calls.log] == [3, 2, 2, 1, 2]
    assert calls.log[-1].startswith("one u")


async def test_what_arrived_before_the_end_of_the_input_is_served(calls):
    async with connected(calls.server) as client:
        await client.send_raw(b"".join(map(framed, adds("x", "y"))))
        client.end_input()
        assert len(await client.rest()) == 2
    assert calls.log == ["x y"]
