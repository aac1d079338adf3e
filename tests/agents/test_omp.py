"""Oh My Pi: pi's lines with a title before the header, which the program rewrites in place.

The lines have the shape that versions 17.2.15 and 18.2.3 write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.agent_trials import (
    WORD,
    cuts,
    damages,
    expect_commands_to_change_nothing,
    expect_every_reading,
    list_of,
)
from support.app import daemon, user
from support.commands import run

TIME = "2026-11-20T10:00:00.000Z"
SESSION = "01a98f20-5d17-7b60-8a09-6c1be0d94f35"
NAME = f"2026-11-20T10-00-00-000Z_{SESSION}"


def slot(title: str, **more: Any) -> str:
    """Return the line of 256 bytes before the header."""
    members = {"type": "title", "v": 1, "title": title, **more, "updatedAt": TIME, "pad": ""}
    line = json.dumps(members, separators=(",", ":"), ensure_ascii=False)
    return line[:-2] + " " * (255 - len(line.encode())) + '"}\n'


def line(kind: str, entry_id: str, parent: str | None, **members: Any) -> str:
    entry = {"type": kind, "id": entry_id, "parentId": parent, "timestamp": TIME, **members}
    return json.dumps(entry, separators=(",", ":")) + "\n"


def header(session: str = SESSION, cwd: str = "/work/toys", **more: Any) -> str:
    members = {"type": "session", "version": 3, "id": session, "timestamp": TIME, "cwd": cwd}
    return json.dumps({**members, **more}, separators=(",", ":")) + "\n"


def used(tokens: int) -> dict[str, Any]:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}
    return {"input": tokens, "output": 2, "cacheRead": 0, "cacheWrite": 0, "cost": cost}


def answer(text: str, tokens: int) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    model = {"provider": "mock", "model": "big", "usage": used(tokens), "stopReason": "stop"}
    return {"role": "assistant", "content": content, **model, "timestamp": 1}


def entries(word: str = "teddy") -> str:
    return (
        line("model_change", "a1", None, model="mock/big", resolvedModelIsFallback=False)
        + line("thinking_level_change", "a2", "a1", thinkingLevel=None, configured=None)
        + line("message", "a3", "a2", message={"role": "user", "content": word, "timestamp": 1})
        + line("message", "a4", "a3", message=answer("Under the sofa.", 10))
        + line(
            "model_usage", "a5", "a4", purpose="title", provider="mock", model="tiny", usage=used(7)
        )
        + line("session_exit", "a6", "a5", customType="session_exit")
    )


FILE = slot("") + header() + entries()


def lay(home: Path, content: str = FILE, name: str = NAME) -> Path:
    file = home / ".omp" / "agent" / "sessions" / "--work-toys--" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


def test_the_slot_is_as_long_as_the_programs():
    assert len(slot("")) == len(slot("A title", source="auto").encode()) == 256


async def listed(home: Path, **params: Any) -> list[dict[str, Any]]:
    return await list_of(home, "omp", **params)


async def test_a_file_with_a_slot_is_a_session(tmp_path: Path):
    file = lay(tmp_path)
    (info,) = await listed(tmp_path)
    assert (info["id"], info["cwd"], info["firstMessage"]) == (SESSION, "/work/toys", "teddy")
    assert "name" not in info
    async with daemon(tmp_path, profile="omp") as client:
        checked = await client.request("catalog/check", {"path": str(file)})
        assert checked["files"][0]["problems"] == []
        rows = (await client.request("catalog/usage", {"by": "model"}))["rows"]
        tokens = {row["key"]: row["sums"]["tokens"]["input"] for row in rows}
        assert tokens == {"mock/big": 10, "mock/tiny": 7}


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        (slot("From the slot", source="auto") + header(title="old"), "", "From the slot"),
        (slot("") + header(title="cleared"), "", None),
        (header(title="Of the header"), "", "Of the header"),
        (
            slot("Old") + header(),
            line("title_change", "b1", "a6", title="Renamed", previousTitle="Old", source="user"),
            "Renamed",
        ),
        (slot("Old") + header(), line("session_info", "b1", "a6", name="By us"), "By us"),
    ],
)
async def test_the_title(tmp_path: Path, before: str, after: str, name: str | None):
    file = lay(tmp_path, before + entries() + after)
    (info,) = await listed(tmp_path)
    assert info.get("name") == name
    async with daemon(tmp_path, profile="omp") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        found = await client.request("session/getSessionName", {"session": state["session"]})
        assert found["name"] == name


async def test_a_title_that_is_rewritten_in_place_is_followed(tmp_path: Path):
    file = lay(tmp_path)
    async with daemon(tmp_path, profile="omp") as client:
        opened = await client.request("session/open", {"path": str(file)})
        await client.request(
            "session/appendMessage", {"session": opened["session"], "message": user("one")}
        )
        with file.open("r+b") as writer:
            writer.write(slot("A new title", source="auto").encode())
        with file.open("a") as writer:
            writer.write(line("title_change", "c1", "a6", title="A new title", source="auto"))
        found = await client.request("session/getSessionName", {"session": opened["session"]})
        assert found["name"] == "A new title"
        await client.request(
            "session/appendMessage", {"session": opened["session"], "message": user("two")}
        )
    written = file.read_text()
    assert written.startswith(slot("A new title", source="auto") + header())
    assert written.splitlines()[-1].count('"two"') == 1
    (info,) = await listed(tmp_path)
    assert (info["name"], info["messageCount"]) == ("A new title", 4)


async def test_the_context_is_the_programs(tmp_path: Path):
    more = (
        line("reset_boundary", "b1", "a6")
        + line("model_change", "b2", "b1", model="mock/small", role="smol")
        + line("model_change", "b3", "b2", model="mock/other/name", role="default")
        + line("message", "b4", "b3", message={"role": "user", "content": "anew", "timestamp": 1})
    )
    file = lay(tmp_path, FILE + more)
    async with daemon(tmp_path, profile="omp") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        context = await client.request("session/buildSessionContext", {"session": state["session"]})
    assert [each["content"] for each in context["messages"]] == ["anew"]
    assert context["model"] == {"provider": "mock", "modelId": "other/name"}


async def test_subagents_lie_below_their_session(tmp_path: Path):
    file = lay(tmp_path)
    below = (
        lay(
            tmp_path,
            slot("") + header("child", parentSession=str(file)) + entries("task"),
            f"{NAME}/Helper",
        )
        if (file.parent / NAME).mkdir() is None
        else file
    )
    assert [each["path"] for each in await listed(tmp_path)] == [str(file)]
    with_subagents = {each["path"]: each for each in await listed(tmp_path, subagents=True)}
    assert with_subagents[str(below)]["parentSessionPath"] == str(file)


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("{home}/code/toys", "-code-toys"),
        ("{home}", "-"),
        ("/tmp/x/y", "-tmp-x-y"),
        ("/work/toys", "--work-toys--"),
    ],
)
async def test_a_new_session_lies_where_the_program_looks(tmp_path: Path, cwd: str, name: str):
    home = Path("/home/someone")
    place = cwd.format(home=home)
    async with daemon(home, profile="omp", agent_dir=str(tmp_path)) as client:
        created = await client.request("session/create", {"cwd": place})
    assert Path(created["sessionFile"]).parent == tmp_path / "sessions" / name


async def test_the_variables_of_the_program(tmp_path: Path):
    config, data = tmp_path / "home", tmp_path / "data"
    cases: list[tuple[dict[str, str], Path]] = [
        ({}, config / ".omp/agent"),
        ({"PI_CONFIG_DIR": ".other"}, config / ".other/agent"),
        ({"OMP_PROFILE": "work"}, config / ".omp/profiles/work/agent"),
        ({"PI_PROFILE": "work", "OMP_PROFILE": ""}, config / ".omp/agent"),
        ({"OMP_PROFILE": "../up"}, config / ".omp/agent"),
        ({"XDG_DATA_HOME": str(tmp_path / "none")}, config / ".omp/agent"),
        ({"XDG_DATA_HOME": str(data)}, data / "omp"),
        ({"PI_CODING_AGENT_DIR": "/elsewhere"}, config / ".omp/agent"),
    ]
    (data / "omp").mkdir(parents=True)
    for env, place in cases:
        async with daemon(config, env=env) as client:
            found = await client.request("initialize", {"profile": "omp"})
            assert found["agentDir"] == str(place)


def _damaged() -> Iterator[bytes]:
    content = FILE.encode()
    yield from cuts(content)
    yield from damages(content)


async def test_no_damage_hides_another_file(tmp_path: Path):
    lay(tmp_path, slot("") + header("healthy") + entries(WORD), "2026-11-20T10-00-00-000Z_healthy")
    place = tmp_path / ".omp"

    def write(number: int, content: bytes) -> Path:
        file = lay(tmp_path, "", f"2026-11-20T10-00-00-000Z_{number}")
        file.write_bytes(content)
        return file

    await expect_every_reading(tmp_path, "omp", place, _damaged(), write)


def test_commands_read_and_change_nothing(tmp_path: Path):
    file = lay(tmp_path)
    expect_commands_to_change_nothing(tmp_path, tmp_path / ".omp", file)
    shown = run(tmp_path, "show", str(file)).stdout
    assert "Under the sofa." in shown
    assert "session_exit" not in shown


async def test_repair_keeps_the_slot(tmp_path: Path):
    file = lay(
        tmp_path, FILE + '{"type":"mess\n' + line("label", "z", "a6", targetId="a3", label="x")
    )
    async with daemon(tmp_path, profile="omp") as client:
        await client.request("catalog/repair", {"path": str(file), "dryRun": False})
    assert file.read_text() == FILE + line("label", "z", "a6", targetId="a3", label="x")
