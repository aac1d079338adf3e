"""Appends sent in one piece are answered, and written, as if each had been sent alone."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.app import assistant, daemon, lines_of, user
from support.client import Client, framed

_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


async def opened(client: Client, path: Path) -> str:
    """A handle of a session with two entries, `one` and `two`, in a file that is kept open."""
    handle = (await client.request("session/open", {"path": str(path)}))["session"]
    for entry_id, message in (("one", user("a")), ("two", assistant("b"))):
        params = {"session": handle, "message": message, "newEntryId": entry_id}
        await client.request("session/appendMessage", params)
    return str(handle)


def message(handle: str, text: str, **more: Any) -> dict[str, Any]:
    params = {"session": handle, "message": user(text), **more}
    return {"method": "session/appendMessage", "params": params}


async def in_one_piece(client: Client, requests: list[dict[str, Any]]) -> list[Any]:
    """Send requests in one piece; returns their answers in order."""
    bodies = [
        {"jsonrpc": "2.0", "id": f"q{number}", **request} for number, request in enumerate(requests)
    ]
    await client.send_raw(b"".join(map(framed, bodies)))
    answers: dict[str, Any] = {}
    while len(answers) < len(requests):
        received = (await client.receive()).value
        if "id" in received:
            answers[received["id"]] = received.get("result", received.get("error"))
    return [answers[f"q{number}"] for number in range(len(requests))]


async def one_by_one(client: Client, requests: list[dict[str, Any]]) -> list[Any]:
    return [(await in_one_piece(client, [request]))[0] for request in requests]


def watched(monkeypatch: Any, write: Callable[[Callable[..., int], int, bytes], int]) -> None:
    """Replace the writing of lines of entries."""
    really = os.write

    def intercepted(descriptor: int, data: bytes) -> int:
        return write(really, descriptor, data) if b'"type":' in data else really(descriptor, data)

    monkeypatch.setattr(os, "write", intercepted)


async def test_many_appends_are_written_with_few_writes(tmp_path: Path, monkeypatch):
    written: list[bytes] = []

    def counted(really: Callable[..., int], descriptor: int, data: bytes) -> int:
        written.append(data)
        return really(descriptor, data)

    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path) as client:
        handle = await opened(client, path)
        watched(monkeypatch, counted)
        texts = [f"text {number}" for number in range(300)]
        answers = await in_one_piece(client, [message(handle, text) for text in texts])
    entries = [json.loads(line) for line in lines_of(path)[1:]]
    assert [entry["message"]["content"] for entry in entries[2:]] == texts
    assert [entry["parentId"] for entry in entries] == [None, *(e["id"] for e in entries[:-1])]
    known = [{name: entry[name] for name in ("id", "parentId", "timestamp")} for entry in entries]
    expected = [{**each, "leafId": each["id"], "written": True} for each in known[2:]]
    assert answers == expected
    assert len(written) <= 30


async def test_other_requests_see_the_appends_before_them(tmp_path: Path):
    async with daemon(tmp_path) as client:
        handle = await opened(client, tmp_path / "s.jsonl")
        leaf = {"method": "session/getLeafId", "params": {"session": handle}}
        requests = [message(handle, "c"), leaf, message(handle, "d"), message(handle, "e"), leaf]
        first, after_first, _, third, after_third = await in_one_piece(client, requests)
    assert after_first == {"leafId": first["id"]}
    assert after_third == {"leafId": third["id"]}


async def test_another_handle_hears_of_all_of_them(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    async with daemon(tmp_path) as client:
        handle = await opened(client, path)
        other = (await client.request("session/open", {"path": str(path)}))["session"]
        answers = await in_one_piece(client, [message(handle, text) for text in "cde"])
        told: list[str] = []
        while len(told) < 3:
            change = await client.notification("session/didChange")
            assert change["session"] == other
            told += [entry["id"] for entry in change.get("entries", [])]
    assert told == [answer["id"] for answer in answers]


async def test_on_a_full_disk_none_of_them_is_acknowledged(tmp_path: Path, monkeypatch):
    path = tmp_path / "s.jsonl"
    space = [0]

    def limited(really: Callable[..., int], descriptor: int, data: bytes) -> int:
        size = min(space[0], len(data))
        if not size:
            raise OSError(28, "no space")
        space[0] -= size
        return really(descriptor, data[:size])

    async with daemon(tmp_path) as client:
        handle = await opened(client, path)
        before = path.read_bytes()
        # Room for two and a half.
        space[0] = 2 * len(lines_of(path)[1]) + 60
        watched(monkeypatch, limited)
        answers = await in_one_piece(client, [message(handle, text) for text in "cdefg"])
        monkeypatch.undo()
        assert [answer["data"]["kind"] for answer in answers] == ["WriteFailed"] * 5
        assert path.read_bytes().strip() == before.strip()
        leaf = await client.request("session/getLeafId", {"session": handle})
        assert leaf == {"leafId": "two"}
        (after,) = await in_one_piece(client, [message(handle, "h")])
        assert after["parentId"] == "two"


async def test_a_foreign_line_in_between_is_in_the_order_of_the_file(tmp_path: Path, monkeypatch):
    path = tmp_path / "s.jsonl"
    foreign = (
        b'{"type":"message","id":"f","parentId":"two","timestamp":"","message":{"role":"user"}}\n'
    )

    def beside(really: Callable[..., int], descriptor: int, data: bytes) -> int:
        if b'"id":"f"' not in path.read_bytes():
            with path.open("ab", buffering=0) as file:
                file.write(foreign)
        return really(descriptor, data)

    async with daemon(tmp_path) as client:
        handle = await opened(client, path)
        watched(monkeypatch, beside)
        answers = await in_one_piece(client, [message(handle, text) for text in "cde"])
        entries = (await client.request("session/getEntries", {"session": handle}))["entries"]
    ids = [answer["id"] for answer in answers]
    assert [entry["id"] for entry in entries] == ["one", "two", "f", *ids]
    assert [answer["parentId"] for answer in answers] == ["two", *ids[:-1]]


Request = Callable[[str], dict[str, Any]]


def _append(method: str, **params: Any) -> Request:
    return lambda handle: {"method": f"session/{method}", "params": {"session": handle, **params}}


_IDS = st.sampled_from(["n1", "n2", "n3", "one"])
_EXPECTED = st.sampled_from(["two", "n1", "n2", None])
_CONDITIONS = st.fixed_dictionaries(
    {},
    optional={"newEntryId": _IDS, "expectedLeafId": _EXPECTED, "expectedTipId": _EXPECTED},
)
_MESSAGES = st.sampled_from(
    [user("x"), assistant("y"), {"role": "branchSummary"}, {"content": 1}, "no object"]
)
_REQUESTS = st.lists(
    st.one_of(
        st.builds(lambda m, c: _append("appendMessage", message=m, **c), _MESSAGES, _CONDITIONS),
        st.builds(lambda m: _append("appendMessage", message=m, newEntryId=None), _MESSAGES),
        st.builds(
            lambda c: _append("appendCustomEntry", customType="t", data={"a": 1}, **c), _CONDITIONS
        ),
        st.builds(
            lambda i: _append("appendLabelChange", targetId=i, label="l", newEntryId=f"l{i}"), _IDS
        ),
        st.just(_append("appendMessage", message=user("x"), newEntryId=7)),
        st.builds(lambda i: _append("branch", entryId=i), _IDS),
    ),
    max_size=12,
)


def masked(value: Any) -> Any:
    """Replace times, and ids that the daemon chose by their order."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"#{numbers.setdefault(match[0], len(numbers))}"

    text = re.sub(r"\b[0-9a-f]{8}\b", number, _TIME.sub("T", json.dumps(value)))
    return json.loads(text)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(_REQUESTS)
async def test_the_answers_and_the_file_are_those_of_requests_sent_one_by_one(
    tmp_path: Path, requests: list[Request]
):
    results = []
    async with daemon(tmp_path, watch="off") as client:
        for send in (in_one_piece, one_by_one):
            path = tmp_path / f"{send.__name__}.jsonl"
            path.unlink(missing_ok=True)
            handle = await opened(client, path)
            answers = await send(client, [request(handle) for request in requests])
            leaf = await client.request("session/getLeafId", {"session": handle})
            lines = [json.loads(line) for line in lines_of(path)[1:]]
            results.append(masked([answers, leaf, lines]))
    assert results[0] == results[1]
