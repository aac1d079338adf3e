"""Where each agent keeps its sessions."""

import re
from pathlib import Path

import pytest
from support.app import daemon, user
from support.client import RpcError

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.directories import directories
from sessiond.agents.pi.agent import encode_cwd
from sessiond.agents.registry import AGENTS

PI_FAMILY = ["pi", "clanker", "indusagi", "companion"]
GATEWAYS = ["coderclaw", "openclaw"]


@pytest.mark.parametrize("name", PI_FAMILY)
def test_the_pi_family_derives_its_variables_from_its_name(name: str):
    profile = AGENTS[name]
    home = {"HOME": "/home/u"}
    assert directories(profile, home).sessions_dir == f"/home/u/.{name}/agent/sessions"
    moved = {**home, f"{name.upper()}_CODING_AGENT_DIR": "~/elsewhere"}
    assert directories(profile, moved).agent_dir == "/home/u/elsewhere"
    flat = {**home, f"{name.upper()}_CODING_AGENT_SESSION_DIR": "/flat"}
    assert directories(profile, flat).default_dir("/w") == "/flat"


@pytest.mark.parametrize("name", GATEWAYS)
def test_gateways_resolve_their_state_directory(name: str, tmp_path: Path):
    profile = AGENTS[name]
    prefix = name.upper()
    home = {"HOME": str(tmp_path)}

    def state(**env: str) -> str:
        return directories(profile, {**home, **env}).agent_dir

    assert state() == f"{tmp_path}/.{name}"
    assert state(**{f"{prefix}_STATE_DIR": " ~/s "}) == f"{tmp_path}/s"
    assert state(**{f"{prefix}_PROFILE": "work"}) == f"{tmp_path}/.{name}-work"
    assert state(**{f"{prefix}_PROFILE": "default"}) == f"{tmp_path}/.{name}"
    assert state(**{f"{prefix}_HOME": "/h"}) == f"/h/.{name}"
    (tmp_path / f".{name}" / "0123abcd" / "agents").mkdir(parents=True)
    (tmp_path / f".{name}" / "not-an-id" / "agents").mkdir(parents=True)
    assert state() == f"{tmp_path}/.{name}/0123abcd"
    (tmp_path / f".{name}" / "89abcdef" / "agents").mkdir(parents=True)
    assert state() == f"{tmp_path}/.{name}"
    (tmp_path / f".{name}" / "agents").mkdir()
    assert state() == f"{tmp_path}/.{name}"


# The table of coderclaw's component normalisation.
@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("Main", "main"),
        ("  Ops  ", "ops"),
        ("my agent", "my-agent"),
        ("--x--", "x"),
        ("a_b", "a_b"),
        ("x" * 70, "x" * 64),
        ("a.b", "a-b"),
        ("日本", "main"),
        ("é", "main"),
        ("", "main"),
        ("-abc", "abc"),
        ("_x", "_x"),
        ("a/../b", "a-b"),
        ("A B!!C", "a-b-c"),
        ("\u017f", "main"),
        ("\ufeffops\u00a0", "ops"),
    ],
)
def test_agent_ids_are_spelled_as_coderclaw_spells_them(given: str, normal: str):
    assert normal_agent_id(given) == normal


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/tmp/a b/c:d", "--tmp-a b-c-d--"),
        ("/a-b", "--a-b--"),
        ("/a/b", "--a-b--"),
        ("/", "----"),
        ("C:\\x", "--C--x--"),
    ],
)
def test_directory_names_are_encoded_as_pi_does(cwd: str, name: str):
    assert encode_cwd(cwd) == name


@pytest.mark.parametrize("name", PI_FAMILY)
async def test_sessions_of_the_pi_family_are_grouped_by_working_directory(
    tmp_path: Path, name: str
):
    async with daemon(tmp_path, profile=name) as client:
        state = await client.request("session/create", {"cwd": "/w/x"})
        message = {"session": state["session"], "message": user("hello")}
        await client.request("session/appendMessage", message)
        listed = await client.request("session/list", {"cwd": "/w/x"})
        default = await client.request(
            "session/usesDefaultSessionDir", {"session": state["session"]}
        )
    file = Path(state["sessionFile"])
    assert file.parent == tmp_path / f".{name}/agent/sessions/--w-x--"
    assert file.name.endswith(f"_{state['sessionId']}.jsonl")
    assert [each["path"] for each in listed["sessions"]] == [str(file)]
    assert default == {"default": True}
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize("name", GATEWAYS)
async def test_a_session_of_a_gateway_is_named_by_its_id(tmp_path: Path, name: str):
    async with daemon(tmp_path, profile=name, agent_id="My Ops") as client:
        state = await client.request("session/create", {"cwd": "/w", "id": "abc"})
        message = {"session": state["session"], "message": user("hello")}
        await client.request("session/appendMessage", message)
        mine = await client.request("session/list", {"cwd": "/w"})
        others = await client.request("session/list", {"cwd": "/other"})
        everything = await client.request("session/listAll")
    expected = str(tmp_path / f".{name}/agents/my-ops/sessions/abc.jsonl")
    assert state["sessionFile"] == expected
    assert [each["path"] for each in mine["sessions"]] == [expected]
    assert others["sessions"] == []
    assert [each["path"] for each in everything["sessions"]] == [expected]


async def test_initialize_chooses_profile_and_agent(tmp_path: Path):
    async with daemon(tmp_path, agent_dir="/of/pi") as client:
        result = await client.request("initialize", {"profile": "openclaw", "agentId": "Ops"})
    assert result["agentDir"] == str(tmp_path / ".openclaw")
    assert result["sessionsDir"] == str(tmp_path / ".openclaw/agents/ops/sessions")


async def test_invalid_files_are_named_after_the_agent(tmp_path: Path):
    file = tmp_path / "x.jsonl"
    file.write_text("hello\n[]\n")
    async with daemon(tmp_path, profile="clanker") as client:
        with pytest.raises(RpcError) as raised:
            await client.request("session/open", {"path": str(file)})
    assert raised.value.message == f"Session file is not a valid clanker session: {file}"
    assert (raised.value.kind, raised.value.data["line"]) == ("InvalidSessionFile", 2)
    assert file.read_text() == "hello\n[]\n"


def test_the_docs_list_every_agent_with_its_directory():
    text = (Path(__file__).parent.parent / "docs" / "files.md").read_text()
    table = text.partition("| profile |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1:3] for row in table.splitlines()[2:]]
    listed = {
        name: (place.replace("<name>", name), place.replace("<NAME>", name.upper()))
        for names, place in rows
        for name in re.findall("`([a-z-]+)`", names)
    }
    assert list(listed) == list(AGENTS)
    for name, (directory, variable) in listed.items():
        agent = AGENTS[name]
        assert (
            f"`{agent.agent_dir({'HOME': '~'}).removeprefix(str(Path.cwd()) + '/')}`" in directory
        )
        assert f"`{agent.agent_dir_variable}`" in variable


async def test_an_agent_directory_may_be_one_of_sessions(tmp_path: Path):
    header = (
        '{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T00:00:00Z","cwd":"%s"}'
    )
    for name, cwd in (("one", "/w"), ("two", "/elsewhere")):
        (tmp_path / f"{name}.jsonl").write_text(header % (name, cwd) + "\n")
    async with daemon(tmp_path / "home", agent_dir=str(tmp_path)) as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert {info["id"] for info in listed} == {"one", "two"}
        (info,) = (await client.request("session/list", {"cwd": "/w"}))["sessions"]
        assert info["id"] == "one"
