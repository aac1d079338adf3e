"""Sessions of Codex, as its own files have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from support.app import daemon, user
from support.client import Client, RpcError
from support.codex_lines import CWD, FORK, THREAD, Rollout, lay
from support.mcp import mcp

from sessiond.agents import zstd
from sessiond.agents.codex.lines import CodexTranslator
from sessiond.runtime.errors import SessionNotFound

TURN = Rollout().meta().turn()


def nothing(thread_id: str, _end: int) -> list[bytes]:
    raise SessionNotFound(thread_id)


def nowhere(_thread_id: str) -> None:
    """No thread is found."""


def translated(text: str) -> list[dict[str, Any]]:
    made = CodexTranslator(THREAD, nothing, nowhere)
    return [json.loads(each) for one in text.encode().split(b"\n") for each in made.translate(one)]


def kinds(entries: list[dict[str, Any]]) -> list[str]:
    """Return the role of each message, and the type of each other entry."""
    return [each["message"]["role"] if "message" in each else each["type"] for each in entries]


async def opened(client: Client, file: Path) -> str:
    state = await client.request("session/open", {"path": str(file), "readOnly": True})
    assert (state["cwd"], state["diagnostics"]) == (CWD, [])
    handle: str = state["session"]
    return handle


async def test_a_turn_is_read_as_the_messages_it_consists_of(tmp_path: Path):
    file = lay(tmp_path, TURN.text)
    async with daemon(tmp_path, profile="codex") as client:
        handle = await opened(client, file)
        context = await client.request("session/buildSessionContext", {"session": handle})
        roles = [each["role"] for each in context["messages"]]
        assert roles == ["custom", "user", "assistant", "assistant", "toolResult", "assistant"]
        _, asked, thought, called, looked, told = context["messages"]
        assert asked["content"] == [{"type": "text", "text": "Where is the teddy bear?"}]
        assert thought["content"] == [{"type": "thinking", "thinking": "Look around."}]
        (call,) = called["content"]
        assert call == {
            "type": "toolCall",
            "id": "c1",
            "name": "exec_command",
            "arguments": {"cmd": "ls sofa"},
        }
        assert (looked["toolName"], looked["toolCallId"]) == ("exec_command", "c1")
        assert looked["content"] == [{"type": "text", "text": "teddy"}]
        assert told["content"] == [{"type": "text", "text": "Under the sofa."}]
        assert (told["provider"], told["model"]) == ("openai", "gpt-9")


async def test_lists_searches_and_usage(tmp_path: Path):
    file = lay(tmp_path, TURN.text)
    lay(tmp_path, Rollout().meta(FORK, cwd="/elsewhere").prompt("Other").text, FORK)
    async with daemon(tmp_path, profile="codex") as client:
        (info,) = (await client.request("session/list", {"cwd": CWD}))["sessions"]
        assert (info["path"], info["id"], info["cwd"]) == (str(file), THREAD, CWD)
        assert info["firstMessage"] == "Where is the teddy bear?"
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert {each["id"] for each in listed} == {THREAD, FORK}
        (hit,) = (await client.request("catalog/search", {"query": "under the SOFA"}))["hits"]
        assert hit["info"]["id"] == THREAD
        # What came from the provider's cache is a part of Codex' input, and not of ours.
        tokens = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert (tokens["input"], tokens["output"], tokens["cacheRead"]) == (120, 40, 80)


async def test_what_codex_appends_and_begins_is_told(tmp_path: Path):
    file = lay(tmp_path, TURN.text)
    async with daemon(tmp_path, profile="codex") as client:
        await client.request("catalog/subscribe", {})
        handle = await opened(client, file)
        with file.open("a") as out:
            out.write(Rollout(20).event("task_started").prompt("Thank you.").text)
        told, changed = await client.notifications("session/didChange", "catalog/didChange")
        assert (told["session"], told["kind"], len(told["entries"])) == (handle, "appended", 1)
        assert changed["changes"][0]["path"] == str(file)
        made = lay(tmp_path, Rollout().meta(FORK).prompt("New").text, FORK, "sessions/2026/03/05")
        changed = await client.notification("catalog/didChange")
        assert [(each["kind"], each["path"]) for each in changed["changes"]] == [
            ("added", str(made))
        ]


@pytest.mark.parametrize("below", ["sessions/2025/12/31", "archived_sessions"])
async def test_a_fork_begins_with_the_lines_of_its_base(tmp_path: Path, below: str):
    lay(tmp_path, TURN.text + Rollout(15).prompt("Not in the fork").text, THREAD, below)
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 15}
    text = Rollout(15).meta(FORK, history_base=base).prompt("On the fork").tokens().text
    file = lay(tmp_path, text, FORK)
    async with daemon(tmp_path, profile="codex") as client:
        handle = await opened(client, file)
        entries = await client.request("session/getEntries", {"session": handle})
        assert kinds(entries["entries"]) == [*kinds(translated(TURN.text)[1:]), "user", "usage"]
        assert (await client.request("session/getBranch", {"session": handle}))[
            "entries"
        ] == entries["entries"]
        # The entries of the base count once: three requests in both sessions together.
        tokens = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        assert tokens["output"] == 60


@pytest.mark.parametrize("base", [THREAD, FORK])
async def test_a_fork_without_its_base_says_so(tmp_path: Path, base: str):
    history = {"thread_id": base, "end_ordinal_exclusive": 9}
    file = lay(tmp_path, Rollout(9).meta(FORK, history_base=history).prompt("Hello").text, FORK)
    async with daemon(tmp_path, profile="codex") as client:
        handle = await opened(client, file)
        entries = await client.request("session/getEntries", {"session": handle})
        assert kinds(entries["entries"]) == ["custom", "user"]
        assert entries["entries"][0]["customType"] == "codex/history_base"
        assert entries["entries"][0]["data"]["thread_id"] == base


async def test_a_name_comes_from_the_index_and_from_events(tmp_path: Path):
    file = lay(tmp_path, TURN.text)
    index = [{"id": THREAD, "thread_name": "Toys"}, {"id": THREAD, "thread_name": "Bears"}]
    (tmp_path / ".codex" / "session_index.jsonl").write_text(
        "".join(json.dumps(each) + "\n" for each in index)
    )
    async with daemon(tmp_path, profile="codex") as client:
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["name"] == "Bears"
        with file.open("a") as out:
            out.write(Rollout(20).event("thread_name_updated", thread_name="Found").text)
        (info,) = (await client.request("session/listAll", {}))["sessions"]
        assert info["name"] == "Found"


def packed(text: str) -> bytes:
    return zstandard.ZstdCompressor().compress(text.encode())


async def test_a_thread_is_followed_into_the_archive_and_back(tmp_path: Path):
    file = lay(tmp_path, TURN.text)
    archived = tmp_path / ".codex" / "archived_sessions" / file.name
    archived.parent.mkdir()
    async with daemon(tmp_path, profile="codex") as client:
        await client.request("catalog/subscribe", {})
        for source, target in ((file, archived), (archived, file)):
            source.rename(target)
            changed = await client.notification("catalog/didChange")
            told = {(each["kind"], each["path"]) for each in changed["changes"]}
            assert told == {("removed", str(source)), ("added", str(target))}
            (info,) = (await client.request("session/listAll", {}))["sessions"]
            assert info["path"] == str(target)
        file.rename(archived)
        assert (await client.request("catalog/usage", {}))["sums"]["tokens"]["output"] == 40


async def test_a_compressed_thread_is_read_and_the_plain_one_counts(tmp_path: Path):
    plain = lay(tmp_path, TURN.text)
    small = plain.with_name(f"{plain.name}.zst")
    half = len(TURN.text) // 2
    # Several frames are one text.
    small.write_bytes(packed(TURN.text[:half]) + packed(TURN.text[half:]))
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 15}
    lay(tmp_path, Rollout(15).meta(FORK, history_base=base).prompt("On the fork").text, FORK)
    async with daemon(tmp_path, profile="codex") as client:
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert str(plain) in {info["path"] for info in listed}
        assert len(listed) == 2
        before = (await client.request("catalog/usage", {}))["sums"]["tokens"]
        plain.unlink()
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert str(small) in {info["path"] for info in listed}
        assert len(listed) == 2
        assert (await client.request("catalog/usage", {}))["sums"]["tokens"] == before
        handle = {"session": await opened(client, small)}
        entries = (await client.request("session/getEntries", handle))["entries"]
        assert kinds(entries) == kinds(translated(TURN.text)[1:])
        asked = {**handle, "entryId": entries[-1]["id"]}
        (record,) = (await client.request("session/getSource", asked))["records"]
        assert "byteOffset" not in record
        assert record["text"] == TURN.text.splitlines()[record["line"] - 1]
        (hit,) = (await client.request("catalog/search", {"query": "on the fork"}))["hits"]
        assert hit["info"]["id"] == FORK


@pytest.mark.parametrize("content", [b"", b"no zstd", packed(TURN.text)[:-20], packed("x\n")])
async def test_a_damaged_archive_concerns_itself_alone(tmp_path: Path, content: bytes):
    lay(tmp_path, TURN.text)
    file = lay(tmp_path, "", FORK)
    file.rename(file.with_name(f"{file.name}.zst"))
    file.with_name(f"{file.name}.zst").write_bytes(content)
    async with daemon(tmp_path, profile="codex") as client:
        answer = await client.request("session/listAll", {})
        assert [info["id"] for info in answer["sessions"]] == [THREAD]
        with pytest.raises(RpcError) as error:
            await client.request("session/open", {"path": f"{file}.zst", "readOnly": True})
        assert error.value.kind in {"ReadFailed", "InvalidSessionFile"}


async def test_what_is_too_large_when_unpacked_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(zstd, "MOST_FILE_BYTES", len(TURN.text) - 1)
    file = lay(tmp_path, "")
    small = file.with_name(f"{file.name}.zst")
    small.write_bytes(packed(TURN.text))
    file.unlink()
    async with daemon(tmp_path, profile="codex") as client:
        with pytest.raises(RpcError, match="too large when unpacked"):
            await client.request("session/open", {"path": str(small), "readOnly": True})


async def test_a_file_that_would_be_immense_hides_no_other(tmp_path: Path):
    plain = lay(tmp_path, TURN.text)
    file = lay(tmp_path, "", FORK)
    immense = file.with_name(f"{file.name}.zst")
    # 64 MB in less than 7 kB.
    immense.write_bytes(packed(TURN.text + TURN.text.splitlines()[-1].ljust(999) * 64_000))
    file.unlink()
    async with daemon(tmp_path, profile="codex") as client:
        answer = await client.request("catalog/search", {"query": ""})
        assert [hit["info"]["path"] for hit in answer["hits"]] == [str(plain)]
        (problem,) = answer["problems"]
        assert problem["path"] == str(immense)
        assert "too large when unpacked" in problem["message"]


def test_a_roll_back_leaves_the_last_turns():
    text = (
        Rollout().meta().prompt("one").said("1").prompt("two").said("2").prompt("three").said("3")
    )
    entries = translated(text.event("thread_rolled_back", num_turns=2).prompt("again").text)
    by_id = {each["id"]: each for each in entries[1:]}
    branch, at = [], entries[-1]
    while at is not None:
        branch.insert(0, at)
        at = by_id.get(at["parentId"])
    said = [each["message"]["content"][0]["text"] for each in branch if "message" in each]
    assert said == ["one", "1", "again"]


def test_a_compaction_replaces_what_was_before():
    entries = translated(TURN.text + Rollout(20).line("compacted", {"message": "A bear."}).text)
    assert (entries[-1]["type"], entries[-1]["summary"]) == ("compaction", "A bear.")
    assert entries[-1]["firstKeptEntryId"] == entries[-1]["id"]


def test_tokens_of_older_versions_are_the_steps_of_a_sum():
    def count(total: int) -> dict[str, Any]:
        last = {"input_tokens": 10, "output_tokens": 5}
        return {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}

    text = Rollout().meta()
    for total in (15, 15, 30):
        text = text.event("token_count", info=count(total))
    found = [each["usage"]["totalTokens"] for each in translated(text.text)[1:]]
    assert found == [15, 15]


ADDED = "<environment_context>x</environment_context>"


def test_lines_without_an_envelope_are_read():
    lines = [
        {"id": THREAD, "timestamp": "2025-05-01T00:00:00.000Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ADDED}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"record_type": "state"},
        {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": {"content": "x", "success": False},
        },
    ]
    entries = translated("".join(json.dumps(each) + "\n" for each in lines))
    assert kinds(entries[:3]) == ["session", "custom_message", "user"]
    called, failed = entries[-2:]
    assert called["message"]["content"][0]["arguments"] == {"command": "ls"}
    assert (failed["message"]["isError"], failed["message"]["toolName"]) == (True, "local_shell")


def test_what_nobody_knows_is_an_entry_that_says_so():
    text = Rollout().meta().item("hologram", shape="bear").line("dream", {"of": "sheep"})
    assert [each["customType"] for each in translated(text.text)[1:]] == [
        "codex/unknown/hologram",
        "codex/unknown/dream",
    ]


@given(cut=st.integers(0, TURN.text.count("\n")))
def test_lines_are_translated_alike_whenever_they_come(cut: int):
    lines = TURN.text.encode().split(b"\n")
    made = CodexTranslator(THREAD, nothing, nowhere)
    before = [each for one in lines[:cut] for each in made.translate(one)]
    after = made.copy()
    list(made.translate(lines[cut]))
    entries = [*before, *(each for one in lines[cut:] for each in after.translate(one))]
    assert list(map(json.loads, entries)) == translated(TURN.text)


async def test_a_damaged_line_concerns_its_session_alone(tmp_path: Path):
    file = lay(tmp_path, TURN.text + "{damaged\n")
    lay(tmp_path, "no json\n", FORK)
    async with daemon(tmp_path, profile="codex") as client:
        state = await client.request("session/open", {"path": str(file), "readOnly": True})
        assert [each["kind"] for each in state["diagnostics"]] == ["malformedLine"]
        listed = (await client.request("session/listAll", {}))["sessions"]
        assert [each["id"] for each in listed] == [THREAD]


async def test_nothing_is_written_and_agents_recall_it(tmp_path: Path):
    file = lay(tmp_path, TURN.text)
    async with daemon(tmp_path, profile="codex") as client:
        handle = await opened(client, file)
        with pytest.raises(RpcError, match="reading only"):
            await client.request("session/appendMessage", {"session": handle, "message": user("x")})
        with pytest.raises(RpcError, match="Codex alone writes"):
            await client.request("catalog/delete", {"path": str(file)})
    assert file.read_text() == TURN.text
    async with mcp(tmp_path, Path(CWD), profile="codex") as client:
        (found,) = (await client.call("search_sessions", query="sofa"))["sessions"]
        assert found["session"] == THREAD
