"""The methods of `gateway/` on the entries in OpenClaw's database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from support.client import RpcError
from support.openclaw import (
    GROUP,
    INCIDENT,
    MAIN,
    OpenClawDatabase,
    openclaw_database,
    said,
    served,
)

KEY = "agent:main:main"
GROUP_KEY = "agent:main:telegram:group:-1001"
INCIDENT_KEY = "agent:main:incident-42"


def stored(database: OpenClawDatabase, key: str) -> dict[str, Any]:
    select = "SELECT entry_json FROM session_nodes WHERE session_key = ?"
    entry: dict[str, Any] = json.loads(database.writer.execute(select, (key,)).get)
    return entry


@pytest.mark.parametrize("key", [KEY, GROUP_KEY, INCIDENT_KEY])
async def test_an_entry_is_answered_as_it_is_stored(
    database: OpenClawDatabase, state: Path, key: str
):
    async with served(state) as client:
        found = await client.request("gateway/get", {"sessionKey": key})
    assert found["entry"] == stored(database, key)
    assert "problems" not in found


@pytest.mark.usefixtures("database")
async def test_conversations_are_listed_with_titles_and_last_messages(state: Path):
    async with served(state) as client:
        params = {"includeDerivedTitles": True, "includeLastMessage": True}
        listed = await client.request("gateway/list", params)
    rows = {row["key"]: row for row in listed["sessions"]}
    assert [row["key"] for row in listed["sessions"]] == [KEY, GROUP_KEY, INCIDENT_KEY]
    assert [row["sessionId"] for row in rows.values()] == [MAIN, GROUP, INCIDENT]
    assert rows[KEY]["derivedTitle"] == "Hello"
    assert (rows[KEY]["totalTokens"], rows[KEY]["model"]) == (130, "mock-1")
    assert rows[GROUP_KEY]["lastMessagePreview"].startswith("echo: ")
    assert "problems" not in listed


@pytest.mark.usefixtures("database")
async def test_keys_are_resolved_and_nothing_is_moved(state: Path):
    async with served(state) as client:
        found = await client.request("gateway/get", {"sessionKey": "main"})
        assert (found["sessionKey"], found["entry"]["sessionId"]) == (KEY, MAIN)
        (row,) = (await client.request("gateway/list", {"search": GROUP}))["sessions"]
        assert row["key"] == GROUP_KEY
        absent = await client.request("gateway/get", {"sessionKey": "agent:main:absent"})
        assert absent["entry"] is None


async def test_the_path_of_a_transcript_opens_it(database: OpenClawDatabase, state: Path):
    async with served(state) as client:
        path = (await client.request("gateway/get", {"sessionKey": INCIDENT_KEY}))["transcript"]
        assert path == database.transcript(INCIDENT)
        found = await client.request("session/open", {"path": path, "readOnly": True})
        assert found["sessionId"] == INCIDENT


async def test_a_subscription_tells_of_changed_entries(database: OpenClawDatabase, state: Path):
    async with served(state) as client:
        known = await client.request("gateway/subscribe")
        assert "problems" not in known
        database.add_node(KEY, {"sessionId": MAIN, "updatedAt": 5})
        (change,) = (await client.notification("gateway/didChange"))["changes"]
        assert (change["kind"], change["sessionKey"]) == ("changed", KEY)
        assert change["entry"] == {"sessionId": MAIN, "updatedAt": 5}
        database.add_node("agent:main:new", {"sessionId": "s", "updatedAt": 6})
        (change,) = (await client.notification("gateway/didChange"))["changes"]
        assert (change["kind"], change["sessionKey"]) == ("added", "agent:main:new")


async def test_agents_with_and_without_a_database_are_listed_together(
    database: OpenClawDatabase, state: Path
):
    ops = state / "agents" / "ops" / "sessions"
    ops.mkdir(parents=True)
    (ops / "sessions.json").write_text('{"agent:ops:main":{"sessionId":"s","updatedAt":9}}')
    with openclaw_database(state, "third") as third:
        third.writer.execute("DROP TABLE session_nodes")
        async with served(state) as client:
            listed = await client.request("gateway/list")
    keys = {row["key"] for row in listed["sessions"]}
    assert keys == {KEY, GROUP_KEY, INCIDENT_KEY, "agent:ops:main"}
    (problem,) = listed["problems"]
    assert (problem["kind"], problem["path"]) == ("replacedStore", str(third.path))
    assert database.path.exists()


async def test_an_upgrade_under_a_running_daemon_is_followed(state: Path):
    sessions = state / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.json").write_text(json.dumps({KEY: {"sessionId": "old", "updatedAt": 1}}))
    async with served(state) as client:
        found = await client.request("gateway/get", {"sessionKey": KEY})
        assert found["entry"]["sessionId"] == "old"
        await client.request("gateway/subscribe")
        with openclaw_database(state) as database:
            found = await client.request("gateway/get", {"sessionKey": KEY})
            assert found["entry"]["sessionId"] == MAIN
            told: dict[str, str] = {}
            while GROUP_KEY not in told:
                message = await client.notification("gateway/didChange")
                told |= {change["sessionKey"]: change["kind"] for change in message["changes"]}
            assert told[KEY] == "changed"
            for method, params in (
                ("gateway/patch", {"key": KEY, "label": "x"}),
                ("gateway/reset", {"key": KEY}),
            ):
                with pytest.raises(RpcError) as caught:
                    await client.request(method, params)
                assert caught.value.kind == "Unsupported"
        assert database.path.exists()


async def test_an_entry_that_is_no_json_is_a_problem(database: OpenClawDatabase, state: Path):
    with database.writer:
        database.writer.execute(
            "UPDATE session_nodes SET entry_json = '{broken' WHERE session_key = ?", (KEY,)
        )
    async with served(state) as client:
        listed = await client.request("gateway/list")
    assert [row["key"] for row in listed["sessions"]] == [GROUP_KEY, INCIDENT_KEY]
    (problem,) = listed["problems"]
    assert (problem["kind"], problem["sessionKey"]) == ("unreadableEntry", KEY)


async def test_a_title_is_of_the_conversation_after_the_last_reset(
    database: OpenClawDatabase, state: Path
):
    database.append({"type": "reset", "id": "r", "parentId": None, "reason": "new"})
    database.append(said("n1", "r", "user", "a new beginning"))
    database.add_node(KEY, {"sessionId": MAIN, "updatedAt": 9})
    async with served(state) as client:
        params = {"includeDerivedTitles": True, "includeLastMessage": True, "search": MAIN}
        (row,) = (await client.request("gateway/list", params))["sessions"]
        assert (row["derivedTitle"], row["lastMessagePreview"]) == ("a new beginning",) * 2
        database.append({"type": "reset", "id": "r2", "parentId": "n1", "reason": "new"})
        (row,) = (await client.request("gateway/list", params))["sessions"]
    assert row["derivedTitle"] == MAIN[:8]
    assert "lastMessagePreview" not in row


async def test_a_database_that_is_being_created_is_no_problem(state: Path):
    place = state / "agents" / "new" / "agent"
    place.mkdir(parents=True)
    path = place / "openclaw-agent.sqlite"
    path.touch()
    async with served(state) as client:
        assert "problems" not in await client.request("gateway/list")
        path.unlink()
        writer = apsw.Connection(str(path))
        writer.execute("PRAGMA journal_mode=WAL").fetchall()
        assert "problems" not in await client.request("gateway/list")
        writer.close()
