"""Where stores and transcripts of agents lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import RpcError

from sessiond.gateway.config import Part
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.places import Layout

HOME = {"HOME": "/home/u"}


def layout(template: str | None = None, config: Any = None, **options: Any) -> Layout:
    part = Part.root(config or {})
    return Layout(
        part, KeyRules.of(part), HOME, **{"state_dir": "/s", **options}, template=template
    )


@pytest.mark.parametrize(
    ("template", "agent", "path"),
    [
        (None, "Ops X", "/s/agents/ops-x/sessions/sessions.json"),
        (None, "", "/s/agents/main/sessions/sessions.json"),
        (None, "a/../b", "/s/agents/a-b/sessions/sessions.json"),
        ("/x/{agentId}/{agentId}.json", "ops", "/x/ops/ops.json"),
        ("/x/{agentId}.json", "../../Etc", "/x/etc.json"),
        ("/x/all.json", "ops", "/x/all.json"),
        ("~/s/{agentId}.json", "Ops", "/home/u/s/ops.json"),
        ("~", "ops", "/home/u"),
        ("/x/../y/./s.json", "ops", "/y/s.json"),
        ("/x/{agentid}.json", "ops", "/x/{agentid}.json"),
    ],
)
def test_the_store_of_an_agent(template: str | None, agent: str, path: str):
    assert layout(template).store_path(agent) == path


def test_a_relative_path_is_made_absolute():
    assert layout("s/{agentId}.json").store_path("ops") == f"{Path.cwd()}/s/ops.json"


@pytest.mark.parametrize(
    ("template", "shared"),
    [(None, False), ("/x/{agentId}.json", False), ("/x/s.json", True), ("/x/{agent}.json", True)],
)
def test_one_store_is_that_of_all_agents_if_it_names_none(template: str | None, shared: bool):
    assert layout(template).shared is shared


def test_without_a_gateway_only_named_stores_exist():
    assert layout(state_dir=None).store_path("main") is None
    assert layout("/x.json", state_dir=None).store_path("main") == "/x.json"
    assert layout(state_dir=None).sessions_dir("main") is None
    assert layout("/x/y.json", state_dir=None).own_directory("main", "/x/y.json").path == "/x"
    assert layout(state_dir=None).agents() == ["main"]


def test_transcripts_are_searched_next_to_the_store_then_at_the_agent():
    found = layout("/x/s.json").directories("Ops", "/x/s.json")
    assert [each.path for each in found] == ["/x", "/s/agents/ops/sessions"]
    own = layout().directories("ops", "/s/agents/ops/sessions/sessions.json")
    assert [each.path for each in own] == ["/s/agents/ops/sessions"]


def test_new_transcripts_are_written_to_the_directory_of_the_agent_for_any_store():
    own = layout("/x/s.json").own_directory("Ops", "/x/s.json")
    assert own.default("s1") == "/s/agents/ops/sessions/s1.jsonl"


def test_the_agents_are_those_configured_the_default_one_first(tmp_path: Path):
    listed = {"agents": {"list": [{"id": "Zed"}, {"id": "b", "default": True}, {"id": "a"}, 7, {}]}}
    (tmp_path / "agents/other").mkdir(parents=True)
    assert layout(config=listed, state_dir=str(tmp_path)).agents() == ["b", "a", "zed"]


def test_without_any_configured_the_agents_are_those_with_a_directory(tmp_path: Path):
    for name in ("Ops", "alpha", "main"):
        (tmp_path / "agents" / name).mkdir(parents=True)
    (tmp_path / "agents/file").write_text("")
    assert layout(state_dir=str(tmp_path)).agents() == ["main", "alpha", "ops"]
    assert layout(state_dir=str(tmp_path / "none")).agents() == ["main"]


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({}, None),
        ({"agents": {"defaults": {"workspace": "~/w"}}}, "/home/u/w"),
        (
            {
                "agents": {
                    "defaults": {"workspace": "/d"},
                    "list": [{"id": "Ops", "workspace": "/o"}],
                }
            },
            "/o",
        ),
        (
            {"agents": {"defaults": {"workspace": "/d"}, "list": [{"id": "x", "workspace": "/o"}]}},
            "/d",
        ),
        ({"agents": {"list": [{"id": "ops", "workspace": "/\0"}]}}, None),
    ],
)
def test_the_directory_an_agent_works_in(config: Any, path: str | None):
    assert layout(config=config).workspace("ops") == path


async def path_of(tmp_path: Path, **params: Any) -> str:
    async with daemon(tmp_path, profile="coderclaw", agent_dir=str(tmp_path / "s")) as client:
        found = await client.request("gateway/get", {"sessionKey": "agent:Ops:x", **params})
        return found["storePath"]


@pytest.mark.parametrize("store", ["", None])
async def test_a_configuration_that_names_no_store_means_each_agents_own(
    tmp_path: Path, store: Any
):
    found = await path_of(tmp_path, config={"session": {"store": store}})
    assert found == f"{tmp_path}/s/agents/ops/sessions/sessions.json"


async def test_the_configured_store_is_used_unless_the_request_names_one(tmp_path: Path):
    config = {"session": {"store": "~/{agentId}.json"}}
    assert await path_of(tmp_path, config=config) == f"{tmp_path}/ops.json"
    assert await path_of(tmp_path, config=config, storePath="~/named.json") == (
        f"{tmp_path}/named.json"
    )


async def test_no_path_holds_a_null_character(tmp_path: Path):
    with pytest.raises(RpcError) as raised:
        await path_of(tmp_path, storePath="/a\0b")
    assert raised.value.code == -32602


async def test_the_home_of_the_agent_follows_its_variable(tmp_path: Path):
    home = tmp_path / "elsewhere"
    (home / ".coderclaw").mkdir(parents=True)
    (home / ".coderclaw/coderclaw.json").write_text('{session: {store: "~/{agentId}.json"}}')
    env = {"CODERCLAW_HOME": str(home)}
    async with daemon(tmp_path, profile="coderclaw", env=env) as client:
        found = await client.request("gateway/get", {"sessionKey": "agent:Ops:x"})
    assert found["storePath"] == f"{home}/ops.json"
