"""Several files with one id, checkpoints, transcripts that a gateway put away, shared directories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.commands import run

ONE = "01ac0000-0000-7000-8000-000000000001"


def lay(file: Path, *words: str, session: str = ONE, cwd: str = "/w", cost: float = 1) -> Path:
    """Write a session of pi with a prompt and an answer for each of the words."""
    time = "2026-11-20T10:00:0{}.000Z"
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": session, "timestamp": time.format(0), "cwd": cwd}
    ]
    for number, text in enumerate(words):
        usage = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": cost}}
        answer = {"role": "assistant", "content": [], "usage": usage}
        parent = f"{session[-4:]}a{number - 1}" if number else None
        said = {"role": "user", "content": text}
        for letter, message in (("u", said), ("a", answer)):
            entry_id = f"{session[-4:]}{letter}{number}"
            at = {"id": entry_id, "parentId": parent, "timestamp": time.format(number + 1)}
            lines.append({"type": "message", **at, "message": message})
            parent = entry_id
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def pi_folder(home: Path, name: str = "--w--") -> Path:
    return home / ".pi" / "agent" / "sessions" / name


@pytest.mark.parametrize("prefix", [False, True])
async def test_of_copies_with_one_id_the_latest_counts(tmp_path: Path, prefix: bool):
    # pi's `/import` left `s-1.jsonl` beside `s.jsonl` until 1.5.1 (pi #11060).
    first = lay(pi_folder(tmp_path) / "s.jsonl", "one")
    copy = lay(pi_folder(tmp_path) / "s-1.jsonl", "one", "two")
    async with daemon(tmp_path) as client:
        wanted = {"cwd": "/w", "id": ONE, "prefix": prefix}
        assert (await client.request("session/findById", wanted))["path"] == str(copy)
        if prefix:
            unique = await client.request("session/findById", {**wanted, "unique": True})
            paths = {each["path"] for each in unique["candidates"]}
            assert (unique["path"], paths) == (None, {str(first), str(copy)})


@pytest.mark.parametrize("command", ["rename", "delete", "repair"])
def test_a_command_that_changes_a_session_wants_the_path_of_one_copy(tmp_path: Path, command: str):
    files = [lay(pi_folder(tmp_path) / name, "one") for name in ("s.jsonl", "s-1.jsonl")]
    more = ["New"] if command == "rename" else []
    done = run(tmp_path, command, ONE, *more, cwd=tmp_path)
    assert done.returncode == 3
    assert all(str(file) in done.stderr for file in files)
    assert run(tmp_path, "show", ONE, cwd=tmp_path).returncode == 0


async def test_nothing_begins_with_an_empty_id(tmp_path: Path):
    lay(pi_folder(tmp_path) / "s.jsonl", "one")
    async with daemon(tmp_path) as client:
        wanted = {"cwd": "/w", "id": "", "prefix": True}
        assert (await client.request("session/findById", wanted)) == {"path": None}


async def test_checkpoints_are_no_sessions(tmp_path: Path):
    # OpenClaw copied transcripts before each compaction until May 2026 (openclaw #70686).
    folder = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    session = lay(folder / f"{ONE}.jsonl", "one", "two")
    lay(folder / f"{ONE}.checkpoint.{ONE}.jsonl", "one")
    lay(folder / "x.checkpoint.jsonl", "other", session="x")
    async with daemon(tmp_path, profile="openclaw") as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert {each["id"] for each in listed} == {ONE, "x"}
        assert str(session) in {each["path"] for each in listed}


@pytest.mark.parametrize("name", ["reset.2026-11-28T05-30-00.000Z", "deleted.2026-11-28T05-30-00Z"])
async def test_what_a_gateway_put_away_counts_and_is_found(tmp_path: Path, name: str):
    folder = tmp_path / ".coderclaw" / "agents" / "main" / "sessions"
    past = lay(folder / f"{ONE}.jsonl.{name}", "quokka", cost=5)
    lay(folder / "other.jsonl", "more", session="other")
    async with daemon(tmp_path, profile="coderclaw") as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert [each["id"] for each in listed] == ["other"]
        every = (await client.request("session/listAll", {"past": True}))["sessions"]
        assert {each["path"]: each.get("isPast") for each in every}[str(past)] is True
        assert len(every) == 2
        (hit,) = (await client.request("catalog/search", {"query": "quokka"}))["hits"]
        assert hit["info"]["path"] == str(past)
        assert (await client.request("catalog/usage", {}))["sums"]["cost"]["total"] == 6


async def test_a_directory_that_two_share_is_listed_exactly_when_asked(tmp_path: Path):
    # pi encodes `/a-b` and `/a/b` alike, and its list of one has both.
    folder = pi_folder(tmp_path, "--a-b--")
    lay(folder / "1.jsonl", "dash", session="dash", cwd="/a-b")
    lay(folder / "2.jsonl", "slash", session="slash", cwd="/a/b")
    async with daemon(tmp_path) as client:
        both = await client.request("session/list", {"cwd": "/a-b"})
        assert {each["id"] for each in both["sessions"]} == {"dash", "slash"}
        own = await client.request("session/list", {"cwd": "/a-b", "exactCwd": True})
        assert [each["id"] for each in own["sessions"]] == ["dash"]
        usage = await client.request("catalog/usage", {"by": "session", "cwd": "/a/b"})
        assert [row["info"]["id"] for row in usage["rows"]] == ["slash"]


async def test_a_directory_is_one_however_its_accents_are_stored(tmp_path: Path):
    composed, decomposed = "/w/Caf\u00e9", "/w/Cafe\u0301"
    for number, cwd in enumerate((composed, decomposed)):
        folder = pi_folder(tmp_path, f"--{cwd[1:].replace('/', '-')}--")
        lay(folder / f"{number}.jsonl", "coffee", session=f"s{number}", cwd=cwd)
    async with daemon(tmp_path) as client:
        for cwd in (composed, decomposed):
            listed = await client.request("session/list", {"cwd": cwd, "exactCwd": True})
            assert {each["id"] for each in listed["sessions"]} == {"s0", "s1"}
            as_pi = await client.request("session/list", {"cwd": cwd})
            assert len(as_pi["sessions"]) == 1
        usage = await client.request("catalog/usage", {"by": "project"})
        assert [row["key"] for row in usage["rows"]] == [composed]


@pytest.mark.parametrize(
    ("spellings", "project"),
    [
        (("/p", "/p/", "/x/../p", "~/../p"), "/p"),
        (
            ("C:\\Users\\Ann", "c:\\Users\\Ann", "C:\\Users\\Ann\\", "C:/Users/Ann"),
            "C:\\Users\\Ann",
        ),
    ],
)
async def test_a_directory_is_one_project_however_it_is_spelled(
    tmp_path: Path, monkeypatch: Any, spellings: tuple[str, ...], project: str
):
    monkeypatch.setenv("HOME", "/h")
    for number, cwd in enumerate(spellings):
        name = f"{ONE[:-1]}{number}"
        lay(pi_folder(tmp_path) / f"{number}.jsonl", "one", session=name, cwd=cwd)
    async with daemon(tmp_path) as client:
        rows = (await client.request("catalog/usage", {"by": "project"}))["rows"]
    assert {row["key"]: row["sums"]["cost"]["total"] for row in rows} == {project: 4}
