"""Migrations go forward, once, and keep what is stored."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.app import daemon
from support.stores import Server, other_host

from sessiond.postgres import database, schema

_LINE = (
    b'{"type":"session","version":3,"id":"x","timestamp":"2025-06-01T10:00:00.000Z","cwd":"/w"}\n'
)


async def test_a_store_of_the_first_version_is_migrated_with_its_sessions(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
):
    url, current = server.new_database(), schema.VERSION
    monkeypatch.setattr(schema, "VERSION", 1)
    monkeypatch.setattr(database, "VERSION", 1)
    assert await schema.migrate_at(url) == (0, 1)
    async with other_host(url) as host:
        await host.put("sessiond-store:default/x.jsonl", _LINE)
    monkeypatch.undo()
    assert await schema.migrate_at(url) == (1, current)
    async with daemon(tmp_path, store=url) as client:
        listed = await client.request("session/listAll")
        assert [item["id"] for item in listed["sessions"]] == ["x"]


async def test_of_migrations_at_the_same_time_one_does_the_work(server: Server):
    url = server.new_database()
    done = await asyncio.gather(*(schema.migrate_at(url) for _ in range(4)))
    assert sorted(before for before, _ in done) == [0, *[schema.VERSION] * 3]
