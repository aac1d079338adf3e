"""Least privilege: what a reader and a writer of one namespace can do, also with SQL of their own."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors
from support.app import daemon, user
from support.client import RpcError
from support.mirrors import HEADER, message, mirroring
from support.store_use import create
from support.stores import Server, other_host

from sessiond.postgres.bell import Bell
from sessiond.postgres.database import Database
from sessiond.postgres.documents import named
from sessiond.postgres.faults import StoreReadOnly


@pytest.fixture
def roles(server: Server, store_url: str) -> Iterator[dict[str, str]]:
    """URLs of a reader and a writer of the namespace `own`."""
    names = ("a_reader", "a_writer")
    with psycopg.connect(store_url, autocommit=True) as owner:
        for name in names:
            owner.execute(f"CREATE ROLE {name} LOGIN".encode())
            owner.execute("SELECT sessiond.admit(%s, 'own', %s)", (name, name == "a_writer"))
    yield {name: server.to("store", user=name) for name in names}
    with psycopg.connect(store_url, autocommit=True) as owner:
        for name in names:
            owner.execute(f"DROP OWNED BY {name}".encode())
            owner.execute(f"DROP ROLE {name}".encode())


async def test_a_writer_writes_its_namespace_and_no_other(
    tmp_path: Path, store_url: str, roles: dict[str, str]
):
    other = await create(tmp_path, store_url, "other")
    own = await create(tmp_path, roles["a_writer"], "own")
    with pytest.raises(RpcError, match="may not write the namespace other") as raised:
        await create(tmp_path, roles["a_writer"], "other")
    assert raised.value.kind == "ReadOnly"
    async with daemon(tmp_path, store=roles["a_writer"]) as client:
        for method in ("session/open", "catalog/stats", "catalog/delete"):
            with pytest.raises(RpcError) as raised:
                await client.request(
                    method,
                    {"path": other, "mustExist": True}
                    if method == "session/open"
                    else {"path": other},
                )
            assert raised.value.kind == "SessionNotFound"
        listed = await client.request("session/listAll")
        assert [item["path"] for item in listed["sessions"]] == [own]
        assert listed["total"] == 1


async def test_a_reader_reads_and_writes_nothing(
    tmp_path: Path, store_url: str, roles: dict[str, str]
):
    own = await create(tmp_path, store_url, "own")
    await create(tmp_path, store_url, "other")
    async with daemon(tmp_path, store=roles["a_reader"]) as client:
        found = await client.request("catalog/search", {"query": "needle"})
        assert [hit["info"]["path"] for hit in found["hits"]] == [own]
        opened = await client.request("session/open", {"path": own})
        assert opened["entryCount"] == 1
        with pytest.raises(RpcError) as raised:
            await client.request(
                "session/appendMessage", {"session": opened["session"], "message": user("no")}
            )
        assert raised.value.kind == "ReadOnly"
        with pytest.raises(RpcError) as raised:
            await client.request("catalog/delete", {"path": own, "force": True})
        assert raised.value.kind == "ReadOnly"


async def test_tables_show_only_rows_of_the_namespace_and_cannot_be_changed(
    tmp_path: Path, store_url: str, roles: dict[str, str]
):
    await create(tmp_path, store_url, "own")
    await create(tmp_path, store_url, "other")
    for url in roles.values():
        with psycopg.connect(url, autocommit=True) as connection:
            rows = connection.execute("SELECT namespace FROM sessiond.session").fetchall()
            assert rows == [("own",)]
            for table, count in (("line", 2), ("message", 1)):
                shown = connection.execute(f"TABLE sessiond.{table}".encode())
                assert len(shown.fetchall()) == count
            for statement in (
                b"UPDATE sessiond.session SET bytes = 0",
                b"DELETE FROM sessiond.line",
                b"INSERT INTO sessiond.access VALUES (current_user, '*', true)",
                b"SELECT * FROM sessiond.access",
                b"SELECT sessiond.admit(current_user, '*', true)",
            ):
                with pytest.raises(errors.InsufficientPrivilege):
                    connection.execute(statement)


async def test_a_reader_hears_of_its_namespace_and_of_nothing_that_was_forged(
    tmp_path: Path, store_url: str, roles: dict[str, str]
):
    own, forged = [await create(tmp_path, store_url, "own") for _ in range(2)]
    other = await create(tmp_path, store_url, "other")
    reported: asyncio.Queue[list[str]] = asyncio.Queue()
    database = Database(roles["a_reader"])
    bell = Bell(database, lambda names: reported.put_nowait(list(names)))
    bell.watch("watched")
    try:
        async with asyncio.timeout(60), other_host(store_url) as host:
            # What is reported once it listens.
            assert await reported.get() == ["watched"]
            for payload in (f"x\n{forged}", f"x {forged}", f"x {named(forged).session}"):
                await host.database.rows("", "SELECT pg_notify('sessiond', %s)", (payload,))
            for path in (other, own):
                await host.append(path, message(1))
            assert await reported.get() == [own]
    finally:
        await bell.close()
        await database.close()


async def test_a_notification_that_is_sent_again_makes_nobody_look(
    tmp_path: Path, store_url: str, roles: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    removed, changed = [await create(tmp_path, store_url, "own") for _ in range(2)]
    asked: list[str] = []
    reported: asyncio.Queue[list[str]] = asyncio.Queue()
    database = Database(roles["a_reader"])
    ask = database.rows

    async def rows(place: str, statement: str, values: Any) -> Any:
        if "heard" in statement:
            asked.extend(values[0])
        return await ask(place, statement, values)

    monkeypatch.setattr(database, "rows", rows)
    bell = Bell(database, lambda names: reported.put_nowait(list(names)))
    bell.watch("watched")
    listener = await psycopg.AsyncConnection.connect(store_url, autocommit=True)
    try:
        async with asyncio.timeout(60), listener, other_host(store_url) as host:
            assert await reported.get() == ["watched"]
            await listener.execute("LISTEN sessiond")
            session = (named(removed).session, True)
            await host.database.rows("", "SELECT sessiond.remove(%s, %s)", session)
            assert await reported.get() == ["watched"]
            heard = [one.payload async for one in listener.notifies(stop_after=1, timeout=30)]
            (sealed,) = [payload for payload in heard if str(uuid.UUID(int=0)) in payload]
            garbage = [f"{uuid.uuid4()} {'x' * 100}", f"{uuid.uuid4()} " * 200, sealed[:-1]]
            for payload in [sealed, *garbage] * 500:
                await listener.execute("SELECT pg_notify('sessiond', %s)", (payload,))
            await host.append(changed, message(1))
            # Everything that was sent before is heard before.
            assert await reported.get() == [changed]
        assert len(asked) == 2
    finally:
        await bell.close()
        await database.close()


async def test_a_writer_mirrors_into_its_namespace_and_no_other(
    tmp_path: Path, roles: dict[str, str]
):
    (tmp_path / "s.jsonl").write_bytes(HEADER)
    for name, namespace in (("a_writer", "other"), ("a_reader", "own")):
        async with mirroring(roles[name], tmp_path, namespace=namespace) as one:
            with pytest.raises(StoreReadOnly):
                await one.mirror.once()
    async with mirroring(roles["a_writer"], tmp_path, namespace="own") as one:
        await one.mirror.once()
        assert one.mirror.count == 1
