"""Lists, searches and reports show the sessions of all agents of a gateway."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.client import Client, RpcError
from support.openclaw import (
    GROUP,
    INCIDENT,
    MAIN,
    OpenClawDatabase,
    openclaw_database,
    said,
    served,
)

CWD = "/home/someone/workspace"
OPS_CWD = "/home/someone/workspace-ops"
OF_MAIN = {MAIN, INCIDENT, GROUP}


def header(session_id: str, cwd: str = OPS_CWD) -> dict[str, Any]:
    return {"type": "session", "version": 4, "id": session_id, "timestamp": "", "cwd": cwd}


@pytest.fixture
def ops(state: Path) -> Iterator[OpenClawDatabase]:
    """The database of a second agent with one session."""
    with openclaw_database(state, "ops") as made:
        made.writer.execute("DELETE FROM transcript_events")
        answer = said("o2", "o1", "assistant", "deployed")
        answer["message"]["usage"] = {"input": 1, "output": 1, "totalTokens": 2}
        question = said("o1", None, "user", "deploy the shop")
        made.add_session("of-ops", header("of-ops"), question, answer)
        yield made


def write_file(state: Path, agent: str, session_id: str) -> Path:
    """A session in a file, as CoderClaw and older versions of OpenClaw keep it."""
    path = state / "agents" / agent / "sessions" / f"{session_id}.jsonl"
    path.parent.mkdir(parents=True)
    lines = [header(session_id), said("f1", None, "user", "deploy from a file")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


async def listed(client: Client, method: str = "session/listAll", **params: Any) -> set[str]:
    answer = await client.request(method, params)
    assert "problems" not in answer
    return {item["id"] for item in answer["sessions"]}


@pytest.mark.usefixtures("database", "ops")
async def test_lists_show_databases_and_files_of_all_agents(state: Path):
    write_file(state, "third", "in-file")
    async with served(state) as client:
        assert await listed(client) == {*OF_MAIN, "of-ops", "in-file"}
        assert await listed(client, "session/list", cwd=OPS_CWD) == {"of-ops", "in-file"}
        assert await listed(client, "session/list", cwd=CWD) == OF_MAIN


@pytest.mark.usefixtures("database")
async def test_a_session_of_any_agent_is_found_by_its_id(state: Path, ops: OpenClawDatabase):
    file = write_file(state, "third", "in-file")
    async with served(state) as client:
        for session_id, path in (("of-ops", ops.transcript("of-ops")), ("in-file", str(file))):
            params = {"id": session_id, "cwd": OPS_CWD}
            assert (await client.request("session/findById", params))["path"] == path


@pytest.mark.usefixtures("database", "ops")
async def test_a_chosen_agent_is_shown_alone(state: Path):
    async with served(state, agent_id="ops") as client:
        assert await listed(client) == {"of-ops"}
    async with served(state, agent_id="main") as client:
        assert await listed(client) == OF_MAIN
        assert await listed(client, "session/list", cwd=OPS_CWD) == set()


@pytest.mark.usefixtures("database")
async def test_search_usage_and_check_cover_all_agents(state: Path, ops: OpenClawDatabase):
    file = write_file(state, "third", "in-file")
    async with served(state) as client:
        found = await client.request("catalog/search", {"query": "deploy"})
        assert {hit["info"]["id"] for hit in found["hits"]} == {"of-ops", "in-file"}
        used = await client.request("catalog/usage", {})
        assert used["sessionCount"] == len(OF_MAIN) + 1
        checked = await client.request("catalog/check", {})
        assert {ops.transcript("of-ops"), str(file)} < {each["path"] for each in checked["files"]}
        checked = await client.request("catalog/check", {"cwd": OPS_CWD})
        assert [each["path"] for each in checked["files"]] == [
            ops.transcript("of-ops"),
            str(file),
        ]


@pytest.mark.usefixtures("database")
async def test_a_subscription_tells_of_agents_that_are_added(state: Path):
    async with served(state) as client:
        known = await client.request("catalog/subscribe", {})
        assert {item["id"] for item in known["sessions"]} == OF_MAIN
        with openclaw_database(state, "later") as later:
            later.add_session("new", header("new"), said("n1", None, "user", "the first"))
            told: set[str] = set()
            while later.transcript("new") not in told:
                message = await client.notification("catalog/didChange")
                told |= {change["path"] for change in message["changes"]}
            later.append(said("n2", "n1", "user", "the second"), session_id="new")
            counts: list[int] = [0]
            while counts[-1] < 2:
                message = await client.notification("catalog/didChange")
                counts += [
                    change["info"]["messageCount"]
                    for change in message["changes"]
                    if change["path"] == later.transcript("new")
                ]
            assert await listed(client) >= {"new", *OF_MAIN}


@pytest.mark.usefixtures("database")
async def test_changes_of_known_agents_show_in_the_next_list(state: Path, ops: OpenClawDatabase):
    async with served(state) as client:
        await listed(client)
        ops.add_session("second", header("second"))
        assert "second" in await listed(client)
        write_file(state, "third", "in-file")
        assert await listed(client) == {*OF_MAIN, "of-ops", "second", "in-file"}


@pytest.mark.usefixtures("database")
async def test_one_damaged_database_hides_no_other_agent(state: Path, ops: OpenClawDatabase):
    ops.writer.close()
    ops.path.write_bytes(b"SQLite format 3\0 damaged")
    async with served(state) as client:
        answer = await client.request("session/listAll")
        assert {item["id"] for item in answer["sessions"]} == OF_MAIN
        assert [problem["path"] for problem in answer["problems"]] == [str(ops.path)]


@pytest.mark.usefixtures("database", "ops")
async def test_roots_with_one_agent_show_that_agent(state: Path):
    """`agents` is outside the roots, so lists show the agent of the connection alone."""
    agent = state / "agents" / "ops"
    async with served(state, roots=[str(agent)], agent_id="ops") as client:
        assert await listed(client) == {"of-ops"}
    async with served(state, roots=[str(agent)]) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("session/listAll")
        assert caught.value.kind == "PathNotAllowed"
