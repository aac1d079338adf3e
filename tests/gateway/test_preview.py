"""The last messages of sessions, as CoderClaw shows them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents, entry, line, message
from support.client import RpcError

from sessiond.gateway.preview import PreviewItem, item_of, last_messages, without_envelope

KEY = "agent:main:main"
ENTRY = {"sessionId": "s1", "updatedAt": 1000}


def shown(role: Any, content: Any, chars: int = 240) -> tuple[str, str] | None:
    found = item_of({"role": role, "content": content}, chars)
    return None if found is None else (found.role, found.text)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": "c", "name": name, "arguments": {}}


@pytest.mark.parametrize(
    ("role", "content", "expected"),
    [
        ("user", "hello", ("user", "hello")),
        ("user", [text("a"), text("b")], ("user", "a\nb")),
        ("assistant", [text("a")], ("assistant", "a")),
        ("system", "s", ("system", "s")),
        ("tool", "t", ("tool", "t")),
        ("User", "hello", ("user", "hello")),
        ("toolResult", [text("out")], ("other", "out")),
        ("bashExecution", "x", ("other", "x")),
        (None, "x", ("other", "x")),
        (3, "x", ("other", "x")),
        ("assistant", [text("let me"), call("read")], ("tool", "let me")),
        ("assistant", [call("read")], ("tool", "call read")),
        ("assistant", [call("read"), call("bash")], ("tool", "call read, bash")),
        ("assistant", [call("a"), call("b"), call("c")], ("tool", "call a, b +1")),
        ("assistant", [call(name) for name in "abcd"], ("tool", "call a, b +2")),
        ("assistant", [call("a"), call("a")], ("tool", "call a")),
        ("assistant", [{"type": "tool_use", "name": "x"}], ("tool", "call x")),
        ("assistant", [{"type": "thinking", "thinking": "hm"}], ("assistant", "[thinking]")),
        ("user", [{"type": "image", "data": "x"}], ("user", "[image]")),
        ("user", [text(" "), {"type": "image"}], ("user", "[image]")),
        ("user", [{"type": "image"}, text("what is it")], ("user", "what is it")),
        ("user", "  ", None),
        ("user", [], None),
        ("user", [text("")], None),
        ("user", None, None),
        ("user", 3, None),
        ("user", ["x", None, 3, {"text": 3}, {"type": 3}], None),
        ("assistant", [call(None)], ("tool", "[toolCall]")),
    ],
)
def test_a_message_is_shown_by_its_text_its_calls_or_its_kind(
    role: Any, content: Any, expected: Any
):
    assert shown(role, content) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "toolResult", "toolName": "read", "content": [text("out")]}, ("tool", "out")),
        ({"role": "toolResult", "toolName": "read", "content": []}, ("tool", "call read")),
        ({"role": "user", "toolName": " ", "content": "hi"}, ("user", "hi")),
        ({"role": "user", "toolName": ["read"], "content": "hi"}, ("user", "hi")),
    ],
)
def test_a_message_that_names_a_tool_is_the_tools(message: Any, expected: Any):
    found = item_of(message, 240)
    assert found is not None
    assert (found.role, found.text) == expected


@pytest.mark.parametrize(
    ("words", "chars", "expected"),
    [
        ("x" * 20, 20, "x" * 20),
        ("x" * 21, 20, "x" * 17 + "..."),
        ("é" * 21, 20, "é" * 17 + "..."),
        # A character outside the BMP counts two, and is never cut in half.
        ("😀" * 10, 20, "😀" * 10),
        ("😀" * 11, 20, "😀" * 8 + "..."),
    ],
)
def test_a_long_text_is_cut_and_ends_in_dots(words: str, chars: int, expected: str):
    assert shown("user", words, chars) == ("user", expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("[Telegram Ada 2026-01-02 10:00] hi", "hi"),
        ("[WhatsApp +1 555] hi", "hi"),
        ("[2026-01-02T10:00Z] hi", "hi"),
        ("[Mon 2026-01-02 10:00 CET]\nhi", "hi"),
        ("[todo] hi", "[todo] hi"),
        ("[Telegrams] hi", "[Telegrams] hi"),
        ("hi [Telegram x]", "hi [Telegram x]"),
        ("[", "["),
    ],
)
def test_the_envelope_of_a_gateway_is_omitted(words: str, expected: str):
    assert without_envelope(words) == expected
    assert shown("user", words) == ("user", expected)
    assert shown("assistant", words) == ("assistant", words)


def test_only_the_last_200_lines_count():
    lines = [line(message("m", None, "user")), *[line(entry("e", None, "custom"))] * 199]
    assert len(last_messages(b"".join(lines), 5)) == 1
    assert last_messages(b"".join([*lines, lines[-1]]), 5) == []
    # Blank lines do not.
    assert len(last_messages(b"".join([*lines, b"\n \r\n"]), 5)) == 1


@pytest.mark.parametrize(
    "odd",
    [b"{", b"null", b"3", b"[]", b'{"message":3}', b'{"message":null}', b"\xff", b'"\\ud800"'],
)
def test_lines_that_hold_no_message_are_skipped(odd: bytes):
    text = line(message("a", None, "user")) + odd + b"\n" + line(message("b", None, "user"))
    assert [found["content"] for found in last_messages(text, 9)] == ["a", "b"]


# On a connection


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


async def preview(agents: Agents, *keys: str, **params: Any) -> list[Any]:
    async with agents.daemon() as client:
        answer = await client.request("gateway/preview", {"keys": list(keys), **params})
    assert isinstance(answer["ts"], int)
    return answer["previews"]


async def test_every_key_gets_its_answer_in_order_and_duplicates_are_kept(agents: Agents):
    sessions = {name: {"sessionId": name, "updatedAt": 1} for name in ("full", "bare", "gone")}
    agents.lay(
        {
            **{f"agent:main:{name}": entry for name, entry in sessions.items()},
            "agent:main:folder": {"sessionId": "folder", "updatedAt": 1},
            "agent:main:noid": {"updatedAt": 1},
            "agent:main:odd": "x",
        }
    )
    agents.transcript("full.jsonl", HEADER, message("a", None, "user", "hello"))
    agents.transcript("bare.jsonl", HEADER)
    (agents.sessions() / "folder.jsonl").mkdir()
    asked = ["FULL ", "bare", "gone", "folder", "noid", "odd", "nobody", " ", "", "full"]
    found = await preview(agents, *asked)
    statuses = [(item["key"], item["status"]) for item in found]
    assert statuses == [
        ("FULL", "ok"),
        ("bare", "empty"),
        ("gone", "empty"),
        ("folder", "error"),
        ("noid", "missing"),
        ("odd", "missing"),
        ("nobody", "missing"),
        ("full", "ok"),
    ]
    assert found[0]["items"] == [{"role": "user", "text": "hello"}]


async def test_the_last_messages_are_taken_and_then_shown(agents: Agents):
    agents.lay({KEY: ENTRY})
    messages = [message(f"m{n}", None, "user") for n in range(20)]
    messages[-1] = message("m19", None, "user", " ")
    agents.transcript("s1.jsonl", HEADER, *messages)
    (found,) = await preview(agents, KEY, limit=3)
    assert [item["text"] for item in found["items"]] == ["m17", "m18"]
    (found,) = await preview(agents, KEY)
    assert len(found["items"]) == 11


async def test_limits_that_are_too_high_are_cut_down(agents: Agents):
    agents.lay({KEY: ENTRY})
    messages = [message(f"m{n}", None, "user", "x" * 3000) for n in range(60)]
    agents.transcript("s1.jsonl", HEADER, *messages)
    (found,) = await preview(agents, KEY, limit=1000, maxChars=100_000)
    # As many as the last 64 KiB hold.
    assert {len(item["text"]) for item in found["items"]} == {2000}
    assert len(found["items"]) == 64 * 1024 // len(line(messages[-1]))


async def test_no_more_than_50_messages_are_shown(agents: Agents):
    agents.lay({KEY: ENTRY})
    agents.transcript("s1.jsonl", *[message(f"m{n}", None, "user") for n in range(60)])
    (found,) = await preview(agents, KEY, limit=1000)
    assert [item["text"] for item in found["items"]] == [f"m{n}" for n in range(10, 60)]


@pytest.mark.parametrize(
    ("size", "status"),
    [(60 * 1024, "ok"), (200 * 1024, "ok"), (900 * 1024, "ok"), (1100 * 1024, "empty")],
)
async def test_a_larger_part_of_the_end_is_read_if_it_has_no_message(
    agents: Agents, size: int, status: str
):
    agents.lay({KEY: ENTRY})
    filler = entry("c", None, "custom", data="x" * size)
    agents.transcript("s1.jsonl", message("m", None, "user"), filler)
    (found,) = await preview(agents, KEY)
    assert found["status"] == status


async def test_at_most_64_keys_count_and_none_is_not_an_error(agents: Agents):
    agents.lay({})
    assert len(await preview(agents, "", *[f"k{n}" for n in range(70)])) == 64
    assert await preview(agents, " ") == []


async def test_a_session_file_is_searched_first_and_only_inside(agents: Agents, tmp_path: Path):
    outside = tmp_path / "secret.jsonl"
    outside.write_bytes(line(message("s", None, "user", "secret")))
    agents.lay(
        {
            KEY: {**ENTRY, "sessionFile": "other.jsonl"},
            "agent:main:out": {"sessionId": "none", "sessionFile": str(outside)},
            "agent:main:up": {"sessionId": "none", "sessionFile": "../../../../secret.jsonl"},
        }
    )
    agents.transcript("s1.jsonl", message("a", None, "user"))
    agents.transcript("other.jsonl", message("b", None, "user"))
    found = await preview(agents, KEY, "out", "up")
    assert [item["status"] for item in found] == ["ok", "empty", "empty"]
    assert found[0]["items"] == [{"role": "user", "text": "b"}]


async def test_links_out_of_the_roots_are_not_followed(agents: Agents, tmp_path: Path):
    outside = tmp_path / "secret.jsonl"
    outside.write_bytes(line(message("s", None, "user", "secret")))
    agents.lay({KEY: ENTRY})
    os.symlink(outside, agents.sessions() / "s1.jsonl")
    async with agents.daemon(roots=(str(agents.state),)) as client:
        answer = await client.request("gateway/preview", {"keys": [KEY]})
    assert [item["status"] for item in answer["previews"]] == ["error"]


async def test_a_store_that_cannot_be_examined_hides_no_other(agents: Agents):
    agents.lay({KEY: ENTRY})
    agents.lay({"agent:ops:main": ENTRY}, "ops")
    agents.store("else").mkdir(parents=True)
    agents.transcript("s1.jsonl", message("a", None, "user", "hello"))
    asked = ["agent:ops:main", KEY, "agent:else:main"]
    roots = [str(agents.sessions()), str(agents.sessions("else"))]
    async with agents.daemon(roots=roots) as client:
        answer = await client.request("gateway/preview", {"keys": asked})
        with pytest.raises(RpcError) as refused:
            await client.request("gateway/preview", {"keys": ["agent:ops:main"]})
    assert [item["status"] for item in answer["previews"]] == ["error", "ok", "error"]
    assert [(problem["kind"], problem["path"]) for problem in answer["problems"]] == [
        ("unreadableStore", str(agents.store("ops"))),
        ("unreadableStore", str(agents.store("else"))),
    ]
    assert refused.value.kind == "PathNotAllowed"


async def test_looking_writes_nothing(agents: Agents):
    agents.lay({"MAIN": ENTRY})
    agents.transcript("s1.jsonl", message("a", None, "user"))
    before = {path: path.read_bytes() for path in agents.sessions().iterdir()}
    (found,) = await preview(agents, "main")
    assert found["status"] == "ok"
    assert {path: path.read_bytes() for path in agents.sessions().iterdir()} == before


async def test_a_store_that_is_not_valid_is_reported(agents: Agents):
    agents.lay({})
    agents.store().write_text("{")
    async with agents.daemon() as client:
        answer = await client.request("gateway/preview", {"keys": [KEY, "x"]})
    assert [item["status"] for item in answer["previews"]] == ["missing", "missing"]
    assert [problem["kind"] for problem in answer["problems"]] == ["corruptStore"]


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "/keys"),
        ({"keys": []}, "/keys"),
        ({"keys": "x"}, "/keys"),
        ({"keys": [3]}, "/keys/0"),
        ({"keys": ["x"], "limit": 0}, "/limit"),
        ({"keys": ["x"], "maxChars": 19}, "/maxChars"),
        ({"keys": ["x"], "limit": "3"}, "/limit"),
    ],
)
async def test_bad_params_are_refused_with_their_place(
    agents: Agents, params: dict[str, Any], path: str
):
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as refused:
            await client.request("gateway/preview", params)
    assert (refused.value.code, refused.value.data["pointer"]) == (-32602, path)


def test_an_item_is_a_role_and_a_text():
    assert item_of({"role": "user", "content": "x"}, 20) == PreviewItem("user", "x")
