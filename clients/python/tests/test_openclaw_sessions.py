"""Sessions in OpenClaw's database, which are only read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sessiond_client import InitializeParams, ReadOnly, Sessiond

SQL = Path(__file__).parents[3] / "tests/golden/agents/openclaw-2026.8.1/openclaw-agent.sql"
MAIN = "a938e49b-94ae-42be-be0c-d5bd67bb9b34"


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "state/agents/main/agent/openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.executescript(SQL.read_text())
    yield path, writer
    writer.close()


async def test_a_transcript_is_listed_read_and_followed(database, tmp_path):
    path, writer = database
    settings = InitializeParams(profile="openclaw", agent_dir=str(tmp_path / "state"))
    async with Sessiond(settings=settings) as client:
        infos = {info.id: info async for info in client.sessions()}
        assert len(infos) == 3
        assert infos[MAIN].path == f"{path}/{MAIN}.jsonl"
        session = await client.session_open(infos[MAIN].path)
        state = await session.get_state()
        assert state.read_only
        assert "OpenClaw alone writes" in (state.read_only_reason or "")
        with pytest.raises(ReadOnly):
            await session.append_session_info(name="no")
        count = len([entry async for entry in session.entries()])
        rows = writer.execute(
            "SELECT count(*) FROM transcript_events WHERE session_id = ?", (MAIN,)
        )
        assert count == rows.fetchone()[0] - 1
        entry = {"type": "custom", "id": "n1", "parentId": None, "timestamp": "", "customType": "x"}
        with writer:
            writer.execute(
                "INSERT INTO transcript_events(session_id, seq, event_json, created_at)"
                " VALUES(?, 1000, ?, 1)",
                (MAIN, json.dumps(entry)),
            )
        async for change in session.changes():
            assert [each.id for each in change.entries] == ["n1"]
            break
