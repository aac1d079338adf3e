"""The records of an entry: what its agent has written, found on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import claude_lines, codex_lines
from support.app import daemon
from support.client import Client
from support.codex_lines import FORK, THREAD, Rollout
from support.opencode_database import Opencode

Records = list[dict[str, Any]]


async def sources(client: Client, path: str, **more: Any) -> list[tuple[dict[str, Any], Records]]:
    """Return each entry of a session with its records."""
    state = await client.request("session/open", {"path": path, "readOnly": True})
    handle = {"session": state["session"]}
    entries = (await client.request("session/getEntries", handle))["entries"]
    asked = [{**handle, "entryId": entry["id"], **more} for entry in entries]
    found = [(await client.request("session/getSource", params))["records"] for params in asked]
    return list(zip(entries, found, strict=True))


def check_place(record: dict[str, Any]) -> None:
    """A record is where it says that it is."""
    data = Path(record["path"]).read_bytes()
    at, size = record["byteOffset"], record["sizeBytes"]
    assert data[at : at + size] == data.split(b"\n")[record["line"] - 1]
    if not record["truncated"]:
        assert data[at : at + size].decode() == record["text"]


async def test_the_line_of_claude_code_that_has_the_uuid(tmp_path: Path):
    file = claude_lines.lay(tmp_path)
    async with daemon(tmp_path, profile="claude-code") as client:
        found = await sources(client, str(file))
    assert len(found) >= 6
    for entry, (record,) in found:
        check_place(record)
        assert json.loads(record["text"]).get("uuid", "line-12") == entry["id"]


async def test_an_entry_of_a_line_of_several_results(tmp_path: Path):
    results = [claude_lines.result("c1", "one"), claude_lines.result("c2", "two")]
    file = claude_lines.lay(
        tmp_path,
        claude_lines.TURN + claude_lines.user(8, 7, results),
    )
    async with daemon(tmp_path, profile="claude-code") as client:
        found = await sources(client, str(file), maxBytes=20)
    (first,), (second,) = (records for _, records in found[-2:])
    assert first == second
    check_place(first)
    assert (first["truncated"], len(first["text"])) == (True, 20)


async def test_entries_of_a_fork_lie_in_the_rollout_of_its_base(tmp_path: Path):
    base = codex_lines.lay(tmp_path, Rollout().meta().turn().text)
    history = {"thread_id": THREAD, "end_ordinal_exclusive": 10}
    text = Rollout(10).meta(FORK, history_base=history).prompt("And the ball?").text
    fork = codex_lines.lay(tmp_path, text, FORK)
    async with daemon(tmp_path, profile="codex") as client:
        found = await sources(client, str(fork))
    places = {}
    for entry, (record,) in found:
        check_place(record)
        places[entry["id"]] = record["path"]
        if entry["type"] == "message":
            payload = json.loads(record["text"])["payload"]
            said = json.dumps(entry["message"]["content"])
            assert payload["type"] == "function_call" or next(iter(texts(payload))) in said
    assert set(places.values()) == {str(base), str(fork)}


def texts(value: Any) -> Any:
    """Yield the texts of an item."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        if isinstance(value.get("output"), str):
            yield value["output"]
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


async def test_rows_of_opencode_are_a_message_and_its_parts(tmp_path: Path):
    own = Opencode(tmp_path)
    own.session()
    asked = own.message("user")
    own.part(asked, "text", text="Where is the teddy bear?")
    told = own.message("assistant")
    own.part(told, "text", text="I look.")
    looked = own.part(
        told, "tool", tool="bash", callID="c1", state={"status": "completed", "output": "teddy"}
    )
    own.complete(told)
    async with daemon(tmp_path, profile="opencode") as client:
        found = {
            entry["id"]: records for entry, records in await sources(client, own.session_path())
        }
    data = [json.loads(record["text"]) for record in found[asked]]
    assert (data[0]["role"], data[1]["text"]) == ("user", "Where is the teddy bear?")
    kinds = [json.loads(record["text"]).get("type") for record in found[told]]
    assert kinds == [None, "text", "tool"]
    (row,) = found[looked]
    assert json.loads(row["text"])["state"]["output"] == "teddy"
    assert {record["path"] for records in found.values() for record in records} == {str(own.path)}
    assert all("line" not in record for records in found.values() for record in records)


@pytest.mark.parametrize("end", ["", "\n"])
async def test_a_line_of_pi_with_bytes_that_are_no_text(tmp_path: Path, end: str):
    file = tmp_path / "s.jsonl"
    header = b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n'
    said = b'{"role":"user","content":"a\xffb \xc3\xbc"}'
    line = (
        b'{"type":"message","id":"\\u0065","parentId":null,'
        b'"timestamp":"2026-01-01T00:00:01.000Z","message":%b}' % said
    )
    file.write_bytes(header + line + end.encode())
    async with daemon(tmp_path) as client:
        ((entry, (record,)),) = await sources(client, str(file), maxBytes=len(line) - 4)
    assert (entry["id"], record["line"], record["byteOffset"]) == ("e", 2, len(header))
    assert (record["sizeBytes"], record["truncated"]) == (len(line), True)
    # Of the last character only the first byte was asked for.
    assert record["text"].endswith("a\ufffdb ")
