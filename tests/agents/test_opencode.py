"""Sessions of opencode, as its own database has them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon, user
from support.client import Client, RpcError
from support.mcp import mcp
from support.opencode_database import CWD, SESSION, TOKENS, Opencode


@pytest.fixture
def opencode(tmp_path: Path) -> Iterator[Opencode]:
    made = Opencode(tmp_path)
    made.session()
    yield made
    made.close()


async def entries(client: Client, path: str) -> list[dict[str, Any]]:
    state = await client.request("session/open", {"path": path, "readOnly": True})
    assert state["diagnostics"] == []
    found = await client.request("session/getBranch", {"session": state["session"]})
    listed: list[dict[str, Any]] = found["entries"]
    return listed


def kinds(found: list[dict[str, Any]]) -> list[str]:
    return [each["message"]["role"] if "message" in each else each["type"] for each in found]


async def test_a_turn_is_read_as_the_messages_it_consists_of(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    async with daemon(tmp_path, profile="opencode") as client:
        found = await entries(client, opencode.session_path())
        assert kinds(found) == ["user", "assistant", "toolResult", "assistant", "session_info"]
        asked, called, looked, told, _ = found
        assert asked["message"]["content"][0]["text"] == "Where is the teddy bear?"
        assert called["message"]["content"] == [
            {"type": "thinking", "thinking": "Look around."},
            {"type": "text", "text": "I look."},
            {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls sofa"}},
        ]
        result = looked["message"]
        assert (result["toolCallId"], result["toolName"]) == ("c1", "bash")
        assert result["isError"] is False
        assert result["content"] == [{"type": "text", "text": "teddy\n"}]
        assert (told["message"]["provider"], told["message"]["model"]) == ("p", "m")


async def test_lists_searches_and_usage_with_money(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    opencode.session("ses_sub", parent_id=SESSION)
    opencode.session("ses_other", directory="/elsewhere", title="Other")
    async with daemon(tmp_path, profile="opencode") as client:
        (info,) = (await client.request("session/list", {"cwd": CWD}))["sessions"]
        assert (info["path"], info["id"]) == (opencode.session_path(), SESSION)
        assert (info["name"], info["messageCount"]) == ("New session", 4)
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert {each["id"] for each in listed} == {SESSION, "ses_other"}
        (hit,) = (await client.request("catalog/search", {"query": "under the SOFA"}))["hits"]
        assert hit["info"]["id"] == SESSION
        sums = (await client.request("catalog/usage", {}))["sums"]
        assert (sums["tokens"]["input"], sums["tokens"]["output"]) == (120, 40)
        assert sums["tokens"]["cacheRead"] == 80
        assert sums["cost"]["total"] == pytest.approx(0.0002)


async def test_an_answer_is_told_when_it_is_complete(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    async with daemon(tmp_path, profile="opencode") as client:
        await client.request("catalog/subscribe", {})
        before = await entries(client, opencode.session_path())
        made = opencode.message("assistant")
        opencode.part(made, "text", text="And a ball.")
        opencode.complete(made)
        told, changed = await client.notifications("session/didChange", "catalog/didChange")
        assert (told["kind"], [each["id"] for each in told["entries"]]) == ("appended", [made])
        while changed["changes"][0]["info"]["messageCount"] != 5:
            changed = await client.notification("catalog/didChange")
        opencode.change(title="Toys")
        told = await client.notification("session/didChange")
        assert told["kind"] == "appended"
        assert told["name"] == "Toys"
        assert (await entries(client, opencode.session_path()))[: len(before) - 1] == before[:-1]


async def test_what_was_turned_back_is_not_shown(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    made = opencode.answer("Never mind.")
    opencode.change(revert=f'{{"messageID":"{made}"}}')
    async with daemon(tmp_path, profile="opencode") as client:
        found = await entries(client, opencode.session_path())
        assert kinds(found) == ["user", "assistant", "toolResult", "assistant", "session_info"]


async def test_a_compaction_a_failure_and_hidden_texts(tmp_path: Path, opencode: Opencode):
    asked = opencode.message("user")
    opencode.part(asked, "text", text="Look at this", synthetic=False)
    opencode.part(asked, "file", mime="image/png", url="data:image/png;base64,iVBO", filename="x")
    opencode.part(asked, "text", text="The file has 3 lines", synthetic=True)
    error = {"name": "APIError", "data": {"message": "overloaded"}}
    opencode.message("assistant", error=error)
    failed = opencode.message("assistant")
    state = {"status": "error", "input": {}, "error": "no such file"}
    opencode.part(failed, "tool", tool="read", callID="c", state=state)
    exited = {"status": "completed", "input": {}, "output": "", "metadata": {"exit": 2}}
    opencode.part(failed, "tool", tool="bash", callID="d", state=exited)
    opencode.complete(failed)
    opencode.part(opencode.message("user"), "compaction", auto=True)
    opencode.answer("We looked at a file.", summary=True, mode="compaction")
    async with daemon(tmp_path, profile="opencode") as client:
        found = await entries(client, opencode.session_path())
        assert kinds(found) == [
            *("user", "assistant", "assistant", "toolResult", "toolResult"),
            *("compaction", "session_info"),
        ]
        assert [each["type"] for each in found[0]["message"]["content"]] == [
            "text",
            "image",
            "text",
        ]
        assert found[1]["message"]["errorMessage"] == "overloaded"
        assert [each["message"]["isError"] for each in found[3:5]] == [True, True]
        assert found[5]["summary"] == "We looked at a file."


async def test_reading_leaves_no_trace(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    opencode.close()
    directory = opencode.path.parent
    before = {each.name: each.stat() for each in directory.iterdir()}
    assert list(before) == ["opencode.db"]
    async with daemon(tmp_path, profile="opencode") as client:
        await entries(client, opencode.session_path())
        await client.request("session/listAll", {})
        after = {each.name: each.stat() for each in directory.iterdir()}
    assert list(after) == ["opencode.db"]
    assert after["opencode.db"].st_mtime_ns == before["opencode.db"].st_mtime_ns


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
async def test_what_is_no_database_is_a_clear_error(tmp_path: Path, content: bytes):
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    async with daemon(tmp_path, profile="opencode") as client:
        answer = await client.request("session/listAll", {})
        assert answer["sessions"] == []
        (problem,) = answer["problems"]
        assert problem["path"] == str(path)
        with pytest.raises(RpcError) as error:
            await client.request("session/open", {"path": f"{path}/x.jsonl", "readOnly": True})
        assert error.value.kind in {"ReadFailed", "Unsupported", "SessionNotFound"}


async def test_a_database_that_vanishes_and_returns(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    opencode.close()
    away = opencode.path.with_name("away")
    async with daemon(tmp_path, profile="opencode") as client:
        found = await entries(client, opencode.session_path())
        opencode.path.rename(away)
        told = await client.notification("session/didChange")
        assert told["kind"] == "deleted"
        away.rename(opencode.path)
        told = await client.notification("session/didChange")
        assert told["kind"] == "restored"
        assert await entries(client, opencode.session_path()) == found


async def test_values_of_any_kind_concern_their_session_alone(tmp_path: Path, opencode: Opencode):
    opencode.turn()
    opencode.session("ses_odd", title=None, time_updated="soon", directory=7, revert="{")
    odd = opencode.message("robot", "ses_odd")
    opencode.part(odd, "text", "ses_odd", text=7)
    async with daemon(tmp_path, profile="opencode") as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert SESSION in {each["id"] for each in listed}
        found = await entries(client, opencode.session_path("ses_odd"))
        assert kinds(found) == ["custom"]


async def test_nothing_is_written_a_copy_goes_on_and_agents_recall_it(
    tmp_path: Path, opencode: Opencode
):
    opencode.turn()
    path = opencode.session_path()
    async with daemon(tmp_path, profile="opencode") as client:
        state = await client.request("session/open", {"path": path})
        assert state["readOnly"]
        params = {"session": state["session"], "message": user("x")}
        with pytest.raises(RpcError, match="opencode alone writes"):
            await client.request("session/appendMessage", params)
        target = {"sourcePath": path, "targetCwd": "/w", "sessionDir": str(tmp_path / "pi")}
        fork = await client.request("session/forkFrom", target)
        made = await client.request(
            "session/appendMessage", {"session": fork["session"], "message": user("go on")}
        )
        assert made["parentId"] is not None
    async with mcp(tmp_path, Path(CWD), profile="opencode") as client:
        (found,) = (await client.call("search_sessions", query="sofa"))["sessions"]
        assert found["session"] == SESSION


async def test_an_answer_without_an_end_hides_nothing_after_it(tmp_path: Path, opencode: Opencode):
    # opencode was killed, and the session went on (anomalyco/opencode #19023).
    for text, ends in (("one", True), ("two", False), ("three", True)):
        asked = opencode.message("user")
        opencode.part(asked, "text", text=f"prompt {text}")
        answer = opencode.message("assistant", providerID="p", modelID="m", tokens=TOKENS)
        opencode.part(answer, "text", text=f"answer {text}")
        if ends:
            opencode.complete(answer)
    # A prompt whose parts are missing, and one that waits for its answer.
    opencode.message("user")
    opencode.part(opencode.message("user"), "text", text="prompt four")
    async with daemon(tmp_path, profile="opencode") as client:
        found = await entries(client, opencode.session_path())
        messages = [each["message"] for each in found if each["type"] == "message"]
        assert [each.get("stopReason") for each in messages] == [
            *(None, "stop", None, "aborted", None, "stop", None)
        ]
        usage = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert usage["output"] == 3 * 20


@pytest.mark.parametrize(("total", "output"), [(120, 20), (115, 15), (None, 15)])
async def test_the_total_says_whether_output_has_the_reasoning(
    tmp_path: Path, opencode: Opencode, total: int | None, output: int
):
    # Until 1.3.2 `output` contains it (anomalyco/opencode #17566).
    opencode.part(opencode.message("user"), "text", text="prompt")
    tokens = {name: count for name, count in TOKENS.items() if name != "total"}
    if total is not None:
        tokens["total"] = total
    answer = opencode.message("assistant", providerID="p", modelID="m", tokens=tokens)
    opencode.part(answer, "text", text="answer")
    opencode.complete(answer)
    async with daemon(tmp_path, profile="opencode") as client:
        assert (await client.request("catalog/usage", {}))["sums"]["tokens"]["output"] == output


def write(path: Path, value: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def lay_files(home: Path, session: str = "ses_old") -> Path:
    """Write a session as opencode 1.1 did: a JSON file for each thing."""
    storage = home / ".local" / "share" / "opencode" / "storage"
    times = {"created": 1_800_000_000_000, "updated": 1_800_000_009_000}
    row = {"id": session, "directory": CWD, "title": "Old", "time": times}
    write(storage / "session" / "global" / f"{session}.json", row)
    prompt = {"id": "msg_1", "role": "user", "time": {"created": times["created"]}}
    answer = {"id": "msg_2", "role": "assistant", "time": {**times, "completed": 1}}
    more = {"providerID": "p", "modelID": "m", "tokens": TOKENS, "cost": 0.5}
    for message, text in ((prompt, "bilby"), (answer | more, "burrow")):
        name = message["id"]
        write(storage / "message" / session / f"{name}.json", message)
        part = {"type": "text", "text": text}
        write(storage / "part" / str(name) / f"prt_{text}.json", part)
    return storage


async def test_sessions_in_files_of_older_versions_are_read_and_followed(tmp_path: Path):
    # 1.18 does not move them into its database (anomalyco/opencode #13654).
    storage = lay_files(tmp_path)
    async with daemon(tmp_path, all_agents=True) as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert (info["id"], info["name"], info["cwd"]) == ("ses_old", "Old", CWD)
        found = await entries(client, info["path"])
        assert kinds(found) == ["user", "assistant", "session_info"]
        assert (await client.request("catalog/usage", {}))["sums"]["cost"]["total"] == 0.5
        state = await client.request("session/open", {"path": info["path"], "readOnly": True})
        asked = {"session": state["session"], "entryId": "msg_2"}
        source = await client.request("session/getSource", asked)
        assert [Path(each["path"]).name for each in source["records"]] == [
            "msg_2.json",
            "prt_burrow.json",
        ]
        third = {"id": "msg_3", "role": "user", "time": {"created": 1_800_000_010_000}}
        write(storage / "message" / "ses_old" / "msg_3.json", third)
        write(storage / "part" / "msg_3" / "prt_3.json", {"type": "text", "text": "more"})
        assert "user" in kinds(await entries(client, info["path"]))[2:]
        with pytest.raises(RpcError, match="opencode alone writes"):
            await client.request("catalog/delete", {"path": info["path"]})


@pytest.mark.parametrize("has_release", [True, False])
async def test_databases_of_other_channels_are_read(tmp_path: Path, has_release: bool):
    own = Opencode(tmp_path)
    own.session()
    own.turn()
    own.close()
    channel = own.path.with_name("opencode-dev.db")
    if has_release:
        shutil.copy(own.path, channel)
    else:
        own.path.rename(channel)
    lay_files(tmp_path)
    async with daemon(tmp_path, all_agents=True) as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        places = {Path(each["path"]).parent.name for each in listed}
        assert places == {"opencode-dev.db", "storage.json", *(["opencode.db"] * has_release)}


async def test_a_database_that_the_environment_names_is_the_one(tmp_path: Path):
    own = Opencode(tmp_path)
    own.session()
    own.turn()
    own.close()
    elsewhere = tmp_path / "elsewhere" / "mine.db"
    elsewhere.parent.mkdir()
    own.path.rename(elsewhere)
    env = {"OPENCODE_DB": str(elsewhere)}
    async with daemon(tmp_path, profile="opencode", env=env) as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["path"] == f"{elsewhere}/{SESSION}.jsonl"


async def test_a_file_whose_session_is_in_the_database_is_superseded(
    tmp_path: Path, opencode: Opencode
):
    opencode.turn()
    lay_files(tmp_path, SESSION)
    storage = tmp_path / ".local" / "share" / "opencode" / "storage"
    async with daemon(tmp_path, profile="opencode") as client:
        # It has messages that the database has not.
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert len(listed) == 2
        shutil.rmtree(storage / "message" / SESSION)
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["path"] == opencode.session_path()
