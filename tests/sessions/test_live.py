"""Notifications to handles and subscribers about changes by other programs."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.app import assistant, daemon, user
from support.client import RpcError
from support.followers import Open
from support.session_lines import append, header, line, replace


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    file = tmp_path / "s.jsonl"
    file.write_text(header() + line("a") + line("b", "a") + line("c", "b"))
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": str(file)})
        yield Open(client, file, state["session"])


async def test_a_foreign_append_is_reported_with_its_entries(opened: Open):
    append(opened.file, line("d", "c") + line("e", "d"))
    told = await opened.told()
    assert told == {
        "session": opened.session,
        "sequence": 1,
        "path": str(opened.file),
        "generation": 0,
        "kind": "appended",
        "entries": [
            {
                "id": "d",
                "parentId": "c",
                "type": "message",
                "timestamp": "2026-01-01T00:00:00.000Z",
            },
            {
                "id": "e",
                "parentId": "d",
                "type": "message",
                "timestamp": "2026-01-01T00:00:00.000Z",
            },
        ],
        "leafId": "c",
        "tipId": "e",
        "entryCount": 5,
    }


async def test_the_first_session_of_a_directory_is_watched_as_soon_as_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Not found by the next look for missing directories.
    monkeypatch.setattr("sessiond.files.watcher._CHECK_SECONDS", 1000.0)
    async with daemon(tmp_path) as client:
        state = await client.request("session/create", {"cwd": "/w"})
        # The watcher has seen that there is no directory.
        await asyncio.sleep(0.2)
        params = {"session": state["session"], "message": user("first")}
        own = (await client.request("session/appendMessage", params))["id"]
        append(Path(state["sessionFile"]), line("foreign", own))
        told = await client.notification("session/didChange")
    assert [each["id"] for each in told["entries"]] == ["foreign"]


async def test_half_a_line_is_a_problem_until_it_is_complete(opened: Open):
    whole = line("d", "c")
    append(opened.file, line("extra", "c") + whole[:20])
    told = await opened.told()
    assert [each["id"] for each in told["entries"]] == ["extra"]
    assert [(each["line"], each["kind"]) for each in told["diagnostics"]] == [(6, "tornTail")]
    append(opened.file, whole[20:])
    told = await opened.told()
    assert [each["id"] for each in told["entries"]] == ["d"]
    assert "diagnostics" not in told


@pytest.mark.parametrize(
    ("appended", "kind"),
    [("{damaged\n", "malformedLine"), ("[1]\n", "notAnEntry"), ('{"type":"mess', "tornTail")],
)
async def test_a_line_that_is_no_entry_is_reported_with_what_is_wrong(
    opened: Open, appended: str, kind: str
):
    append(opened.file, appended)
    told = await opened.told()
    assert (told["kind"], told["entries"], told["entryCount"]) == ("appended", [], 3)
    (problem,) = told["diagnostics"]
    assert (problem["line"], problem["kind"]) == (5, kind)
    append(opened.file, ("" if appended.endswith("\n") else "\n") + "{again\n")
    told = await opened.told()
    lines = [each["line"] for each in told["diagnostics"]]
    assert lines == ([6] if appended.endswith("\n") else [5, 6])


async def test_of_very_many_damaged_lines_the_first_are_reported(opened: Open):
    append(opened.file, "{damaged\n" * 5000)
    told = await opened.told()
    assert [each["line"] for each in told["diagnostics"]] == list(range(5, 105))


async def test_a_client_is_not_notified_of_its_own_writes(opened: Open):
    for _ in range(5):
        await opened.call("appendMessage", message=user("mine"))
    await opened.call("appendSessionInfo", name="Mine")
    append(opened.file, line("theirs", "c"))
    told = await opened.told()
    assert (told["sequence"], [each["id"] for each in told["entries"]]) == (1, ["theirs"])
    assert told["name"] == "Mine"


async def test_another_handle_on_the_file_is_notified_of_it(opened: Open):
    other = await opened.client.request("session/open", {"path": str(opened.file)})
    mine = await opened.call("appendMessage", message=user("from the first"))
    told = await opened.client.notification("session/didChange")
    assert told["session"] == other["session"]
    assert [each["id"] for each in told["entries"]] == [mine["id"]]
    assert told["leafId"] == "c"
    assert told["tipId"] == mine["id"]


async def test_a_handle_that_follows_is_at_the_tip(opened: Open):
    params = {"path": str(opened.file), "follow": True}
    other = Open(
        opened.client, opened.file, (await opened.client.request("session/open", params))["session"]
    )
    append(opened.file, line("d", "c"))
    leaves = {}
    while len(leaves) < 2:
        told = await opened.client.notification("session/didChange")
        leaves[told["session"]] = told["leafId"]
    assert leaves == {opened.session: "c", other.session: "d"}
    assert await other.call("getLeafId") == {"leafId": "d"}
    assert (await other.call("appendMessage", message=user("next")))["parentId"] == "d"


async def test_a_rewrite_is_a_new_generation_and_keeps_the_leaf_that_is_still_there(opened: Open):
    await opened.call("branch", entryId="b")
    replace(opened.file, header() + line("a") + line("b", "a") + line("z", "b"))
    told = await opened.told()
    assert (told["kind"], told["generation"], told["leafId"]) == ("rewritten", 1, "b")
    assert "entries" not in told
    assert (told["tipId"], told["entryCount"]) == ("z", 3)


async def test_a_leaf_that_vanished_is_taken_back_when_its_entry_is(opened: Open):
    content = opened.file.read_text()
    replace(opened.file, header() + line("a") + line("z", "a"))
    assert (await opened.told())["leafId"] == "z"
    replace(opened.file, content)
    assert (await opened.told())["leafId"] == "c"
    replace(opened.file, header() + line("a") + line("z", "a"))
    await opened.told()
    await opened.call("branch", entryId="a")
    replace(opened.file, content)
    assert (await opened.told())["leafId"] == "a"


async def test_an_edit_in_place_that_keeps_the_size_is_seen(opened: Open):
    content = opened.file.read_text()
    with opened.file.open("r+") as out:
        out.write(content.replace('"content": "x"', '"content": "y"'))
    assert (await opened.told())["kind"] == "rewritten"
    entry = (await opened.call("getEntry", id="b"))["entry"]
    assert entry["message"]["content"] == "y"


async def test_a_truncated_file_is_a_rewrite(opened: Open):
    os.truncate(opened.file, len(header() + line("a")))
    told = await opened.told()
    assert (told["kind"], told["entryCount"], told["leafId"]) == ("rewritten", 1, "a")


async def test_a_deleted_file_stays_readable_and_an_append_brings_it_back_whole(opened: Open):
    content = opened.file.read_text()
    opened.file.unlink()
    told = await opened.told()
    assert (told["kind"], told["entryCount"]) == ("deleted", 3)
    assert len((await opened.call("getEntries"))["entries"]) == 3
    appended = await opened.call("appendMessage", message=user("back"))
    assert appended["written"]
    assert opened.file.read_text().startswith(content)
    assert len(opened.file.read_text().splitlines()) == 5


async def test_a_deleted_file_that_returns_is_reported_as_restored(opened: Open):
    content = opened.file.read_text()
    opened.file.unlink()
    assert (await opened.told())["kind"] == "deleted"
    opened.file.write_text(content)
    assert (await opened.told())["kind"] == "restored"
    opened.file.unlink()
    assert (await opened.told())["kind"] == "deleted"
    opened.file.write_text(content + line("d", "c"))
    assert (await opened.told())["kind"] == "rewritten"


async def test_a_file_that_stops_being_a_session_becomes_invalid_and_unwritable(opened: Open):
    content = opened.file.read_text()
    replace(opened.file, "# notes\n")
    assert (await opened.told())["kind"] == "invalid"
    assert (await opened.call("getEntryCount")) == {"count": 3}
    with pytest.raises(RpcError) as raised:
        await opened.call("appendMessage", message=user("no"))
    assert raised.value.kind == "InvalidSessionFile"
    assert opened.file.read_text() == "# notes\n"
    replace(opened.file, content)
    assert (await opened.told())["kind"] == "restored"
    assert (await opened.call("appendMessage", message=user("yes")))["written"]


async def test_a_burst_is_merged_and_no_entry_is_lost(opened: Open):
    ids = [f"burst{number:04}" for number in range(1000)]
    for entry_id in ids:
        append(opened.file, line(entry_id, "c"))
    heard: list[str] = []
    sequence = 0
    while len(heard) < len(ids):
        told = await opened.told()
        sequence += 1
        assert told["sequence"] == sequence
        heard += [each["id"] for each in told["entries"]]
    assert heard == ids
    assert sequence < 100


async def test_a_client_that_does_not_read_gets_merged_changes(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_text(header() + line("a", None, "x" * 30_000_000))
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": str(file)})
        other = await client.request("session/open", {"path": str(file)})
        client.stop_reading()
        answer = client.start("session/getEntries", {"session": state["session"]})
        # Small requests, sent after the big one, are held back until the client reads again; what
        # others write meanwhile must not pile up as messages.
        await asyncio.sleep(0)
        for number in range(50):
            append(file, line(f"n{number}", "a"))
            await asyncio.sleep(0.01)
        client.go_on_reading()
        await asyncio.wait_for(answer, 30)
        heard: dict[str, list[str]] = {state["session"]: [], other["session"]: []}
        messages = 0
        while any(len(ids) < 50 for ids in heard.values()):
            told = await client.notification("session/didChange")
            messages += 1
            heard[told["session"]] += [each["id"] for each in told["entries"]]
    assert all(ids == [f"n{number}" for number in range(50)] for ids in heard.values())
    assert messages < 20


async def test_a_closed_handle_gets_no_notifications(opened: Open):
    other = await opened.client.request("session/open", {"path": str(opened.file)})
    await opened.call("close")
    append(opened.file, line("d", "c"))
    told = await opened.client.notification("session/didChange")
    assert told["session"] == other["session"]
    with pytest.raises(RpcError) as raised:
        await opened.call("getLeafId")
    assert raised.value.kind == "UnknownSession"


async def test_a_handle_that_was_turned_to_another_file_is_notified_of_that_one(opened: Open):
    second = opened.file.with_name("t.jsonl")
    second.write_text(header("y") + line("q"))
    await opened.call("setSessionFile", path=str(second))
    append(opened.file, line("d", "c"))
    append(second, line("r", "q"))
    told = await opened.told()
    assert (told["path"], [each["id"] for each in told["entries"]]) == (str(second), ["r"])


async def test_changes_behind_a_link_are_reported(tmp_path: Path):
    real = tmp_path / "real" / "s.jsonl"
    real.parent.mkdir()
    real.write_text(header() + line("a"))
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    async with daemon(tmp_path) as client:
        await client.request("session/open", {"path": str(link)})
        append(real, line("b", "a"))
        told = await client.notification("session/didChange")
        assert [each["id"] for each in told["entries"]] == ["b"]


async def test_changes_behind_a_link_with_a_new_target_are_reported(tmp_path: Path):
    targets = [tmp_path / name / "s.jsonl" for name in ("one", "two")]
    for target in targets:
        target.parent.mkdir()
        target.write_text(header() + line("a", text=target.parent.name))
    link, new = tmp_path / "in" / "link.jsonl", tmp_path / "in" / "new"
    link.parent.mkdir()
    link.symlink_to(targets[0])
    new.symlink_to(targets[1])
    async with daemon(tmp_path) as client:
        await client.request("session/open", {"path": str(link)})
        new.rename(link)
        assert (await client.notification("session/didChange"))["kind"] == "rewritten"
        for entry_id in ("b", "c"):
            append(targets[1], line(entry_id, "a"))
            told = await client.notification("session/didChange")
            assert [each["id"] for each in told["entries"]] == [entry_id]


async def test_the_first_write_of_another_program_to_a_path_that_was_unwritten_is_reported(
    tmp_path: Path,
):
    file = tmp_path / "later" / "s.jsonl"
    async with daemon(tmp_path) as client:
        state = await client.request("session/open", {"path": str(file)})
        assert not file.exists()
        message = {"session": state["session"], "message": assistant("hello")}
        assert (await client.request("session/appendMessage", message))["written"]
        append(file, line("b", None))
        told = await client.notification("session/didChange")
        assert [each["id"] for each in told["entries"]] == ["b"]


async def test_polling_finds_changes_as_well(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_text(header() + line("a"))
    async with daemon(tmp_path, watch="polling") as client:
        await client.request("session/open", {"path": str(file)})
        assert (await client.request("daemon/status"))["watch"]["mode"] == "polling"
        append(file, line("b", "a"))
        told = await client.notification("session/didChange")
        assert [each["id"] for each in told["entries"]] == ["b"]


async def test_without_watching_requests_are_answered_from_the_current_file(tmp_path: Path):
    file = tmp_path / "s.jsonl"
    file.write_text(header() + line("a"))
    async with daemon(tmp_path, watch="off") as client:
        state = await client.request("session/open", {"path": str(file)})
        session = {"session": state["session"]}
        append(file, line("b", "a"))
        assert await client.request("session/getEntryCount", session) == {"count": 2}
        replace(file, header() + line("c"))
        assert (await client.request("session/getState", session))["generation"] == 1
        file.unlink()
        assert await client.request("session/getEntryCount", session) == {"count": 1}
