"""A database of OpenClaw 2026.8.1: another schema, and version 3 in the headers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from reference.agent import Home
from support.app import daemon
from support.beside_agents import spoken
from support.model_server import ModelServer
from support.openclaw import OLDER, OpenClawDatabase, openclaw_database, said, served

MAIN = "a938e49b-94ae-42be-be0c-d5bd67bb9b34"
INCIDENT = "16b0edfb-4296-4dbc-9ce7-803f6663047e"
GROUP = "f1d027a4-1923-4080-842e-482340c31996"
EVERY = {MAIN, INCIDENT, GROUP}


@pytest.fixture
def database(state: Path) -> Iterator[OpenClawDatabase]:
    with openclaw_database(state, recorded=OLDER) as made:
        yield made


async def test_transcripts_are_listed_found_and_followed(database: OpenClawDatabase, state: Path):
    async with served(state) as client:
        listed = await client.request("session/listAll")
        assert {item["id"] for item in listed["sessions"]} == EVERY
        assert "problems" not in listed
        found = await client.request("catalog/search", {"query": '"a long text."'})
        assert [hit["info"]["id"] for hit in found["hits"]] == [INCIDENT]
        for session_id in EVERY:
            params = {"path": database.transcript(session_id), "readOnly": True}
            session = (await client.request("session/open", params))["session"]
            shown = await client.request("session/getEntries", {"session": session})
            lines = database.lines(session_id)[1:]
            assert shown["entries"] == [json.loads(line) for line in lines]
        database.append(said("n1", None, "user", "new"), session_id=MAIN)
        told = await client.notification("session/didChange")
        assert [entry["id"] for entry in told["entries"]] == ["n1"]


async def test_conversations_are_listed(database: OpenClawDatabase, state: Path):
    async with served(state) as client:
        params = {"includeDerivedTitles": True, "includeLastMessage": True}
        listed = await client.request("gateway/list", params)
    assert "problems" not in listed
    for row in listed["sessions"]:
        select = "SELECT entry_json FROM session_nodes WHERE session_key = ?"
        entry = json.loads(database.writer.execute(select, (row["key"],)).get)
        names = ("sessionId", "updatedAt", "model", "totalTokens")
        assert {name: row[name] for name in names} == {name: entry[name] for name in names}
        assert "lastMessagePreview" in row
    assert {row["sessionId"] for row in listed["sessions"]} == EVERY


@pytest.mark.node
async def test_pi_continues_a_copy_after_the_reset(database: OpenClawDatabase, tmp_path: Path):
    """Although the header has version 3, pi does not know the line of the reset."""
    with ModelServer() as model:
        home = Home.make(tmp_path / "home", model.url)
        async with daemon(tmp_path) as client:
            params = {
                "sourcePath": database.transcript(MAIN),
                "targetCwd": str(home.work),
                "sessionDir": str(tmp_path / "out"),
            }
            path = (await client.request("session/forkFrom", params))["sessionFile"]
            params = {"path": database.transcript(MAIN), "format": "jsonl"}
            exported = tmp_path / "exported.jsonl"
            content = (await client.request("catalog/export", params))["content"]
            exported.write_text(content.replace("/home/someone/workspace", str(home.work)))
        for copy in (path, str(exported)):
            assert home.ask("go on", "--session", copy) == "heard: go on"
            asked = [text for role, text in spoken(model.last) if role == "user"]
            assert len(asked) == 2
            assert asked[0].endswith("after the reset")
