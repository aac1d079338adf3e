"""Dry runs, refusals and failures of a beginning write nothing; beginnings at the same time."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from beginnings import (
    CHILD,
    EXPIRED,
    FRESH,
    KEY,
    TALK,
    begin,
    files_of,
    names,
    tree,
)
from support.agents import HEADER, Agents
from support.client import RpcError

from sessiond.gateway import store as store_module
from sessiond.gateway.store import Store
from sessiond.runtime.errors import WriteFailed


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("laid", ["nothing", "store", "corrupt", "parent"])
@pytest.mark.parametrize("body", ["hello", "/new"])
async def test_a_dry_run_writes_nothing(agents: Agents, laid: str, body: str, read_only: bool):
    agents.state.mkdir()
    if laid != "nothing":
        agents.lay({CHILD: FRESH, KEY: {**FRESH, "sessionId": "p"}, "odd": 1})
        agents.transcript("old1.jsonl", HEADER)
    if laid == "corrupt":
        agents.store().write_bytes(b"{")
    if laid == "parent":
        agents.transcript("p.jsonl", HEADER, *TALK)
    before = tree(agents.state)
    context = {"SessionKey": CHILD, "ParentSessionKey": KEY, "Body": body}
    options = {"read_only": read_only}
    found = await begin(agents, context, options, dryRun=True, now=1_770_000_000_000)
    is_new = body == "/new" or laid in {"nothing", "corrupt"}
    assert (found["isNewSession"], found["resetTriggered"]) == (is_new, body == "/new")
    assert found["entry"]["updatedAt"] == 1_770_000_000_000
    assert found["archived"] == []
    assert ("forkedFrom" in found) is (body == "/new" and laid == "parent")
    assert tree(agents.state) == before


async def test_a_dry_run_judges_by_the_time_and_the_zone_given(agents: Agents):
    # 04:00 in Berlin on a day in winter is 03:00 in UTC.
    four = 1_770_260_400_000
    agents.lay({KEY: {"sessionId": "old1", "updatedAt": four - 1}})
    params = {"dryRun": True, "now": four, "timezone": "Europe/Berlin"}
    found = await begin(agents, **params)
    assert found["isNewSession"]
    assert found["freshness"] == {"fresh": False, "dailyResetAt": four}
    assert not (await begin(agents, **{**params, "now": four - 1}))["isNewSession"]
    assert not (await begin(agents, **{**params, "timezone": "UTC"}))["isNewSession"]
    idle = {"session": {"idleMinutes": 1}}
    found = await begin(agents, config=idle, **{**params, "now": four + 59_999})
    assert found["freshness"] == {"fresh": True, "idleExpiresAt": four + 59_999}
    assert found["policy"] == {"mode": "idle", "atHour": 4, "idleMinutes": 1}


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"context": {}, "now": 1}, "/now"),
        ({"context": {}, "now": 0, "dryRun": False}, "/now"),
        ({"context": {}, "now": 0, "dryRun": None}, "/now"),
        ({"context": {}, "now": -1, "dryRun": True}, "/now"),
        ({"context": {}, "now": "1", "dryRun": True}, "/now"),
        ({"context": {}, "timezone": "Nowhere/Land"}, "/timezone"),
        ({"context": {}, "storePath": "/a\0b"}, "/storePath"),
        ({"context": {}, "authorized": 1}, "/authorized"),
        ({"context": {"MessageThreadId": True}}, "/context/MessageThreadId"),
        ({"context": {"MessageThreadId": []}}, "/context/MessageThreadId"),
        ({"context": {"Body": 5}}, "/context/Body"),
        ({"context": []}, "/context"),
        ({"context": None}, "/context"),
        ({}, None),
    ],
)
async def test_params_that_do_not_fit_are_refused(agents: Agents, params: Any, path: str | None):
    agents.state.mkdir()
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/begin", params)
    assert caught.value.code == -32602
    if path is not None:
        assert caught.value.data["pointer"] == path
    assert os.listdir(agents.state) == []


async def test_a_daemon_that_only_reads_refuses(agents: Agents):
    agents.lay({KEY: FRESH})
    before = tree(agents.state)
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"Body": "/new"}, {"read_only": True})
    assert caught.value.kind == "ReadOnly"
    assert tree(agents.state) == before


@pytest.mark.parametrize("where", ["store", "session", "parent"])
@pytest.mark.parametrize("dry", [False, True])
async def test_nothing_outside_the_roots_is_touched(
    agents: Agents, tmp_path: Path, where: str, dry: bool
):
    elsewhere = Agents(tmp_path / "elsewhere")
    path = elsewhere.transcript("o.jsonl", HEADER)
    outside = {**FRESH, "sessionFile": str(path)}
    agents.lay({KEY: outside if where == "parent" else FRESH, CHILD: EXPIRED, "x": outside})
    before = [tree(elsewhere.state), files_of(tree(agents.state))]
    context = {"SessionKey": CHILD if where == "parent" else "x", "ParentSessionKey": KEY}
    more = {"storePath": str(elsewhere.store())} if where == "store" else {}
    with pytest.raises(RpcError) as caught:
        await begin(agents, context, {"roots": [str(agents.state)]}, dryRun=dry, **more)
    assert caught.value.kind == "PathNotAllowed"
    assert [tree(elsewhere.state), files_of(tree(agents.state))] == before


async def test_a_store_that_cannot_be_saved_leaves_no_transcript(
    agents: Agents, monkeypatch: pytest.MonkeyPatch
):
    agents.lay({KEY: EXPIRED})
    before = files_of(tree(agents.state))

    def fails(store: Store, *_: Any) -> None:
        raise WriteFailed(store.path, OSError(28, "No space left on device"))

    monkeypatch.setattr(store_module, "_save", fails)
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"Body": "/new"})
    assert caught.value.kind == "WriteFailed"
    assert files_of(tree(agents.state)) == before


async def test_a_transcript_that_cannot_be_written_leaves_the_store(agents: Agents):
    agents.lay({KEY: EXPIRED})
    before = files_of(tree(agents.state))
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"MessageThreadId": "t" * 300})
    assert caught.value.kind == "WriteFailed"
    assert files_of(tree(agents.state)) == before


@pytest.mark.parametrize("daemons", [1, 2])
async def test_the_second_of_two_concurrent_messages_continues_the_session_of_the_first(
    agents: Agents, daemons: int
):
    async with agents.daemon() as one, agents.daemon() as other:
        clients = [one, other] if daemons == 2 else [one]
        requests = [
            client.request("gateway/begin", {"context": {"Body": "hello"}})
            for client in clients
            for _ in range(4)
        ]
        found = await asyncio.gather(*requests)
    assert len({each["sessionId"] for each in found}) == 1
    assert sorted(each["isNewSession"] for each in found)[-2:] == [False, True]
    assert names(agents.sessions()) == [f"{found[0]['sessionId']}.jsonl"]


async def test_messages_of_many_sessions_at_once_all_have_their_own(agents: Agents):
    async with agents.daemon() as client:
        contexts = [{"SessionKey": f"agent:main:{number}"} for number in range(20)]
        found = await asyncio.gather(
            *(client.request("gateway/begin", {"context": context}) for context in contexts)
        )
    stored = json.loads(agents.store().read_text())
    assert {key: entry["sessionId"] for key, entry in stored.items()} == {
        each["sessionKey"]: each["sessionId"] for each in found
    }
    assert len(names(agents.sessions())) == 20
