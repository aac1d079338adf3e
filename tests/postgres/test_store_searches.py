"""A search that takes long on the server is ended there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.app import daemon
from support.client import Client
from support.mirrors import until
from support.stores import OtherHost, Server, other_host

from sessiond.postgres.catalog import search

_SLOW = """
    ALTER FUNCTION sessiond.search RENAME TO quick_search;
    CREATE FUNCTION sessiond.search(
        a text[], b bytea, c text[], d text[], e jsonb, f double precision, g text, h bigint
    ) RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(600)';
"""
_RUNNING = (
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%%.search(%%'"
    " AND pid <> pg_backend_pid() AND datname = current_database()"
)


@asynccontextmanager
async def slow(home: Path, server: Server) -> AsyncIterator[tuple[Client, OtherHost]]:
    url = server.separate()
    async with other_host(url) as host:
        for statement in _SLOW.split(";")[:-1]:
            await host.database.rows("", statement)
        async with daemon(home, store=url) as client:
            yield client, host


def running(host: OtherHost, count: int) -> Callable[[], Awaitable[bool]]:
    async def check() -> bool:
        return await host.database.rows("", _RUNNING) == [(count,)]

    return check


async def test_a_cancelled_search_is_ended_on_the_server(tmp_path: Path, server: Server):
    async with slow(tmp_path, server) as (client, host):
        asked = client.start("catalog/search", {"query": "word"}, id_=7)
        await until(running(host, 1))
        client.notify("$/cancelRequest", {"id": 7})
        assert "cancelled" in (await asked).value["error"]["message"]
        await until(running(host, 0))


async def test_a_search_that_takes_too_long_says_so_and_is_ended_on_the_server(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search, "SEARCH_SECONDS", 0.5)
    async with slow(tmp_path, server) as (client, host):
        answer = await client.request("catalog/search", {"query": "word"})
        assert (answer["hits"], answer["total"]) == ([], 0)
        assert [each["kind"] for each in answer["problems"]] == ["timedOut"]
        await until(running(host, 0))
        assert (await client.request("session/listAll"))["sessions"] == []
