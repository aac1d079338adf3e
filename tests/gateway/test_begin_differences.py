"""Beginning with an inbound message where sessiond differs from CoderClaw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from beginnings import (
    FRESH,
    FUTURE,
    KEY,
    TALK,
    begin,
    header,
    names,
    tree,
)
from support.agents import HEADER, Agents, line
from support.app import daemon
from support.client import RpcError


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


async def test_a_path_that_leads_out_on_a_detour_starts_the_session_over(agents: Agents):
    agents.lay({KEY: {**FRESH, "sessionFile": "a/../../x.jsonl"}})
    outside = agents.sessions().parent / "x.jsonl"
    outside.write_bytes(line(HEADER))
    found = await begin(agents)
    (problem,) = found["problems"]
    assert (problem["kind"], problem["sessionKey"]) == ("invalidSessionFile", KEY)
    assert found["isNewSession"]
    assert found["freshness"]["fresh"]
    assert found["previousEntry"]["sessionId"] == "old1"
    assert outside.read_bytes() == line(HEADER)


async def test_a_name_that_begins_with_two_dots_is_a_name(agents: Agents):
    agents.lay({KEY: {**FRESH, "sessionFile": "..x.jsonl"}})
    path = agents.transcript("..x.jsonl", {**HEADER, "id": "old1"})
    found = await begin(agents)
    assert (found["sessionFile"], found["isNewSession"]) == (str(path), False)
    assert agents.stored(KEY)["sessionFile"] == "..x.jsonl"


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"sessionId": ""}, "invalidSessionId"),
        ({"sessionId": "../../../etc/x"}, "invalidSessionId"),
        ({"sessionId": "a/b"}, "invalidSessionId"),
        ({"sessionId": "\0"}, "invalidSessionId"),
        ({"sessionId": None}, "invalidSessionId"),
        ({"sessionId": {"a": 1}, "sessionFile": "x.jsonl"}, "invalidSessionId"),
        ({"sessionId": "x", "sessionFile": "../../x.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "\0"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "\ud800.jsonl"}, "invalidSessionFile"),
        ({"sessionId": "x", "sessionFile": "sessions.json"}, "invalidSessionFile"),
    ],
)
@pytest.mark.parametrize("roots", [False, True])
async def test_an_entry_that_names_no_session_is_reported_and_started_over(
    agents: Agents, members: Any, kind: str, roots: bool
):
    entry = {"updatedAt": FUTURE, "label": "kept", "future": 1, **members}
    agents.lay({KEY: entry})
    options = {"roots": [str(agents.state)]} if roots else {}
    for body in ("hello", "/new"):
        agents.lay({KEY: entry})
        found = await begin(agents, {"Body": body}, options)
        kinds = [problem["kind"] for problem in found.get("problems", [])]
        assert kinds == ([kind] if body == "hello" else [])
        assert found["isNewSession"]
        assert found["previousEntry"] == entry
        assert (found["entry"]["label"], found["entry"]["future"]) == ("kept", 1)
        assert found["sessionFile"] == str(agents.sessions() / f"{found['sessionId']}.jsonl")
    assert names(agents.state.parent) == ["state"]
    assert names(agents.state) == ["agents"]


@pytest.mark.parametrize("odd", ["text", [], [{"sessionId": "x"}], 5, True])
async def test_a_value_that_is_not_an_entry_is_kept_and_the_message_is_refused(
    agents: Agents, odd: Any
):
    agents.lay({KEY: odd, "agent:main:x": FRESH})
    before = agents.store().read_bytes()
    with pytest.raises(RpcError) as caught:
        await begin(agents)
    assert (caught.value.kind, caught.value.data["rule"]) == ("GatewayRejected", "sessionKey")
    assert agents.store().read_bytes() == before
    assert names(agents.sessions()) == []


async def test_values_that_are_not_entries_are_kept_and_reported(agents: Agents):
    odd = {"agent:main:t": "text", "l": [1], "n": None, "constructor": {"sessionId": "c"}}
    agents.lay({**odd, KEY: None})
    found = await begin(agents)
    assert [problem["kind"] for problem in found["problems"]] == ["notAnEntry"] * 4
    assert [problem["sessionKey"] for problem in found["problems"]] == list(odd)
    stored = json.loads(agents.store().read_text())
    assert list(stored) == [*odd, KEY]
    assert {key: stored[key] for key in odd} == odd


@pytest.mark.parametrize("key", ["constructor", "__proto__"])
@pytest.mark.parametrize("dry", [False, True])
async def test_names_of_object_properties_are_refused_as_session_keys(
    agents: Agents, key: str, dry: bool
):
    with pytest.raises(RpcError) as caught:
        await begin(agents, {"SessionKey": key}, dryRun=dry)
    assert (caught.value.kind, caught.value.data["rule"]) == ("GatewayRejected", "sessionKey")
    assert not agents.store().exists()


@pytest.mark.parametrize(
    "key",
    [
        "agent:main:a\0b",
        "agent:main:\ud800",
        "\udfff:\ud800",
        "agent:main:__proto__",
        "agent:constructor:constructor",
        "tostring",
        "agent:main:" + "k" * 1_000_000,
        "agent:main:\u2028\ufeff\x7f",
        'agent:main:"\\/../../x',
        "agent:../../x:y",
        "agent:main:日本😀",
        "7",
        "agent:",
    ],
    ids=lambda key: ascii(key)[:20],
)
async def test_a_key_may_hold_anything(agents: Agents, key: str):
    found = await begin(agents, {"SessionKey": key, "Body": "hello"})
    assert (found["sessionKey"], found["isNewSession"]) == (key, True)
    store = Path(found["storePath"])
    assert store.is_relative_to(agents.state / "agents")
    assert Path(found["sessionFile"]).parent == store.parent
    assert json.loads(store.read_text()) == {key: found["entry"]}
    again = await begin(agents, {"SessionKey": key, "Body": "hello"})
    assert (again["sessionId"], again["isNewSession"]) == (found["sessionId"], False)
    over = await begin(agents, {"SessionKey": key, "Body": "/new"})
    assert len(over["archived"]) == 1


async def test_an_invalid_store_is_copied_and_reported(agents: Agents):
    agents.transcript("sessions.json", b'{"agent:main:main": {"sessionId"')
    garbage = agents.store().read_bytes()
    planned = await begin(agents, dryRun=True)
    assert [problem["kind"] for problem in planned["problems"]] == ["corruptStore"]
    assert agents.store().read_bytes() == garbage
    found = await begin(agents)
    assert {problem["kind"] for problem in found["problems"]} == {"corruptStore"}
    (kept,) = agents.sessions().glob("sessions.json.corrupt.*")
    assert kept.read_bytes() == garbage
    assert str(kept) in {problem.get("path") for problem in found["problems"]}
    assert json.loads(agents.store().read_text()) == {KEY: found["entry"]}


async def test_invalid_values_of_the_configuration_are_reported(agents: Agents):
    agents.configure(session={"reset": {"mode": "weekly", "atHour": 6}})
    found = await begin(agents)
    assert found["policy"] == {"mode": "daily", "atHour": 6}
    assert [problem["path"] for problem in found["configProblems"]] == ["session.reset.mode"]
    inline = await begin(agents, config={})
    assert inline["policy"] == {"mode": "daily", "atHour": 4}
    assert "configProblems" not in inline


async def test_each_agent_has_a_store_and_transcripts_of_its_own(agents: Agents):
    found = await begin(agents, {"SessionKey": "agent:Ops:Main"})
    assert found["storePath"] == str(agents.store("ops"))
    assert Path(found["sessionFile"]).parent == agents.sessions("ops")
    assert list(json.loads(agents.store("ops").read_text())) == ["agent:ops:main"]


async def test_the_default_agent_has_keys_that_name_none(agents: Agents):
    found = await begin(agents, {"SessionKey": "x"}, agentId="Ops")
    assert (found["sessionKey"], found["storePath"]) == ("x", str(agents.store("ops")))


@pytest.mark.parametrize("context", [{}, {"From": "+1"}, {"From": "discord:group:1"}])
async def test_other_methods_find_the_session_that_begin_created(agents: Agents, context: Any):
    agents.configure(agents={"list": [{"id": "ops", "default": True}]})
    async with agents.daemon() as client:
        found = await client.request("gateway/begin", {"context": context})
        resolved = await client.request(
            "gateway/resolveKey",
            {"context": context, "config": {"agents": {"list": [{"id": "ops"}]}}},
        )
        assert found["sessionKey"] == resolved["sessionKey"]
        assert found["storePath"] == str(agents.store("ops"))
        assert resolved["agentId"] == "ops"
        # The derived key says `main`, so a request by the key alone would mean the store of `main`.
        where = {"sessionKey": found["sessionKey"], "storePath": found["storePath"]}
        got = await client.request("gateway/get", where)
        assert (got["entry"], got["storePath"]) == (found["entry"], found["storePath"])


async def test_a_missing_transcript_is_created_again_at_its_path(agents: Agents):
    agents.lay({KEY: {**FRESH, "sessionFile": "sub/t.jsonl"}})
    found = await begin(agents, cwd="/work")
    path = agents.sessions() / "sub" / "t.jsonl"
    assert (found["sessionFile"], found["isNewSession"]) == (str(path), False)
    assert (header(path)["id"], header(path)["cwd"]) == ("old1", "/work")
    assert agents.stored(KEY)["sessionFile"] == "sub/t.jsonl"


async def test_a_transcript_that_is_there_does_not_change(agents: Agents):
    agents.lay({KEY: FRESH})
    path = agents.transcript("old1.jsonl", {**HEADER, "id": "old1"}, *TALK)
    before = tree(path)
    assert (await begin(agents))["sessionFile"] == str(path)
    assert tree(path) == before


async def test_a_new_transcript_is_of_the_agents_workspace(agents: Agents):
    config = {
        "agents": {
            "defaults": {"workspace": "~/all"},
            "list": [{"id": "main"}, {"id": "Ops", "workspace": "/of/ops"}],
        }
    }
    agents.configure(**config)
    found = await begin(agents)
    assert header(found["sessionFile"])["cwd"] == str(agents.state.parent / "all")
    found = await begin(agents, {"SessionKey": "agent:ops:x"})
    assert header(found["sessionFile"])["cwd"] == "/of/ops"
    found = await begin(agents, {"SessionKey": "agent:ops:y"}, cwd="/given")
    assert header(found["sessionFile"])["cwd"] == "/given"


async def test_a_profile_without_a_gateway_needs_a_store_path(tmp_path: Path):
    store = tmp_path / "s" / "sessions.json"
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/begin", {"context": {}})
        assert "storePath" in caught.value.data["instead"]
        params = {"context": {}, "storePath": str(store)}
        found = await client.request("gateway/begin", params)
    assert Path(found["sessionFile"]).parent == store.parent
    assert json.loads(store.read_text()) == {KEY: found["entry"]}
