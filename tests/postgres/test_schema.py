"""The schema is made once, whole, and a schema of another version is left as it is."""

from __future__ import annotations

import asyncio
from importlib.resources import files

import psycopg
import pytest
from support.stores import Server

from sessiond.postgres import schema


async def test_of_several_that_make_the_schema_at_once_one_does_the_work(server: Server):
    url = server.new_database()
    done = await asyncio.gather(*(schema.migrate_at(url) for _ in range(4)))
    assert sorted(before for before, _ in done) == [0, *[schema.VERSION] * 3]


@pytest.mark.parametrize("version", [7, schema.VERSION + 1])
async def test_a_schema_of_another_version_is_left_as_it_is(server: Server, version: int):
    url = server.new_database()
    await schema.migrate_at(url)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("UPDATE sessiond.schema_version SET version = %s", (version,))
        if version > schema.VERSION:
            assert await schema.migrate_at(url) == (version, version)
        else:
            with pytest.raises(schema.MigrationFailed, match=f"version {version}.* older"):
                await schema.migrate_at(url)
        assert await schema.schema_version(connection) == version


_FUNCTIONS = """
    SELECT proname, pg_get_functiondef(oid), proacl, obj_description(oid) FROM pg_proc
    WHERE pronamespace = 'sessiond'::regnamespace ORDER BY proname
"""


async def test_a_store_that_was_brought_up_to_date_is_as_a_new_one(server: Server):
    first = (files("sessiond.postgres") / "schema.sql").read_bytes()
    old, new = server.new_database(), server.new_database()
    await schema.migrate_at(new)
    server.admin("CREATE ROLE a_former LOGIN")
    found = []
    for url in (new, old):
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            if url == old:
                await connection.execute(first)
                await connection.execute("INSERT INTO sessiond.schema_version VALUES (true, 8)")
            await connection.execute("SELECT sessiond.admit('a_former', '*')")
            if url == old:
                assert await schema.migrate_at(url) == (8, schema.VERSION)
            assert await schema.schema_version(connection) == schema.VERSION
            found.append(await (await connection.execute(_FUNCTIONS)).fetchall())
            await connection.execute("DROP OWNED BY a_former")
    server.admin("DROP ROLE a_former")
    assert found[0] == found[1]
    assert "trashed" in {name for name, *_ in found[0]}
