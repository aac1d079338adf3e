"""A fault in one file does not affect the answers about the others."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import Client, RpcError
from support.sessions_on_disk import write_session

from sessiond.catalog import discover
from sessiond.catalog.line_blocks import line_blocks

HEADER = (
    b'{"type":"session","version":3,"id":"odd","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}'
)
LINE = (
    b'{"type":"message","id":"m","parentId":null,"timestamp":"2026-01-02T00:00:00.000Z",'
    b'"message":{"role":"user","content":"needle"}}'
)
NAME = b'{"type":"session_info","id":"n","parentId":null,"name":"a name"}'
DEEP = b"[" * 100_000 + b"]" * 100_000
"""Deeper than any of our decoders supports."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The agent's directory of sessions of `/w`, with two healthy ones."""
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--w--"
    write_session(folder / "a.jsonl", "needle", session_id="a", cwd="/w", modified=1)
    write_session(folder / "z.jsonl", "needle", session_id="z", cwd="/w", modified=2)
    return folder


def names(infos: list[dict[str, Any]]) -> list[str]:
    return sorted(Path(info["path"]).stem for info in infos)


async def readings(client: Client) -> dict[str, tuple[list[str], list[dict[str, Any]]]]:
    """The result of each method that reads many files: the sessions' names, and the problems."""
    found = {}
    for method, params in [
        ("session/list", {"cwd": "/w"}),
        ("session/listAll", {"includeText": True}),
        ("catalog/subscribe", {}),
    ]:
        answer = await client.request(method, params)
        found[method] = names(answer["sessions"]), answer.get("problems", [])
    for mode, query in [("text", "needle"), ("text", '"needle"'), ("regex", "n.edle")]:
        answer = await client.request("catalog/search", {"query": query, "mode": mode})
        hits = names([hit["info"] for hit in answer["hits"]])
        found[f"{mode} {query}"] = hits, answer.get("problems", [])
    return found


@pytest.mark.parametrize(
    "damage",
    [
        (LINE, b"needle", b"needle \xff\xfe caf\xe9"),
        (LINE, b'"needle"', b'[{"type":"text","text":"needle \xff"},{"type":"image"}]'),
        (LINE, b'"needle"', b'[{"type":"text","text":"needle"},{"type":"\xff"}]'),
        (LINE, b'"needle"', b'[{"type":"text","text":"needle \\ud83d \xff"}]'),
        (LINE, b'"m"', b'"\xff"'),
        (LINE, b"2026-01-02T00:00:00.000Z", b"\xff"),
        (LINE, b'"needle"}', b'"needle","timestamp":"\xff"}'),
        (LINE, b'"needle"}', b'"needle","\xff":1}'),
        (LINE, b'"needle"}', b'"needle","timestamp":%s}' % (b"9" * 500)),
        (LINE, b'"needle"}', b'"needle","timestamp":1e999}'),
        (NAME, b"a name", b"caf\xe9 needle"),
        (NAME, b'"a name"', DEEP),
        (HEADER, b'"cwd"', b'"provider":"\xff","cwd"'),
        (HEADER, b"2026-01-01T00:00:00.000Z", b"\xff"),
        (HEADER, b'"cwd"', b'"parentSession":"\xff","cwd"'),
    ],
    ids=lambda damage: damage[2][:40].decode("ascii", "backslashreplace"),
)
async def test_bytes_and_values_no_program_expects_hide_no_session(
    tmp_path: Path, folder: Path, damage: tuple[bytes, bytes, bytes]
):
    line, before, after = damage
    assert before in line
    text = b"\n".join([HEADER, LINE, NAME, b""]).replace(line, line.replace(before, after))
    odd = folder / "odd.jsonl"
    odd.write_bytes(text)
    for kept in (True, False):
        async with daemon(tmp_path, catalog_cache=kept) as client:
            for _ in range(2):
                for found in (await readings(client)).values():
                    assert found == (["a", "odd", "z"], [])
            by_id = await client.request("session/findById", {"cwd": "/w", "id": "odd"})
            assert by_id == {"path": str(odd)}
            checked = await client.request("catalog/check", {})
            assert [Path(file["path"]).stem for file in checked["files"]] == ["a", "odd", "z"]
            os.utime(odd, (2e9, 2e9))
            recent = await client.request("session/continueRecent", {"cwd": "/w"})
            assert recent["sessionFile"] == str(odd)
            assert odd.read_bytes() == text
            await client.request("catalog/delete", {"path": str(odd), "force": True})
            assert (await client.request("catalog/restore", {"path": str(odd)}))["id"] == "odd"
            assert odd.read_bytes() == text


async def test_a_line_too_deep_for_any_decoder_hides_no_session(tmp_path: Path, folder: Path):
    deep = LINE.replace(b'"needle"', b'[{"type":"text","text":"deep"},%b]' % DEEP)
    (folder / "odd.jsonl").write_bytes(b"\n".join([HEADER, deep, LINE, NAME, b""]))
    async with daemon(tmp_path) as client:
        for found in (await readings(client)).values():
            assert found == (["a", "odd", "z"], [])


async def test_bytes_that_are_not_utf8_show_as_replacement_characters(tmp_path: Path, folder: Path):
    # As Node decodes them: one U+FFFD for each of these bytes.
    text = LINE.replace(b"needle", b"caf\xe9 \xff\xfe"), NAME.replace(b"a name", b"\xe9t\xe9")
    (folder / "odd.jsonl").write_bytes(b"\n".join([HEADER.replace(b"odd", b"\xff"), *text, b""]))
    async with daemon(tmp_path) as client:
        listed = await client.request("session/list", {"cwd": "/w", "includeText": True})
        info = next(each for each in listed["sessions"] if each["path"].endswith("odd.jsonl"))
        found = await client.request("catalog/search", {"query": "caf\ufffd"})
    assert info["id"] == "\ufffd"
    assert info["name"] == "\ufffdt\ufffd"
    assert info["firstMessage"] == info["allMessagesText"] == "caf\ufffd \ufffd\ufffd"
    assert [snippet["text"] for hit in found["hits"] for snippet in hit["snippets"]] == [
        "caf\ufffd \ufffd\ufffd"
    ]


async def test_titles_have_no_half_of_a_surrogate_pair(tmp_path: Path, folder: Path):
    (folder / "odd.jsonl").write_bytes(HEADER + b"\n" + NAME.replace(b"a name", rb"\ud83d") + b"\n")
    async with daemon(tmp_path) as client:
        asked = {"cwd": "/w", "partialResultToken": "p", "workDoneToken": "w"}
        listed = await client.request("session/list", asked)
        sessions: list[dict[str, Any]] = []
        while len(sessions) < 3:
            told = await client.notification("$/progress")
            sessions = told["value"].get("sessions", sessions)
    by_path = {info["path"]: info for info in sessions}
    assert by_path == {info["path"]: info for info in listed["sessions"]}
    assert by_path[str(folder / "odd.jsonl")]["name"] == "\ufffd"


async def test_partial_results_have_only_sessions_that_the_list_has(tmp_path: Path, folder: Path):
    (folder / "named.jsonl").write_bytes(HEADER + b"\n" + NAME + b"\n")
    async with daemon(tmp_path) as client:
        asked = {"partialResultToken": "p", "workDoneToken": "w", "named": True}
        listed = (await client.request("session/listAll", asked))["sessions"]
        told: list[list[str]] = []
        while (value := (await client.notification("$/progress"))["value"]).get("kind") != "end":
            told += [names(value["sessions"])] if "sessions" in value else []
    assert len(listed) == 1
    assert told[-1] == names(listed)
    assert all(set(each) <= set(names(listed)) for each in told)


async def test_partial_results_have_a_page_of_what_was_read_and_begin_with_the_last_writings(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sessiond.methods.progress._PARTIAL_SECONDS", 0.0)
    for number, name in enumerate(["z", "a", "m"]):
        path = folder / f"{name}.jsonl"
        write_session(path, "needle", session_id=name, cwd="/w", modified=3 - number)
        os.utime(path, (1000 - number, 1000 - number))
    async with daemon(tmp_path) as client:
        asked = {"partialResultToken": "p", "limit": 2}
        listed = names((await client.request("session/listAll", asked))["sessions"])
        told: list[list[str]] = []
        while listed not in told:
            told.append(names((await client.notification("$/progress"))["value"]["sessions"]))
    assert listed == ["a", "z"]
    assert told == [["z"], ["a", "z"]]


async def test_long_messages_are_listed_whole(tmp_path: Path, folder: Path):
    text = 'say "\ud83d\\ \u2028😀\x01 ' * 120_000
    long = LINE.replace(b"needle", json.dumps(text)[1:-1].encode())
    (folder / "odd.jsonl").write_bytes(b"\n".join([HEADER, long, b""]))
    async with daemon(tmp_path) as client:
        listed = await client.request("session/listAll", {"includeText": True})
    by_id = {info["id"]: info for info in listed["sessions"]}
    assert set(by_id) == {"a", "odd", "z"}
    assert (
        by_id["odd"]["firstMessage"]
        == by_id["odd"]["allMessagesText"]
        == text.replace("\ud83d", "\ufffd")
    )
    assert by_id["odd"]["path"] == str(folder / "odd.jsonl")
    assert "name" not in by_id["odd"]


@pytest.mark.parametrize("filler", ["\n", "{x\n", "x\n"])
async def test_empty_and_broken_lines_are_skipped_without_a_slow_decoder(
    tmp_path: Path, folder: Path, filler: str, monkeypatch: pytest.MonkeyPatch
):
    count = 30_000
    decoded = []
    whole = discover.loads
    monkeypatch.setattr(discover, "loads", lambda raw: (decoded.append(raw), whole(raw))[1])
    lines = filler * count
    (folder / "odd.jsonl").write_bytes(lines.encode() + HEADER + b"\n" + lines.encode() + LINE)
    async with daemon(tmp_path) as client:
        for found in (await readings(client)).values():
            assert found == (["a", "odd", "z"], [])
    # The slow decoder sees headers alone.
    assert len(decoded) < 50


def test_runs_of_whole_lines_join_to_the_file(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    sizes = [0, 3, 1000, 5_000_000, 1, 1_048_576, 2_097_151]
    file.write_bytes(b"\n".join(b"x" * size for size in sizes))
    descriptor = os.open(file, os.O_RDONLY)
    try:
        blocks = list(line_blocks(descriptor, 0, file.stat().st_size))
    finally:
        os.close(descriptor)
    assert b"".join(blocks) == file.read_bytes()
    assert all(block.endswith(b"\n") for block in blocks[:-1])


async def test_a_shortage_of_descriptors_never_makes_continue_recent_begin_a_new_session(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(path: str) -> list[str]:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), path)

    async with daemon(tmp_path) as client:
        with monkeypatch.context() as patch:
            patch.setattr("sessiond.files.disk.listdir", refuse)
            with pytest.raises(RpcError) as raised:
                await client.request("session/continueRecent", {"cwd": "/w"})
        assert raised.value.kind == "OutOfResources"
        state = await client.request("session/continueRecent", {"cwd": "/w"})
    assert Path(state["sessionFile"]).parent == folder
    assert state["entryCount"] == 1
