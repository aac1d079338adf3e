"""A row that is not a session is a problem of that row, and of no other session."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from support.app import assistant, daemon
from support.client import RpcError
from support.commands import run
from support.mirrors import HEADER, message
from support.stores import other_host

from sessiond.postgres.documents import named

GOOD = "sessiond-store:default/good.jsonl"
BAD = "sessiond-store:default/bad.jsonl"
_ENTRY = {"type": "message", "id": "a", "parentId": "00000000", "message": assistant("yes")}
ANSWER = json.dumps({**_ENTRY, "timestamp": "2025-06-01T10:00:00.000Z"}).encode() + b"\n"
DAMAGES = {
    "not JSON": "header = 'x'",
    "no header": "header = '{}'",
    "not UTF-8": r"name = '\xff'::bytea",
    "no time": "latest = 'NaN'",
}


async def fill(url: str, damage: str) -> None:
    """Store a good session and a newer one, whose row is then damaged."""
    async with other_host(url) as host:
        for number, path in enumerate((GOOD, BAD)):
            await host.put(path, HEADER.replace(b'"m1"', b'"m%d"' % number) + message(0) + ANSWER)
        await host.database.rows(
            BAD,
            "UPDATE sessiond.session SET latest = 4e12 WHERE session = %s",
            (named(BAD).session,),
        )
        await host.database.rows(
            BAD, f"UPDATE sessiond.session SET {damage} WHERE session = %s", (named(BAD).session,)
        )


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_the_other_sessions_are_answered_and_the_bad_one_is_reported(
    tmp_path: Path, store_url: str, damage: str
):
    await fill(store_url, damage)
    async with daemon(tmp_path, store=store_url) as client:
        for params in ({}, {"includeText": True}):
            listed = await client.request("session/listAll", params)
            assert [one["path"] for one in listed["sessions"]] == [GOOD]
            assert [one["path"] for one in listed["problems"]] == [BAD]
        found = await client.request("catalog/search", {"query": "hello"})
        assert [hit["info"]["path"] for hit in found["hits"]] == [GOOD]
        assert [one["path"] for one in found["problems"]] == [BAD]
        for more in ({}, {"fields": ["said"], "roles": ["user"]}):
            found = await client.request("catalog/search", {"query": "hello", "limit": 1, **more})
            assert [hit["info"]["path"] for hit in found["hits"]] == [GOOD]
            assert ("nextCursor" in found, found["total"]) == (False, 1)
            assert [one["path"] for one in found["problems"]] == [BAD]
        used = await client.request("catalog/usage", {"by": "session"})
        assert [one["path"] for one in used["problems"]] == [BAD]
        assert used["sessionCount"] == 1
        checked = await client.request("catalog/check", {"sessionDir": "sessiond-store:default"})
        assert {one["path"]: one["ok"] for one in checked["files"]} == {GOOD: True, BAD: False}
        first = await client.request("session/listAll", {"limit": 1})
        assert first["sessions"] == []
        rest = await client.request("session/listAll", {"limit": 1, "cursor": first["nextCursor"]})
        assert [one["path"] for one in rest["sessions"]] == [GOOD]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_bad_row_can_be_deleted_and_its_lines_be_read(
    tmp_path: Path, store_url: str, damage: str
):
    await fill(store_url, damage)
    async with daemon(tmp_path, store=store_url) as client:
        opened = await client.request("session/open", {"path": BAD, "readOnly": True})
        assert opened["entryCount"] == 2
        known = await client.request("catalog/subscribe", {})
        assert [one["path"] for one in known["sessions"]] == [GOOD]
        async with other_host(store_url) as host:
            await host.append(GOOD, message(5))
            heard = await client.notification("catalog/didChange")
            assert [(one["kind"], one["path"]) for one in heard["changes"]] == [("changed", GOOD)]
        await client.request("catalog/delete", {"path": BAD, "permanently": True, "force": True})
        assert "problems" not in await client.request("session/listAll")


async def test_commands_find_the_other_sessions(tmp_path: Path, store_url: str):
    await fill(store_url, DAMAGES["not JSON"])
    for words in (("list", "--all"), ("usage",), ("show", "m0"), ("delete", "m0")):
        done = await asyncio.to_thread(run, tmp_path, "--store", store_url, *words)
        assert (GOOD if words[0] == "delete" else "") in done.stderr
        if words[0] in ("list", "usage"):
            assert done.stdout
            assert BAD in done.stderr
        else:
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE sessiond.session SET bytes = bytes + 10",
        "UPDATE sessiond.line SET start = start + 1000000000000 WHERE start > 0",
        "DELETE FROM sessiond.line WHERE start > 0",
        "DELETE FROM sessiond.line",
    ],
)
async def test_lines_that_are_missing_are_an_error(tmp_path: Path, store_url: str, damage: str):
    async with other_host(store_url) as host:
        await host.put(GOOD, HEADER + message(0))
        await host.database.rows("", damage)
    async with daemon(tmp_path, store=store_url) as client:
        with pytest.raises(RpcError, match="lines of the session are missing") as raised:
            await client.request("session/open", {"path": GOOD})
        assert raised.value.kind == "ReadFailed"
