"""The methods of `session/` and `catalog/` on transcripts in OpenClaw's database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon, user
from support.client import Client, RpcError
from support.openclaw import (
    GROUP,
    INCIDENT,
    MAIN,
    OpenClawDatabase,
    everything_in,
    openclaw_database,
    said,
    served,
)

CWD = "/home/someone/workspace"


async def opened(client: Client, path: str) -> dict[str, Any]:
    return await client.request("session/open", {"path": path, "readOnly": True})


async def entries(client: Client, session: str) -> list[Any]:
    return (await client.request("session/getEntries", {"session": session}))["entries"]


@pytest.mark.parametrize("session_id", [MAIN, INCIDENT, GROUP])
async def test_the_entries_are_the_rows(database: OpenClawDatabase, state: Path, session_id: str):
    async with served(state) as client:
        found = await opened(client, database.transcript(session_id))
        shown = await entries(client, found["session"])
    assert shown == [json.loads(line) for line in database.lines(session_id)[1:]]
    assert (found["sessionId"], found["diagnostics"]) == (session_id, [])


async def test_the_context_begins_after_a_reset(database: OpenClawDatabase, state: Path):
    async with served(state) as client:
        found = await opened(client, database.transcript())
        params = {"session": found["session"]}
        context = await client.request("session/buildSessionContext", params)
    assert [message["role"] for message in context["messages"]] == ["user", "assistant"]
    assert context["messages"][0]["content"] == "after the reset"


async def test_new_rows_are_told_and_served(database: OpenClawDatabase, state: Path):
    async with served(state) as client:
        found = await opened(client, database.transcript())
        database.append(said("n1", found["leafId"], "user", "new"))
        told = await client.notification("session/didChange")
        assert (told["kind"], [entry["id"] for entry in told["entries"]]) == ("appended", ["n1"])
        shown = await entries(client, found["session"])
    assert shown == [json.loads(line) for line in database.lines()[1:]]


async def test_a_request_sees_what_was_committed_before_it(database: OpenClawDatabase, state: Path):
    async with served(state, watch="off") as client:
        found = await opened(client, database.transcript())
        for number in range(5):
            database.append(said(f"n{number}", None, "user", "new"))
            assert (await entries(client, found["session"]))[-1]["id"] == f"n{number}"


async def test_rewritten_deleted_and_restored(database: OpenClawDatabase, state: Path):
    lines = [line.decode() for line in database.lines()]
    async with served(state) as client:
        found = await opened(client, database.transcript())
        database.rewrite(*lines[:-3])
        assert (await client.notification("session/didChange"))["kind"] == "rewritten"
        assert len(await entries(client, found["session"])) == len(lines) - 4
        with database.writer:
            database.writer.execute("DELETE FROM transcript_events WHERE session_id = ?", (MAIN,))
        assert (await client.notification("session/didChange"))["kind"] == "deleted"
        assert len(await entries(client, found["session"])) == len(lines) - 4
        database.rewrite(*lines[:-3])
        assert (await client.notification("session/didChange"))["kind"] in {
            "restored",
            "rewritten",
        }


@pytest.mark.parametrize("method", ["session/listAll", "session/list"])
async def test_lists(database: OpenClawDatabase, state: Path, method: str):
    async with served(state) as client:
        listed = (await client.request(method, {"cwd": CWD} if method.endswith("list") else {}))[
            "sessions"
        ]
        assert {item["path"] for item in listed} == {
            database.transcript(each) for each in (MAIN, INCIDENT, GROUP)
        }
        main = next(item for item in listed if item["id"] == MAIN)
        assert main["sizeBytes"] == sum(len(line) + 1 for line in database.lines())
        assert (main["messageCount"], main["firstMessage"]) == (6, "hello")
        found = await client.request("session/findById", {"id": GROUP, "cwd": CWD})
        assert found["path"] == database.transcript(GROUP)
        database.append(said("n1", None, "user", "new"))
        again = (await client.request("session/listAll"))["sessions"]
        assert next(item for item in again if item["id"] == MAIN)["messageCount"] == 7


async def test_the_database_can_be_named_as_a_directory(database: OpenClawDatabase, state: Path):
    async with daemon(state.parent) as client:
        params = {"cwd": CWD, "sessionDir": str(database.path)}
        assert (await client.request("session/list", params))["total"] == 3


@pytest.mark.usefixtures("database")
async def test_files_beside_the_database_are_listed_too(state: Path):
    sessions = state / "agents" / "main" / "sessions"
    sessions.mkdir()
    header = {"type": "session", "version": 3, "id": "old", "timestamp": "", "cwd": CWD}
    (sessions / "old.jsonl").write_text(json.dumps(header) + "\n")
    async with served(state) as client:
        assert (await client.request("session/listAll"))["total"] == 4


async def test_a_subscription_tells_of_changed_and_new_transcripts(
    database: OpenClawDatabase, state: Path
):
    async with served(state) as client:
        known = await client.request("catalog/subscribe", {})
        assert len(known["sessions"]) == 3
        database.append(said("n1", None, "user", "new"))
        (change,) = (await client.notification("catalog/didChange"))["changes"]
        assert (change["kind"], change["info"]["messageCount"]) == ("changed", 7)
        header = {"type": "session", "version": 4, "id": "new", "timestamp": "", "cwd": CWD}
        database.add_session("new", header, said("m1", None, "user", "of the new one"))
        (change,) = (await client.notification("catalog/didChange"))["changes"]
        assert (change["kind"], change["info"]["firstMessage"]) == ("added", "of the new one")


async def test_an_upgrade_under_a_running_daemon_is_followed(state: Path):
    async with served(state) as client:
        assert (await client.request("session/listAll"))["total"] == 0
        await client.request("catalog/subscribe", {})
        with openclaw_database(state) as database:
            told: set[str] = set()
            while len(told) < 3:
                message = await client.notification("catalog/didChange")
                told |= {change["path"] for change in message["changes"]}
            assert (await client.request("session/listAll"))["total"] == 3
        assert database.transcript() in told


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("cached", [True, False])
async def test_search_finds_words_phrases_and_expressions(state: Path, *, cached: bool):
    async with served(state, catalog_cache=cached) as client:
        for query, mode in (
            ("gateway", "text"),
            ('"hello from the gateway"', "text"),
            ("hel+o from the g", "regex"),
        ):
            found = await client.request("catalog/search", {"query": query, "mode": mode})
            assert [hit["info"]["id"] for hit in found["hits"]] == [MAIN], query
        found = await client.request("catalog/search", {"query": '"a long text."'})
        assert [hit["info"]["id"] for hit in found["hits"]] == [INCIDENT]


async def test_stats_usage_check_and_export(database: OpenClawDatabase, state: Path):
    path = database.transcript(INCIDENT)
    async with served(state) as client:
        stats = await client.request("catalog/stats", {"path": path})
        assert stats["messages"]["byRole"] == {"user": 2, "assistant": 2}
        assert stats["tokens"]["output"] == 14
        usage = await client.request("catalog/usage", {})
        assert usage["sums"]["tokens"]["output"] == 42
        checked = await client.request("catalog/check", {})
        assert [(file["ok"], file["problems"]) for file in checked["files"]] == [(True, [])] * 3
        checked = await client.request("catalog/check", {"path": path})
        assert [file["path"] for file in checked["files"]] == [path]
        exported = await client.request("catalog/export", {"path": path, "format": "html"})
        assert "A long text." in exported["content"]
        exported = await client.request("catalog/export", {"path": path, "format": "jsonl"})
        first, *others = exported["content"].splitlines()
        assert json.loads(first)["version"] == 3
        assert [line.encode() for line in others] == database.lines(INCIDENT)[1:]
        found = await opened(client, path)
        params = {"session": found["session"], "format": "markdown"}
        assert "A long text." in (await client.request("catalog/export", params))["content"]


def _stored(database: OpenClawDatabase) -> dict[str, Any]:
    """The files except the index that SQLite's users share, because the writer is in this process."""
    files = everything_in(database.directory)
    return {name: file for name, file in files.items() if not name.endswith("-shm")}


WRITING: dict[str, dict[str, Any]] = {
    "catalog/rename": {"name": "x"},
    "catalog/delete": {"permanently": True},
    "catalog/restore": {},
    "catalog/repair": {"dryRun": True},
    "catalog/repair ": {"dryRun": False},
}


@pytest.mark.parametrize("method", WRITING)
async def test_writing_is_unsupported_and_changes_nothing(
    database: OpenClawDatabase, state: Path, method: str
):
    before = _stored(database)
    async with served(state) as client:
        params = {"path": database.transcript(), **WRITING[method]}
        with pytest.raises(RpcError) as caught:
            await client.request(method.strip(), params)
    assert caught.value.kind == "Unsupported"
    assert caught.value.data["instead"]
    assert _stored(database) == before


async def test_a_transcript_opens_for_reading_only_by_itself(
    database: OpenClawDatabase, state: Path
):
    async with served(state) as client:
        view = await client.request("session/open", {"path": database.transcript()})
        assert view["readOnly"]
        assert "OpenClaw alone writes" in view["readOnlyReason"]
        params = {"session": view["session"], "message": user("no")}
        with pytest.raises(RpcError, match="OpenClaw alone writes") as caught:
            await client.request("session/appendMessage", params)
        assert caught.value.kind == "ReadOnly"
        missing = {"path": f"{database.path}/none.jsonl"}
        with pytest.raises(RpcError) as caught:
            await client.request("session/open", missing)
        assert caught.value.kind == "SessionNotFound"


@pytest.mark.usefixtures("database")
async def test_no_session_is_created_beside_the_database(state: Path):
    async with served(state) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("session/create", {"cwd": CWD})
        assert caught.value.kind == "Unsupported"
        view = await client.request("session/continueRecent", {"cwd": CWD})
        assert view["readOnly"]
        params = {"session": view["session"], "message": user("no")}
        with pytest.raises(RpcError) as caught:
            await client.request("session/appendMessage", params)
        assert caught.value.kind == "ReadOnly"
    assert not (state / "agents" / "main" / "sessions").exists()


async def test_a_fork_is_a_file_that_goes_on(
    database: OpenClawDatabase, state: Path, tmp_path: Path
):
    target = tmp_path / "out"
    async with served(state) as client:
        params = {
            "sourcePath": database.transcript(INCIDENT),
            "targetCwd": str(tmp_path),
            "sessionDir": str(target),
        }
        forked = await client.request("session/forkFrom", params)
        added = {"session": forked["session"], "message": user("go on")}
        await client.request("session/appendMessage", added)
    (file,) = target.iterdir()
    lines = file.read_bytes().splitlines()
    assert lines[1:-1] == database.lines(INCIDENT)[1:]


async def test_names_outside_the_roots_are_refused(
    database: OpenClawDatabase, state: Path, tmp_path: Path
):
    other = tmp_path / "other"
    other.mkdir()
    async with served(state, roots=[str(other)]) as client:
        with pytest.raises(RpcError) as caught:
            await opened(client, database.transcript())
        assert caught.value.kind == "PathNotAllowed"
    async with served(state, roots=[str(state)]) as client:
        assert (await client.request("session/listAll"))["total"] == 3
        found = await opened(client, database.transcript())
        assert len(await entries(client, found["session"])) == len(database.lines()) - 1


async def test_a_link_out_of_the_roots_shows_nothing(tmp_path: Path):
    state, outside = tmp_path / "state", tmp_path / "outside"
    with openclaw_database(outside) as database:
        (state / "agents").mkdir(parents=True)
        (state / "agents" / "main").symlink_to(outside / "agents" / "main")
        async with served(state, roots=[str(state)], agent_id="main") as client:
            with pytest.raises(RpcError) as caught:
                await client.request("session/listAll")
            assert caught.value.kind == "PathNotAllowed"
        async with served(state, roots=[str(state)]) as client:
            listed = await client.request("session/listAll")
            assert (listed["sessions"], listed.get("problems")) == ([], None)
            path = f"{state}/agents/main/agent/{database.path.name}/{MAIN}.jsonl"
            with pytest.raises(RpcError) as caught:
                await opened(client, path)
            assert caught.value.kind == "PathNotAllowed"


async def test_a_damaged_database_is_a_problem_of_its_own(state: Path):
    with openclaw_database(state) as database:
        pass
    database.path.write_bytes(b"SQLite format 3\0 damaged")
    sessions = state / "agents" / "main" / "sessions"
    sessions.mkdir()
    header = {"type": "session", "version": 3, "id": "old", "timestamp": "", "cwd": CWD}
    (sessions / "old.jsonl").write_text(json.dumps(header) + "\n")
    async with served(state) as client:
        listed = await client.request("session/listAll")
        assert [item["id"] for item in listed["sessions"]] == ["old"]
        assert [problem["path"] for problem in listed["problems"]] == [str(database.path)]
        with pytest.raises(RpcError) as caught:
            await opened(client, database.transcript())
        assert caught.value.kind == "ReadFailed"


async def test_an_archived_transcript_is_a_problem_that_says_what_to_do(
    database: OpenClawDatabase, state: Path
):
    async with served(state) as client:
        known = await opened(client, database.transcript(GROUP))
        lines = [line.decode() for line in database.lines(GROUP)]
        database.archive()
        path = database.transcript(GROUP)
        listed = await client.request("session/listAll")
        assert {item["id"] for item in listed["sessions"]} == {MAIN, INCIDENT}
        assert [problem["path"] for problem in listed["problems"]] == [path]
        assert "archive" in listed["problems"][0]["message"]
        with pytest.raises(RpcError) as caught:
            await opened(client, path)
        assert caught.value.kind == "Unsupported"
        assert "restores it" in caught.value.data["instead"]
        shown = await client.request("session/getState", {"session": known["session"]})
        assert shown["entryCount"] == known["entryCount"]
        # It is restored when the conversation goes on.
        database.rewrite(*lines, session_id=GROUP)
        found = await opened(client, path)
        assert found["entryCount"] == known["entryCount"]
