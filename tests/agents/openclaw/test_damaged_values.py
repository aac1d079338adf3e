"""A value of another type in a database is the fault of its row; the others are still read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.client import RpcError
from support.openclaw import GROUP, INCIDENT, MAIN, OpenClawDatabase, openclaw_database, served


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("seq", "x"),
        ("created_at", None),
        ("created_at", "x"),
        ("created_at", 2**63 - 1),
        ("created_at", b"\xff"),
        ("event_json", None),
        ("event_utf8_bytes", float("inf")),
        ("event_utf8_bytes", -(10**9)),
        ("event_zstd", "x"),
    ],
)
async def test_a_damaged_transcript_hides_no_other(
    state: Path, database: OpenClawDatabase, column: str, value: Any
):
    database.loosen()
    packed = ", event_json = NULL, event_utf8_bytes = 5" if column == "event_zstd" else ""
    nothing = ", event_json = NULL" if column == "event_utf8_bytes" else ""
    with database.writer:
        database.writer.execute(
            f"UPDATE transcript_events SET {column} = ?{packed}{nothing} WHERE session_id = ?",
            (value, MAIN),
        )
    async with served(state) as client:
        listed = await client.request("session/listAll")
        assert {info["id"] for info in listed["sessions"]} == {INCIDENT, GROUP}
        problems = [(one["path"], one["kind"]) for one in listed["problems"]]
        assert problems == [(database.transcript(), "unreadable")]
        with pytest.raises(RpcError) as raised:
            await client.request("session/open", {"path": database.transcript(), "readOnly": True})
        assert raised.value.kind == "ReadFailed"
        found = await client.request("catalog/search", {"query": "text"})
        assert found["hits"]


@pytest.mark.parametrize("column", ["archive_name", "archived_at"])
async def test_a_damaged_archive_hides_no_transcript(
    state: Path, database: OpenClawDatabase, column: str
):
    database.archive()
    database.loosen()
    with database.writer:
        database.writer.execute(f"UPDATE session_transcript_cold_archives SET {column} = x'ff'")
    async with served(state) as client:
        listed = await client.request("session/listAll")
        assert {info["id"] for info in listed["sessions"]} == {MAIN, INCIDENT}
        assert [one["path"] for one in listed["problems"]] == [database.transcript(GROUP)]
        with pytest.raises(RpcError) as raised:
            await client.request(
                "session/open", {"path": database.transcript(GROUP), "readOnly": True}
            )
        assert raised.value.kind == "Unsupported"


@pytest.mark.parametrize("value", [None, 5, b"\xff"])
async def test_a_damaged_entry_hides_no_other(state: Path, database: OpenClawDatabase, value: Any):
    database.loosen()
    key = "agent:main:incident-42"
    with database.writer:
        database.writer.execute(
            "UPDATE session_nodes SET entry_json = ? WHERE session_key = ?", (value, key)
        )
    async with served(state) as client:
        listed = await client.request("gateway/list", {"agentId": "main"})
        assert "agent:main:main" in {one["key"] for one in listed["sessions"]}
        assert [one["sessionKey"] for one in listed["problems"]] == [key]


async def test_a_key_that_is_not_utf_8_hides_no_other(state: Path, database: OpenClawDatabase):
    database.loosen()
    with database.writer:
        database.writer.execute(
            "UPDATE session_nodes SET session_key = CAST(x'61ff62' AS TEXT)"
            " WHERE session_key = 'agent:main:incident-42'"
        )
    async with served(state) as client:
        listed = await client.request("gateway/list", {"agentId": "main"})
        keys = {one["key"] for one in listed["sessions"]}
        assert {"agent:main:main", "agent:main:a\ufffdb"} <= keys


async def test_a_transcript_with_an_impossible_time_keeps_no_other_from_the_index(
    state: Path, database: OpenClawDatabase
):
    database.loosen()
    with database.writer:
        database.writer.execute(
            "UPDATE transcript_events SET created_at = ? WHERE session_id = ?", (2**62, MAIN)
        )
    async with served(state) as client:
        found = await client.request("catalog/search", {"query": "long"})
        assert {hit["info"]["id"] for hit in found["hits"]} == {INCIDENT}


async def test_an_id_that_is_not_utf_8_is_the_fault_of_its_database(
    state: Path, database: OpenClawDatabase
):
    database.loosen()
    with database.writer:
        database.writer.execute(
            "UPDATE transcript_events SET session_id = CAST(x'61ff62' AS TEXT) WHERE session_id = ?",
            (MAIN,),
        )
    with openclaw_database(state, "ops"):
        async with served(state) as client:
            listed = await client.request("session/listAll")
    assert {info["id"] for info in listed["sessions"]} == {MAIN, INCIDENT, GROUP}
    problems = [(one["path"], one["kind"]) for one in listed["problems"]]
    assert problems == [(str(database.path), "unreadable")]
