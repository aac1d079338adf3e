"""Following the collection of session files, open or not."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon, user
from support.followers import Follower
from support.session_lines import append, header, line, replace

from sessiond.catalog.listing import Listing


def session(file: Path, *lines: str, session_id: str = "x", cwd: str = "/w") -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(header(session_id, cwd) + "".join(lines))
    return str(file)


async def test_a_subscription_sends_a_snapshot_and_then_every_change(tmp_path: Path):
    one = session(tmp_path / "s" / "one.jsonl", line("a"))
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, sessionDir=str(tmp_path / "s"))
        assert follower.sessions[one]["messageCount"] == 1
        append(Path(one), line("b"))
        assert await follower.next() == [("changed", one)]
        assert follower.sessions[one]["messageCount"] == 2
        two = session(tmp_path / "s" / "two.jsonl", line("a"))
        await follower.until({one: 2, two: 1})
        Path(one).unlink()
        assert await follower.next() == [("removed", one)]


async def test_a_reading_that_fails_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    one = session(tmp_path / "s" / "one.jsonl", line("a"))
    failures = [RuntimeError("injected")]
    read = Listing.read

    def failing(self: Listing, *given: Any, **more: Any) -> Listing:
        if failures:
            raise failures.pop()
        return read(self, *given, **more)

    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, sessionDir=str(tmp_path / "s"))
        monkeypatch.setattr(Listing, "read", failing)
        while failures:
            # The first line may be found by the reading that belongs to the begin of watching.
            append(Path(one), line(f"b{follower.sequence}"))
            assert await follower.next() == [("changed", one)]


async def test_a_rename_is_removed_and_added(tmp_path: Path):
    one = session(tmp_path / "s" / "one.jsonl", line("a"))
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, sessionDir=str(tmp_path / "s"))
        other = str(Path(one).rename(tmp_path / "s" / "other.jsonl"))
        changes = await follower.next()
        if len(changes) == 1:
            changes += await follower.next()
    assert sorted(changes) == [("added", other), ("removed", one)]


async def test_own_changes_are_reported_once_each(tmp_path: Path):
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, cwd="/w")
        state = await client.request("session/create", {"cwd": "/w"})
        path = state["sessionFile"]
        message = {"session": state["session"], "message": user("hello")}
        await client.request("session/appendMessage", message)
        assert await follower.next() == [("added", path)]
        name = {"session": state["session"], "name": "Named"}
        await client.request("session/appendSessionInfo", name)
        assert await follower.next() == [("changed", path)]
        assert follower.sessions[path]["name"] == "Named"
        assert follower.sessions[path]["firstMessage"] == "hello"


async def test_own_changes_are_reported_without_watching(tmp_path: Path):
    async with daemon(tmp_path, watch="off") as client:
        follower = await Follower.of(client, cwd="/w")
        state = await client.request("session/create", {"cwd": "/w"})
        message = {"session": state["session"], "message": user("hello")}
        await client.request("session/appendMessage", message)
        assert await follower.next() == [("added", state["sessionFile"])]


async def test_all_follows_directories_that_are_created_and_removed(tmp_path: Path):
    sessions = tmp_path / ".pi/agent/sessions"
    one = session(sessions / "--a--" / "one.jsonl", line("a"))
    elsewhere = tmp_path / "elsewhere"
    linked = session(elsewhere / "l.jsonl", line("a"))
    (sessions / "--linked--").symlink_to(elsewhere)
    by_link = str(sessions / "--linked--" / "l.jsonl")
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client)
        assert set(follower.sessions) == {one, by_link}
        two = session(sessions / "--b--" / "two.jsonl", line("a"))
        await follower.until({one: 1, by_link: 1, two: 1})
        append(Path(two), line("b"))
        await follower.until({one: 1, by_link: 1, two: 2})
        append(Path(linked), line("b"))
        await follower.until({one: 1, by_link: 2, two: 2})
        shutil.rmtree(sessions / "--a--")
        await follower.until({by_link: 2, two: 2})
        one = session(sessions / "--a--" / "one.jsonl", line("a"), line("b"), line("c"))
        await follower.until({by_link: 2, two: 2, one: 3})


async def test_a_directory_created_later_is_watched(tmp_path: Path):
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, cwd="/w")
        assert follower.sessions == {}
        path = session(tmp_path / ".pi/agent/sessions/--w--/s.jsonl", line("a"))
        await follower.until({path: 1})


async def test_of_a_shared_directory_only_the_sessions_of_the_cwd_are_followed(tmp_path: Path):
    folder = tmp_path / "flat"
    env = {"PI_CODING_AGENT_SESSION_DIR": str(folder)}
    async with daemon(tmp_path, env=env) as client:
        follower = await Follower.of(client, cwd="/w")
        session(folder / "other.jsonl", line("a"), cwd="/other")
        mine = session(folder / "mine.jsonl", line("a"), cwd="/w")
        await follower.until({mine: 1})


async def test_files_are_not_reported_until_they_are_sessions(tmp_path: Path):
    folder = tmp_path / "s"
    folder.mkdir()
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, sessionDir=str(folder))
        (folder / "x.jsonl").write_text("notes\n")
        (folder / "x.jsonl.bak").write_text(header())
        (folder / "sessions.json").write_text("{}")
        (folder / "dir.jsonl").mkdir()
        replace(folder / "x.jsonl", header() + line("a"))
        await follower.until({str(folder / "x.jsonl"): 1})
        replace(folder / "x.jsonl", "notes\n")
        assert await follower.next() == [("removed", str(folder / "x.jsonl"))]


async def test_an_ended_subscription_is_silent(tmp_path: Path):
    folder = tmp_path / "s"
    folder.mkdir()
    async with daemon(tmp_path) as client:
        first = await Follower.of(client, sessionDir=str(folder))
        second = await Follower.of(client, sessionDir=str(folder))
        ended = {"subscription": first.subscription}
        assert await client.request("catalog/unsubscribe", ended) is None
        assert await client.request("catalog/unsubscribe", ended) is None
        path = session(folder / "s.jsonl", line("a"))
        await second.until({path: 1})


async def test_the_sessions_of_one_project_in_a_directory_are_followed(tmp_path: Path):
    folder = tmp_path / "s"
    mine = session(folder / "mine.jsonl", line("a"))
    session(folder / "other.jsonl", line("a"), cwd="/other")
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, sessionDir=str(folder), cwd="/w")
        assert list(follower.sessions) == [mine]
        append(folder / "other.jsonl", line("b"))
        session(folder / "third.jsonl", line("a"), cwd="/third")
        more = session(folder / "more.jsonl", line("a"))
        await follower.until({mine: 1, more: 1})


async def test_churn_ends_where_a_fresh_list_does(tmp_path: Path):
    folder = tmp_path / "s"
    folder.mkdir()
    async with daemon(tmp_path) as client:
        follower = await Follower.of(client, sessionDir=str(folder))
        for number in range(200):
            file = folder / f"{number % 7}.jsonl"
            if number % 5 == 4:
                file.unlink(missing_ok=True)
            elif file.exists():
                append(file, line(f"n{number}"))
            else:
                session(file, line("a"), session_id=str(number))
        expected = {
            str(file): sum('"message"' in text for text in file.read_text().splitlines()[1:])
            for file in folder.glob("*.jsonl")
        }
        await follower.until(expected)
        listed = await client.request("session/listAll", {"sessionDir": str(folder)})
    assert (
        json.loads(json.dumps(listed["sessions"]))
        == sorted(follower.sessions.values(), key=lambda info: info["modified"], reverse=True)
        or {info["path"]: info for info in listed["sessions"]} == follower.sessions
    )
