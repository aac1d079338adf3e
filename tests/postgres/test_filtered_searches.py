"""Searches of a store with filters give the results of a naive reader, and those of files."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from catalog.test_search_of_what_was_done import (
    QUERIES,
    branch,
    filters,
    generated,
    is_wanted,
    line,
    naive,
    session,
    tokens,
)
from support.app import assistant, daemon, user
from support.client import Client, RpcError
from support.effort import effort
from support.mirrors import mirroring
from support.stores import OtherHost, Server, other_host

from sessiond.catalog.message_text import beside
from sessiond.catalog.search.pages import SearchQuery
from sessiond.catalog.search.query import parse
from sessiond.catalog.wanted_texts import WantedTexts
from sessiond.files.contents import Contents
from sessiond.format.load import load
from sessiond.postgres.catalog import search as searching
from sessiond.postgres.catalog.scope import NamespaceScope
from sessiond.postgres.names import PREFIX
from sessiond.runtime.limits import SEARCH_SECONDS

HEADER = b'{"type":"session","version":3,"id":"s","cwd":"/w"}'
EVERYWHERE = NamespaceScope(PREFIX)


def content(number: int, lines: list[dict[str, Any]]) -> bytes:
    header = {"type": "session", "version": 3, "id": f"parser{number}", "cwd": "/parser"}
    return "".join(json.dumps(row) + "\n" for row in (header, *lines)).encode()


async def put_in_steps(host: OtherHost, path: str, data: bytes, chosen: random.Random) -> None:
    """Store some lines, the header at least, and append the others."""
    lines = data.splitlines(keepends=True)
    first = chosen.randrange(1, len(lines) + 1)
    await host.put(path, b"".join(lines[:first]))
    while first < len(lines):
        until = chosen.randrange(first + 1, len(lines) + 1)
        await host.append(path, b"".join(lines[first:until]))
        first = until


def any_entries(chosen: random.Random) -> list[bytes]:
    """Entries that mostly continue one another, and other lines."""
    lines: list[bytes] = []
    ids: list[str | None] = [None]
    for number in range(chosen.randrange(6)):
        entry: dict[str, Any] = {"type": "custom", "id": f"e{number}", "parentId": ids[-1]}
        match chosen.randrange(24):
            case 0:
                entry["parentId"] = chosen.choice([*ids, "missing"])
            case 1:
                entry["id"] = chosen.choice([ids[-1] or "e", 7, ""])
            case 2:
                entry |= {"type": "leaf", "targetId": chosen.choice(ids)}
            case 3:
                entry["appendMode"] = "side"
            case 4:
                entry |= {"type": "label", "targetId": ids[-1], "label": "x"}
            case 5:
                lines.append(chosen.choice([b"", b"{damaged", b"[]", b"{}", b'{"type":"custom"}']))
        lines.append(json.dumps(entry).encode())
        ids.append(entry["id"] if isinstance(entry["id"], str) else ids[-1])
    return lines


async def test_a_session_is_known_to_have_one_branch_only_if_it_has(store_url: str):
    chosen, known, path = random.Random(3), 0, f"{PREFIX}n/s.jsonl"
    async with other_host(store_url) as host:
        for _ in range(effort(150, 1500)):
            lines = [HEADER, *any_entries(chosen)]
            data = b"".join(each + b"\n" for each in lines)
            await put_in_steps(host, path, data, chosen)
            ((tip,),) = await host.database.rows("", "SELECT tip FROM sessiond.session")
            contents = Contents.of(load(data), b"")
            is_one_branch = not beside(contents)
            assert tip is None or is_one_branch
            assert tip is None or tip.decode() == (contents.tree.leaf_id or "")
            known += tip is not None
        assert known > effort(75, 750)


@pytest.mark.parametrize("seed", range(effort(3, 12)))
async def test_hits_with_any_filter_equal_those_of_a_naive_reading(store_url: str, seed: int):
    chosen = random.Random(seed)
    contents: dict[str, list[dict[str, Any]]] = {}
    hits = 0
    async with other_host(store_url) as host:
        for number in range(25):
            path = f"{PREFIX}n{number % 3}/{number}.jsonl"
            contents[path] = generated(chosen)
            await put_in_steps(host, path, content(number, contents[path]), chosen)
        for _ in range(80):
            wanted, query = filters(chosen), chosen.choice(QUERIES)
            if wanted.is_all_that_was_said:
                continue
            held = {
                path: [text[2].lower() for text in naive(lines) if is_wanted(text, wanted)]
                for path, lines in contents.items()
            }
            expected = {
                path
                for path, texts in held.items()
                if texts and all(any(word in text for text in texts) for word in tokens(query))
            }
            asked = SearchQuery(parse(query, "text"), None, 50, wanted=wanted)
            page = await searching.search(host.database, EVERYWHERE, asked)
            assert {hit.summary.path for hit, _ in page.shown} == expected, (query, wanted)
            assert (page.total, page.rest, list(page.faults)) == (len(expected), len(expected), [])
            hits += len(expected)
            for hit, shown in page.shown:
                current = branch(contents[hit.summary.path])
                assert 1 <= len(shown) <= 3
                for each in shown:
                    assert each.field in wanted.fields
                    assert each.on_current_branch in (None, each.entry_id in current)
                    assert each.entry_id in current or not wanted.of_current_branch
                words = tokens(query) or [""]
                texts = held[hit.summary.path]
                assert hit.matches == sum(any(word in text for word in words) for text in texts)
            await check_pages(host, asked, [hit.summary.path for hit, _ in page.shown])
    assert hits > 50


async def check_pages(host: OtherHost, asked: SearchQuery, expected: list[str]) -> None:
    """Pages of a few hits show the same hits in the same order."""
    found: list[str] = []
    after = None
    while len(found) < len(expected):
        some = SearchQuery(asked.query, after, 4, wanted=asked.wanted)
        page = await searching.search(host.database, EVERYWHERE, some)
        assert (page.total, page.rest) == (len(expected), len(expected) - len(found))
        found += [hit.summary.path for hit, _ in page.shown]
        last, _ = page.shown[-1]
        after = last.rank, last.summary.path
    assert found == expected


FILTERS: list[dict[str, Any]] = [
    {},
    {"mode": "fuzzy"},
    {"fields": ["said"]},
    {"fields": ["results", "commands"]},
    {"roles": ["assistant"]},
    {"tools": ["Edit", "bash"]},
    {"files": ["src/api.ts"]},
    {"files": ["/w/src/./api.ts", "README.md"], "tools": ["read"]},
    {"files": ["api.ts", "/"]},
    {"model": "OPUS"},
    {"since": "1970-01-01"},
    {"until": "1969-12-31"},
    {"since": "1970-01-01", "until": "1970-01-02", "fields": ["calls", "summaries"]},
    {"currentBranch": True},
    {"currentBranch": True, "fields": ["thinking", "labels"], "limit": 2},
    {"agent": "pi", "limit": 3},
]


def shown(answer: dict[str, Any]) -> Any:
    """An answer without what differs between files and a store."""
    return (
        [
            ({**hit, "info": hit["info"]["id"]}, hit["info"]["messageCount"])
            for hit in answer["hits"]
        ],
        answer["total"],
        "nextCursor" in answer,
    )


async def test_a_store_answers_as_files_do(tmp_path: Path, store_url: str):
    chosen = random.Random(7)
    directory = tmp_path / ".pi" / "agent" / "sessions" / "--any--"
    directory.mkdir(parents=True)
    async with other_host(store_url) as host:
        for number in range(12):
            lines = generated(chosen)
            if number % 4 == 1:
                name = f"the lexer \n x {number}"
                lines.append({"type": "session_info", "id": "n", "parentId": None, "name": name})
            data = content(number, lines)
            (directory / f"{number}.jsonl").write_bytes(data)
            await host.put(f"{PREFIX}any/{number}.jsonl", data)
    async with daemon(tmp_path) as files, daemon(tmp_path, store=store_url) as store:
        for more in FILTERS:
            for query in [
                *QUERIES,
                "lexer x",
                "prsr",
                "dedlck",
                "lxr prs",
                '"the lexer"',
                "parser1",
                "50%",
                "_",
            ]:
                params = {"query": query, "timezone": "UTC", **more}
                expected = shown(await files.request("catalog/search", params))
                assert shown(await store.request("catalog/search", params)) == expected, params


async def test_who_touched_a_file_is_answered_newest_first_with_what_was_done(
    tmp_path: Path, store_url: str
):
    def lines(tool: str, path: str, at: int) -> bytes:
        call = {"type": "toolCall", "name": tool, "arguments": {"path": path, "new": "x = 1"}}
        return session(line(1, at, role="assistant", content=[call])).encode()

    async with other_host(store_url) as host, daemon(tmp_path, store=store_url) as client:
        await host.put(f"{PREFIX}n/a.jsonl", lines("edit", "src/./api.ts", 1_764_000_000_000))
        await host.put(f"{PREFIX}n/b.jsonl", lines("read", "/w/src/api.ts", 1_764_086_400_000))
        await host.put(f"{PREFIX}n/c.jsonl", lines("Write", "other/api.ts", 1_764_172_800_000))
        for asked, expected in [
            ({"files": ["src/api.ts"]}, ["read", "edit"]),
            ({"files": ["api.ts"]}, ["Write", "read", "edit"]),
            ({"files": ["/x/other/api.ts"]}, ["Write"]),
            ({"files": ["rc/api.ts"]}, []),
            ({"files": ["api.ts"], "until": "2025-11-25"}, ["read", "edit"]),
            ({"files": ["api.ts"], "since": "2025-11-25"}, ["Write", "read"]),
        ]:
            answer = await client.request(
                "catalog/search", {"query": "", "timezone": "UTC", **asked}
            )
            found = [piece for hit in answer["hits"] for piece in hit["snippets"]]
            assert [piece["tool"] for piece in found] == expected, asked
            assert all(piece["field"] == "calls" and piece["time"] for piece in found)


_TEXTS = """
    SELECT m.start, m.part, m.field, m.role, m.time, m.tool, m.file, m.model, m.body
    FROM sessiond.message m JOIN sessiond.session s USING (session, generation)
    WHERE s.namespace = %s ORDER BY m.start, m.part
"""


async def test_every_writer_makes_the_same_texts(tmp_path: Path, store_url: str):
    lines = generated(random.Random(3))
    data = content(1, lines)
    header, rest = data.split(b"\n", 1)
    directory = tmp_path / "files"
    directory.mkdir()
    (directory / "s.jsonl").write_bytes(header + b"\n" + rest[: len(rest) // 2])
    async with other_host(store_url) as host:
        async with mirroring(store_url, directory, namespace="mirrored") as one:
            await one.mirror.once()
            (directory / "s.jsonl").write_bytes(data)
            await one.mirror.once()
        await host.put(f"{PREFIX}pushed/s.jsonl", data)
        await host.put(f"{PREFIX}appended/s.jsonl", header + b"\n")
        await host.append(f"{PREFIX}appended/s.jsonl", rest)
        pushed, appended, mirrored = [
            await host.database.rows("", _TEXTS, (name,))
            for name in ("pushed", "appended", "mirrored")
        ]
    assert len(pushed) == len([text for text in naive(lines) if text[2].strip()]) > 5
    assert pushed == appended == mirrored


async def test_a_line_that_is_too_deep_to_be_shown_is_stored(store_url: str):
    deep = "[" * 990 + "]" * 990
    call = {"type": "toolCall", "name": "edit", "arguments": {"path": "a.py", "new": "DEEP"}}
    data = session(line(1, 1, role="assistant", content=[call])).replace('"DEEP"', deep).encode()
    async with other_host(store_url) as host:
        await host.put(f"{PREFIX}n/a.jsonl", data)
        assert await host.get(f"{PREFIX}n/a.jsonl") == data


async def test_clients_fill_and_search_what_was_done(tmp_path: Path, store_url: str):
    call = {"type": "toolCall", "id": "c", "name": "edit", "arguments": {"path": "a.py"}}
    done = {**assistant("done"), "content": [call]}
    async with daemon(tmp_path, store=store_url) as client:
        opened = await client.request("session/create", {"cwd": "/w"})
        params = {"session": opened["session"]}
        await client.request("session/appendMessage", {**params, "message": user("go")})
        # Together, so that one call appends both.
        waiting = [
            client.request("session/appendMessage", {**params, "message": done}) for _ in range(2)
        ]
        await asyncio.gather(*waiting)
        answer = await client.request("catalog/search", {"query": "", "files": ["a.py"]})
        assert [hit["matchCount"] for hit in answer["hits"]] == [2]


@asynccontextmanager
async def reader_of(server: Server, url: str, namespace: str) -> AsyncIterator[str]:
    """The URL of a role that reads one namespace."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE ROLE a_searcher LOGIN")
        owner.execute("SELECT sessiond.admit('a_searcher', %s)", (namespace,))
        yield server.to("store", user="a_searcher")
        owner.execute("DROP OWNED BY a_searcher")
        owner.execute("DROP ROLE a_searcher")


async def test_a_role_finds_nothing_of_another_namespace(
    tmp_path: Path, server: Server, store_url: str
):
    chosen = random.Random(11)
    async with other_host(store_url) as host:
        for number in range(12):
            data = content(number, generated(chosen))
            await host.put(f"{PREFIX}n{number % 2}/{number}.jsonl", data)
    async with (
        reader_of(server, store_url, "n1") as url,
        daemon(tmp_path, store=url) as reader,
        daemon(tmp_path, store=store_url, roots=["n1"]) as owner,
    ):
        for more in FILTERS:
            for query in ("", "parser", "x"):
                params = {"query": query, "timezone": "UTC", **more}
                found = await reader.request("catalog/search", params)
                assert all(f"{PREFIX}n1/" in hit["info"]["path"] for hit in found["hits"])
                # As if there was nothing else.
                assert without_cursor(found) == without_cursor(await owner_answer(owner, params))


async def owner_answer(owner: Client, params: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = await owner.request("catalog/search", params)
    return answer


def without_cursor(answer: dict[str, Any]) -> Any:
    return answer["hits"], answer["total"], "nextCursor" in answer


async def test_a_search_begins_with_the_sessions_that_may_be_read(store_url: str):
    with psycopg.connect(store_url, autocommit=True) as owner:
        owner.execute("INSERT INTO sessiond.namespace VALUES ('small'), ('large')")
        owner.execute(
            """
            INSERT INTO sessiond.session (session, namespace, key, generation, bytes, ended,
                written_by, header, id, cwd, messages, created, latest, fields)
            SELECT md5(n::text)::uuid, CASE WHEN n % 500 = 0 THEN 'small' ELSE 'large' END, n, 1,
                1, true, gen_random_uuid(), '', '', '/w', 1, n, n, '' FROM generate_series(1, 5000) n
            """
        )
        owner.execute(
            """
            INSERT INTO sessiond.message (session, generation, start, part, field, body)
            SELECT md5(n::text)::uuid, 1, p * 100, 0, 'said', 'a word ' || md5(n || '-' || p)
            FROM generate_series(1, 5000) n, generate_series(1, 10) p
            """
        )
        owner.execute("ANALYZE sessiond.session, sessiond.message")
        ((statement,),) = owner.execute(
            "SELECT sessiond.search_statement('{small}', NULL, '{%%word%%}', '{%%word%%}', %s,"
            " NULL, NULL, 50)",
            ('{"fields": ["said"]}',),
        )
        plan = owner.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode()).fetchone()
        assert plan is not None
        assert 0 < messages_read(plan[0][0]["Plan"]) <= 100


def messages_read(plan: dict[str, Any]) -> float:
    """How many rows of messages a plan has read."""
    own = 0.0
    if plan.get("Relation Name") == "message":
        rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        own = plan["Actual Loops"] * rows
    return own + sum(map(messages_read, plan.get("Plans", ())))


async def test_a_search_of_the_current_branch_ends_in_time(
    store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(searching, "SEARCH_SECONDS", -1.0)
    wanted = SearchQuery(parse("x", "text"), None, 9, wanted=WantedTexts(of_current_branch=True))
    async with other_host(store_url) as host:
        page = await searching.search(host.database, EVERYWHERE, wanted)
        assert [fault.kind for fault in page.faults] == ["timedOut"]


@pytest.mark.parametrize("more", [{}, {"fields": ["said", "results", "calls"]}])
async def test_many_words_are_found_at_once(tmp_path: Path, store_url: str, more: dict[str, Any]):
    words = " ".join(f"word{number}" for number in range(128))
    said = line(1, 1, role="user", content=words)
    async with other_host(store_url) as host, daemon(tmp_path, store=store_url) as client:
        await host.put(f"{PREFIX}n/a.jsonl", session(said).encode())
        async with asyncio.timeout(SEARCH_SECONDS):
            answer = await client.request("catalog/search", {"query": words, **more})
            assert (answer["total"], answer["hits"][0]["distance"]) == (1, 128e6)
            answer = await client.request("catalog/search", {"query": words[:-1] + "x", **more})
            assert answer["total"] == 0


async def test_regular_expressions_are_refused_with_the_reason(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as client:
        with pytest.raises(RpcError, match="the database does not know those") as raised:
            await client.request("catalog/search", {"query": "a.c", "mode": "regex"})
        assert raised.value.kind == "Unsupported"
