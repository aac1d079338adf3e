"""Lines of a large session of the store are in a temporary file, and answers are the same."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon, user
from support.client import Client
from support.mirrors import HEADER, message
from support.stores import OtherHost, other_host

from sessiond.files.kept.spool_file import SpoolFile
from sessiond.postgres import followed_document

_NAME = "sessiond-store:default/large.jsonl"


@pytest.fixture
def spools(monkeypatch: pytest.MonkeyPatch) -> list[SpoolFile]:
    """Every session counts as large; the temporary files that are made."""
    made: list[SpoolFile] = []
    create = SpoolFile.create

    def creating(path: str, size: int) -> SpoolFile | None:
        spool = create(path, size)
        if spool is not None:
            made.append(spool)
        return spool

    monkeypatch.setattr(followed_document, "STORED_FROM_BYTES", 0)
    monkeypatch.setattr(SpoolFile, "create", creating)
    return made


async def answers(client: Client) -> Any:
    opened = await client.request("session/open", {"path": _NAME, "readOnly": True})
    found = [
        await client.request(method, {"session": opened["session"]})
        for method in ("session/getEntries", "session/buildSessionContext", "session/getTree")
    ]
    await client.request("session/close", {"session": opened["session"]})
    return found


async def converse(client: Client, host: OtherHost) -> str:
    """Let both hosts append, and rewrite and delete the session; returns a handle."""
    await host.put(_NAME, HEADER + message(0) + b"not JSON\n\n" + message(1, "x" * 300_000)[:-1])
    opened = await client.request("session/open", {"path": _NAME})
    for number in range(3):
        params = {"session": opened["session"], "message": user(f"own {number}")}
        await client.request("session/appendMessage", params)
        await host.append(_NAME, message(number + 2, "theirs"))
    await host.delete(_NAME)
    await client.request("session/appendMessage", params)
    return str(opened["session"])


async def test_answers_are_those_of_a_session_in_memory(
    tmp_path: Path, store_url: str, spools: list[SpoolFile]
):
    async with other_host(store_url) as host:
        async with daemon(tmp_path, store=store_url) as client:
            await converse(client, host)
            found = await answers(client)
        async with daemon(tmp_path, store=store_url) as client:
            assert await answers(client) == found
        assert len(spools) >= 2
        stored = await host.get(_NAME)
        assert stored is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(followed_document, "STORED_FROM_BYTES", len(stored) + 1)
            async with daemon(tmp_path, store=store_url) as client:
                assert await answers(client) == found


@pytest.mark.parametrize("fault", ["no file", "no space"])
async def test_without_space_for_a_temporary_file_lines_are_kept_in_memory(
    tmp_path: Path,
    store_url: str,
    spools: list[SpoolFile],
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
):
    write = SpoolFile.write

    def failing(spool: SpoolFile, start: int, data: bytes) -> None:
        # The file is full, or nothing can be written from the first append on.
        if fault == "no space" and start:
            with Path("/dev/full").open("r+b", buffering=0) as full:
                os.dup2(full.fileno(), spool._descriptor)
        write(spool, start, data)

    if fault == "no file":
        monkeypatch.setattr(SpoolFile, "create", lambda _path, _size: None)
    monkeypatch.setattr(SpoolFile, "write", failing)
    async with other_host(store_url) as host, daemon(tmp_path, store=store_url) as client:
        handle = await converse(client, host)
        entries = await client.request("session/getEntries", {"session": handle})
        async with daemon(tmp_path, store=store_url) as other:
            assert (await answers(other))[0]["entries"] == entries["entries"]
    assert (fault == "no file") == (not spools)
