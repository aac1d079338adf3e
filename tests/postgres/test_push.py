"""`push` appends what a file has grown by, or stores all of it again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.mirrors import HEADER, message
from support.store_proxy import proxied
from support.store_use import run
from support.stores import OtherHost, other_host

from sessiond.postgres import writing
from sessiond.postgres.documents import named
from sessiond.postgres.mirror import moving

NAME = "sessiond-store:default/one.jsonl"
RENAMED = b'{"type":"session_info","id":"%s","parentId":null,"name":"%s"}\n'


async def push(host: OtherHost, path: Path, name: str = NAME) -> bool:
    return await moving.push(host.database, str(path), named(name))


async def generation(host: OtherHost, name: str = NAME) -> int:
    rows = await host.database.rows(
        "", "SELECT generation FROM sessiond.session WHERE session = %s", (named(name).session,)
    )
    found: int = rows[0][0]
    return found


async def test_a_reader_hears_of_a_push_that_only_adds_lines_as_of_an_append(
    tmp_path: Path, store_url: str
):
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + message(0))
    assert run(tmp_path, store_url, "push", str(path)).stdout == f"{NAME}\n"
    async with daemon(tmp_path, store=store_url) as client:
        opened = await client.request("session/open", {"path": NAME})
        path.write_bytes(path.read_bytes() + message(1) + b"\n{damaged\n" + message(2))
        done = await asyncio.to_thread(run, tmp_path, store_url, "push", str(path))
        assert done.returncode == 0
        told = await client.notification("session/didChange")
        assert (told["kind"], told["entryCount"]) == ("appended", 3)
        entries = await client.request("session/getEntries", {"session": opened["session"]})
        assert len(entries["entries"]) == 3


@pytest.mark.parametrize(
    "parts",
    [
        [message(0), message(1) + message(2, "the second")],
        [b"", RENAMED % (b"a", b"first"), message(0)],
        [message(0) + RENAMED % (b"a", b"A"), RENAMED % (b"b", b"B") + RENAMED % (b"c", b"A")],
        [RENAMED % (b"a", b"A"), message(0) + RENAMED % (b"b", b"")],
        # Two entries with one id.
        [message(0), message(0, "another")],
        [message(0), b'\n\xff\n42\n{"type":"x"}\r\n' + message(1)],
    ],
)
async def test_a_file_that_is_pushed_in_steps_is_stored_as_one_that_is_pushed_at_once(
    tmp_path: Path, store_url: str, parts: list[bytes], monkeypatch: pytest.MonkeyPatch
):
    # As if they were many megabytes, of which one statement writes a part.
    monkeypatch.setattr(writing, "READ_BYTES", 40)
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER)
    whole = "sessiond-store:default/whole.jsonl"

    async def rows(host: OtherHost, name: str) -> list[list[tuple[Any, ...]]]:
        return [
            await host.database.rows(
                "", f"{query} WHERE session = %s ORDER BY 1, 2", (named(name).session,)
            )
            for query in (
                "SELECT bytes, ended, header, id, cwd, name, fields FROM sessiond.session",
                "SELECT messages, first_message, created, latest FROM sessiond.session",
                "SELECT start, line FROM sessiond.line",
                "SELECT start, part, field, role, time, tool, file, body FROM sessiond.message",
            )
        ]

    async with other_host(store_url) as host:
        assert await push(host, path)
        for part in parts:
            path.write_bytes(path.read_bytes() + part)
            assert await push(host, path) == bool(part)
        assert not await push(host, path)
        assert await push(host, path, whole)
        assert await generation(host) == 1
        assert await host.get(NAME) == path.read_bytes()
        assert await rows(host, NAME) == await rows(host, whole)


@pytest.mark.parametrize(
    ("before", "added"),
    [
        (message(0) + b'{"torn', b'"}\n'),
        (message(0), message(1) + b'{"torn'),
    ],
)
async def test_what_cannot_be_appended_is_stored_byte_for_byte_all_the_same(
    tmp_path: Path, store_url: str, before: bytes, added: bytes
):
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + before)
    async with other_host(store_url) as host:
        assert await push(host, path)
        path.write_bytes(path.read_bytes() + added)
        assert await push(host, path)
        assert await host.get(NAME) == path.read_bytes()


async def test_a_push_whose_answer_is_lost_appends_once(tmp_path: Path, store_url: str):
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + message(0))
    async with proxied(store_url) as proxy, other_host(proxy.url) as host:
        assert await push(host, path)
        path.write_bytes(path.read_bytes() + message(1) + message(2))
        proxy.swallows = b"sessiond.write("
        assert await push(host, path)
        assert proxy.swallowed == 1
        assert await host.get(NAME) == path.read_bytes()
        assert await generation(host) == 1


async def test_a_push_appends_nothing_to_a_session_that_another_host_has_continued(
    tmp_path: Path, store_url: str
):
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + message(0))
    async with other_host(store_url) as host:
        assert await push(host, path)
        await host.append(NAME, message(7))
        path.write_bytes(path.read_bytes() + message(1))
        done = await asyncio.to_thread(run, tmp_path, store_url, "push", str(path))
        assert (done.returncode, "exists" in done.stderr) == (3, True)
        assert await host.get(NAME) == HEADER + message(0) + message(7)
