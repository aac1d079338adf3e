"""The other end of a sync may be broken, or hostile."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from machines import Machine
from support.session_lines import header, line

from sessiond.runtime.errors import ReadFailed
from sessiond.sync.exchange import Exchange, Options
from sessiond.sync.remote import RemoteSide, answer
from sessiond.sync.side import Content, Delivery, Inventory, Item, Ref

GREETING = b"welcome\nsessiond-sync 1 /home/me\n"
A = line("a")


class Pipe:
    """The writing end of a pipe within a process."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def write(self, data: bytes) -> None:
        self._reader.feed_data(data)

    async def drain(self) -> None:
        await asyncio.sleep(0)


def frame(value: Any) -> bytes:
    data = msgspec.msgpack.encode(value)
    return len(data).to_bytes(4, "big") + data


def result(value: Any) -> bytes:
    return frame([value, ""])


async def remote(*answers: bytes) -> RemoteSide:
    reader = asyncio.StreamReader()
    reader.feed_data(b"".join(answers))
    reader.feed_eof()
    side = RemoteSide("box", reader, Pipe(asyncio.StreamReader()))
    await side.greet()
    return side


@pytest.fixture
def laptop(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "laptop")


@pytest.mark.parametrize("data", [b"", b"bash: sessiond: command not found\n", b"x" * 200_000])
async def test_an_end_that_does_not_greet_is_no_sessiond(data: bytes):
    with pytest.raises(ReadFailed, match="no sessiond that can sync answers there"):
        await remote(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "the connection ended"),
        (b"\xff\xff\xff\xff", "the connection ended"),
        (frame([1, 2, 3]), "cannot read"),
        (b"\0\0\0\1\xc1", "cannot read"),
        (result({"items": 5}), "cannot read"),
        (frame([None, "it is full"]), "it is full"),
        (result(Inventory([], [], [])) + result([]), "another number of answers"),
    ],
)
async def test_wrong_answers_are_errors(laptop: Machine, data: bytes, text: str):
    laptop.write("one", A)
    side = await remote(GREETING, data)
    with pytest.raises(ReadFailed, match=text):
        await Exchange(laptop.side(), side, Options()).run()


def item(ref: Ref, **members: Any) -> Item:
    has_entries = ref.agent != "claude-code"
    facts = {"cwd": "~/x", "version": 3, "created": "2026", **members}
    return Item(ref, has_entries, b"d", 10, 1e12, facts["created"], facts["cwd"], facts["version"])


@pytest.mark.parametrize(
    ("ref", "members", "data"),
    [
        (Ref("pi", "one", "../../../evil.jsonl"), {}, header("one") + A),
        (Ref("pi", "one", "/evil.jsonl"), {}, header("one") + A),
        (Ref("pi", "other"), {}, header("../../evil") + A),
        (Ref("pi", "other"), {}, "no session"),
        (Ref("pi", "../../evil"), {"created": "../../evil"}, header("../../evil") + A),
        (Ref("pi", "cwd"), {"cwd": "~/../../../evil"}, header("cwd") + A),
        (Ref("claude-code", "../../../evil"), {}, A),
        (Ref("claude-code", "settings.json"), {}, "{}"),
        (Ref("openclaw", "one"), {}, header("one") + A),
        (Ref("nobody", "one"), {}, header("one") + A),
    ],
)
async def test_a_hostile_end_writes_nowhere_but_among_the_sessions(
    laptop: Machine, tmp_path: Path, ref: Ref, members: dict[str, Any], data: str
):
    laptop.write("one", A)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    delivery = Delivery(item(ref, **members), data.encode(), is_new=True)
    side = laptop.side()
    await side.inventory(())
    (outcome,) = await side.write([delivery])
    new = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    written = {path for path in new if ".cache" not in path.parts}
    assert bool(written) != bool(outcome.error)
    assert all(path.parent.parent == laptop.sessions for path in written)


async def test_conflicts_of_any_ids_can_be_sent(laptop: Machine, tmp_path: Path):
    laptop.write("one", line("\ud800", None, "mine"))
    desktop = Machine(tmp_path / "desktop")
    desktop.write("one", line("\ud800", None, "yours"))
    questions, answers = asyncio.StreamReader(), asyncio.StreamReader()
    answering = asyncio.create_task(answer(desktop.side(), questions, Pipe(answers)))
    there = RemoteSide("box", answers, Pipe(questions))
    await there.greet()
    report = await Exchange(laptop.side(), there, Options()).run()
    assert [each.text for each in report.problems] == [
        "has different content on both sides, which stays: \\ud800"
    ]
    questions.feed_eof()
    await answering


@pytest.mark.parametrize(
    "question",
    [
        [1],
        ["__init__", []],
        ["_write", []],
        ["read", [[["pi", "nobody", ""], None, 0]]],
        ["inventory", ["opencode"]],
        ["write", 5],
    ],
)
async def test_wrong_questions_are_answered_with_errors(laptop: Machine, question: Any):
    laptop.write("one", A)
    questions, answers = asyncio.StreamReader(), asyncio.StreamReader()
    questions.feed_data(frame(question) + frame(["inventory", []]))
    questions.feed_eof()
    await answer(laptop.side(), questions, Pipe(answers))
    answers.feed_eof()
    assert (await answers.readline()).startswith(b"sessiond-sync 1 ")
    rest = await answers.read()
    length = int.from_bytes(rest[:4], "big")
    value, error = msgspec.msgpack.decode(rest[4 : 4 + length])
    if question[0] == "read":
        (content,) = msgspec.convert(value, list[Content])
        assert content.error
    else:
        assert error
    # It goes on with the next one.
    value, error = msgspec.msgpack.decode(rest[8 + length :])
    assert [each.ref.session for each in msgspec.convert(value, Inventory).items] == ["one"]
