"""The schema is made once, whole; one of another version is brought up to date, or left as it is."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest
from catalog.test_search_of_what_was_done import generated
from support.app import daemon, user
from support.client import RpcError
from support.store_use import run
from support.stores import Server, other_host

from sessiond.catalog.message_text import message_of
from sessiond.catalog.search.folding import fold
from sessiond.postgres import schema, texts
from sessiond.postgres.facts import session_facts, stored_texts
from sessiond.postgres.names import parse_name

FORMER = Path(__file__).with_name("former")


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


_DESCRIPTIONS = {
    "functions": """
        SELECT proname, pg_get_functiondef(oid), proacl, obj_description(oid) FROM pg_proc
        WHERE pronamespace = 'sessiond'::regnamespace
    """,
    "columns": """
        SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull,
            pg_get_expr(adbin, adrelid), col_description(attrelid, attnum),
            row_number() OVER (PARTITION BY attrelid ORDER BY attnum)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        JOIN pg_class c ON c.oid = attrelid
        WHERE relnamespace = 'sessiond'::regnamespace AND attnum > 0 AND NOT attisdropped
    """,
    "tables": """
        SELECT relname, relkind, relrowsecurity, relacl, obj_description(oid) FROM pg_class
        WHERE relnamespace = 'sessiond'::regnamespace
    """,
    "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'sessiond'",
    "constraints": """
        SELECT conname, conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'sessiond'::regnamespace
    """,
    "policies": "SELECT tablename, policyname, qual FROM pg_policies WHERE schemaname = 'sessiond'",
    "triggers": """
        SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        WHERE relnamespace = 'sessiond'::regnamespace
    """,
}
_ROWS = {
    "message": "SELECT m::text FROM sessiond.message m",
    "line": "SELECT l::text FROM sessiond.line l",
    "session": """
        SELECT session, generation, bytes, header, name, fields, has_texts FROM sessiond.session
    """,
}


async def described(url: str, questions: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        return {
            name: await (await connection.execute(f"{question} ORDER BY 1, 2".encode())).fetchall()
            if "," in question.partition("FROM")[0]
            else await (await connection.execute(f"{question} ORDER BY 1".encode())).fetchall()
            for name, question in questions.items()
        }


def sessions() -> Iterator[tuple[str, bytes]]:
    """Sessions with all kinds of texts, two of them with names."""
    chosen = random.Random(5)
    for number in range(45):
        header = {"type": "session", "version": 3, "id": f"S{number}", "cwd": "/W  /x"}
        lines = [header, *generated(chosen)]
        if number < 2:
            name = {"type": "session_info", "id": "n", "parentId": None, "name": "A\tName \n x"}
            lines.append(name)
        data = "".join(json.dumps(line) + "\n" for line in lines).encode()
        yield f"sessiond-store:n{number % 3}/{number}.jsonl", data


async def former(url: str, version: int) -> None:
    """Make a store of an earlier version, with its functions and what they were called with."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for step in range(8, version + 1):
            await connection.execute((FORMER / f"schema_{step}.sql").read_bytes())
        await connection.execute(
            "INSERT INTO sessiond.schema_version VALUES (true, %s)", (version,)
        )
        await connection.execute("SELECT sessiond.admit('a_former', '*')")
        for path, data in sessions():
            name = parse_name(path)
            assert name is not None
            lines = data.removesuffix(b"\n").split(b"\n")
            starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
            said = [
                (start, len(line), fold(message.text).encode("utf-8", "replace").decode())
                for start, line in zip(starts, lines, strict=True)
                if (message := message_of(start, line)) is not None
            ]
            facts = attrs.asdict(session_facts(lines, 0.0))
            del facts["after"], facts["tip"]
            more: tuple[list[Any], ...] = (list(map(stored_texts, lines)),)
            of_texts = "%s::text[]"
            if version < 10:
                facts["fields"] = "a name of the former form"
                more = tuple(map(list, zip(*said, strict=True))) if said else ([], [], [])
                of_texts = "%s::bigint[], %s::integer[], %s::text[]"
            entries: tuple[object, ...] = ([uuid.uuid4() for _ in lines],)
            of_entries, known = "%s::uuid[], ", ", %s"
            if version < 11:
                known = ""
            else:
                entries, of_entries = (), ""
            await connection.execute(
                f"SELECT sessiond.add_lines(%s, %s, %s, %s::bigint[], {of_entries}%s::bytea[],"
                f" {of_texts})".encode(),
                (name.namespace, name.key, 1, starts, *entries, lines, *more),
            )
            place = (name.namespace, name.key, 0, -1, 1, uuid.uuid4(), len(data), True)
            await connection.execute(
                "SELECT sessiond.publish(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,"
                f" %s, %s, %s, %s{known})".encode(),
                (*place, *facts.values(), False, *([version] if known else [])),
            )


@pytest.fixture
def a_former(server: Server) -> Iterator[None]:
    """A role that the stores admit."""
    server.admin("CREATE ROLE a_former LOGIN")
    yield
    server.admin("DROP ROLE a_former")


@pytest.mark.parametrize("version", [8, 9, 10, 11])
@pytest.mark.usefixtures("a_former")
async def test_a_store_that_was_brought_up_to_date_is_as_a_new_one(server: Server, version: int):
    old, new = server.new_database(), server.new_database()
    await schema.migrate_at(new)
    async with other_host(new) as host:
        for path, data in sessions():
            await host.put(path, data)
        await host.database.rows("", "SELECT sessiond.admit('a_former', '*')")
    await former(old, version)
    assert await schema.migrate_at(old) == (version, schema.VERSION)
    for questions in (_DESCRIPTIONS, _ROWS):
        expected, found = [await described(url, questions) for url in (new, old)]
        for name in questions:
            assert found[name] == expected[name], name
            assert expected[name]
    for url in (old, new):
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute("DROP OWNED BY a_former")


@pytest.mark.usefixtures("a_former")
async def test_texts_are_made_after_an_interruption_and_what_was_said_is_found_before(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
):
    url = server.new_database()
    await former(url, 9)
    told: list[tuple[int, int]] = []

    async def interrupted(connection: psycopg.AsyncConnection[Any]) -> None:
        def tell(done: int, total: int) -> None:
            told.append((done, total))
            raise KeyboardInterrupt

        await texts.make_texts(connection, tell)

    with monkeypatch.context() as patched:
        patched.setattr(schema, "make_texts", interrupted)
        with pytest.raises(KeyboardInterrupt):
            await schema.migrate_at(url)
    assert told == [(20, 45)]
    asked = {"query": "parser", "fields": ["said", "results"]}
    async with daemon(tmp_path, store=url) as client:
        said = await client.request("catalog/search", {"query": "parser"})
        assert said["total"] > 5
        with pytest.raises(RpcError, match="not all its texts are made yet") as raised:
            await client.request("catalog/search", asked)
        assert raised.value.kind == "Unsupported"
        done = await asyncio.to_thread(run, tmp_path, url, "store", "migrate")
        assert done.returncode == 0
        assert "20 of 25 sessions" in done.stderr
        assert (await client.request("catalog/search", asked))["total"] >= said["total"]
        assert (await client.request("catalog/search", {"query": "parser"}))["total"] == said[
            "total"
        ]
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("DROP OWNED BY a_former")


async def test_a_daemon_reads_on_from_a_newer_schema_and_writes_nothing(
    tmp_path: Path, server: Server
):
    url = server.separate()
    async with daemon(tmp_path, store=url) as client:
        opened = await client.request("session/create", {"cwd": "/w"})
        params = {"session": opened["session"], "message": user("before")}
        await client.request("session/appendMessage", params)
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute("UPDATE sessiond.schema_version SET version = version + 1")
        async with daemon(tmp_path, store=url) as started_later:
            again = await started_later.request("session/open", {"path": opened["sessionFile"]})
            for one, handle in ((client, opened["session"]), (started_later, again["session"])):
                asked = {"session": handle}
                for method, more in (
                    ("session/appendMessage", {"message": user("after")}),
                    ("session/createBranchedSession", {"leafId": again["leafId"]}),
                ):
                    with pytest.raises(RpcError, match="newer version") as refused:
                        await one.request(method, {**asked, **more})
                    assert refused.value.kind == "Unsupported"
                found = await one.request("session/getEntries", asked)
                assert [entry["id"] for entry in found["entries"]] == [again["leafId"]]
                listed = await one.request("session/list", {"cwd": "/w"})
                assert [info["path"] for info in listed["sessions"]] == [opened["sessionFile"]]
