"""Lists and searches of a store answer as those of files do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from support.app import assistant, daemon, user
from support.client import Client
from support.stores import other_host

from sessiond.postgres import rows

TEXTS: dict[str, tuple[str | None, str, list[str]]] = {
    # id: name, working directory, messages of the user and the assistant in turn
    "one": ("Parser fails", "/w/alpha", ["Why does the Parser\nfail?", "Because the lexer fails."]),
    "two": (None, "/w/beta", ["100% of a_b \\ c", "ends here with race", "condition begins here"]),
    "three": ("ab1 notes", "/w/alpha", ["İstanbul Straße 😀 K", "nothing"]),
    "four": (None, "/elsewhere/parser", ["plain", "race condition in one message"]),
    "five": ("1ab", "/w/beta", ["x", 'said "quoted" words']),
    "six": ("", "/w/gamma", ["\ud800 half", "NUL \0 inside"]),
}

QUERIES = [
    *(
        "parser",
        "fail",
        "PARSER fails",
        '"race condition"',
        '"the parser fail"',
        "a_b",
        "100%",
        "\\",
    ),
    *(
        "%",
        "_",
        "e",
        "strasse",
        "straße",
        "i",
        "k",
        "😀",
        "alpha",
        "notinany",
        "one",
        "",
        "  ",
        '"',
    ),
    *('"said quoted"', "race condition", "x plain"),
]


def lines_of(session_id: str) -> bytes:
    name, cwd, texts = TEXTS[session_id]
    at = f"2025-06-0{1 + list(TEXTS).index(session_id)}T10:00:00.000Z"
    found: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": session_id, "timestamp": at, "cwd": cwd}
    ]
    for number, text in enumerate(texts):
        message = assistant(text) if number % 2 else user(text)
        entry = {"type": "message", "id": f"m{number}", "timestamp": at, "message": message}
        found.append({**entry, "parentId": f"m{number - 1}" if number else None})
    if name is not None:
        found.append(
            {"type": "session_info", "id": "n", "parentId": "m0", "timestamp": at, "name": name}
        )
    return b"".join(json.dumps(line).encode() + b"\n" for line in found)


OWN = ("path", "revision", "activeSince", "activity")
"""What a session in a file and in a store do not have in common."""


def shown(answer: dict[str, Any]) -> Any:
    hits = [
        {**hit, "info": {key: it for key, it in hit["info"].items() if key not in OWN}}
        for hit in answer["hits"]
    ]
    return hits, answer["total"]


@pytest.mark.parametrize("mode", ["text", "fuzzy"])
async def test_searches_of_a_store_find_what_searches_of_files_find(
    tmp_path: Path, store_url: str, mode: str
):
    directory = tmp_path / ".pi" / "agent" / "sessions" / "--any--"
    directory.mkdir(parents=True)
    async with other_host(store_url) as host:
        for session_id in TEXTS:
            (directory / f"{session_id}.jsonl").write_bytes(lines_of(session_id))
            await host.put(f"sessiond-store:any/{session_id}.jsonl", lines_of(session_id))
    async with daemon(tmp_path) as files, daemon(tmp_path, store=store_url) as store:
        for query in QUERIES:
            params = {"query": query, "mode": mode}
            expected = shown(await files.request("catalog/search", params))
            assert shown(await store.request("catalog/search", params)) == expected, query


async def pages(client: Client, method: str, **params: Any) -> list[str]:
    found: list[str] = []
    cursor = None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        answer = await client.request(method, {"limit": 2, **params, **more})
        items = answer.get("sessions") or [hit["info"] for hit in answer["hits"]]
        assert len(items) <= 2
        found += [item["id"] for item in items]
        cursor = answer.get("nextCursor")
        if cursor is None:
            return found


async def test_pages_show_every_session_once(tmp_path: Path, store_url: str):
    async with other_host(store_url) as host:
        for number, session_id in enumerate(TEXTS):
            await host.put(f"sessiond-store:n{number % 2}/{session_id}.jsonl", lines_of(session_id))
    async with daemon(tmp_path, store=store_url) as client:
        newest_first = list(reversed(TEXTS))
        assert await pages(client, "session/listAll") == newest_first
        assert set(await pages(client, "catalog/search", query="")) == set(TEXTS)
        in_one = await pages(client, "session/listAll", sessionDir="sessiond-store:n1")
        assert in_one == [name for name in newest_first if list(TEXTS).index(name) % 2]
        marked = {"hidden": "exclude", "pinnedFirst": True}
        assert await pages(client, "session/listAll", **marked) == newest_first
        assert (await client.request("session/listAll", {"tag": "bug"}))["total"] == 0
        named = await client.request("session/listAll", {"named": True, "limit": 1})
        assert (named["total"], named["sessions"][0]["id"]) == (3, "five")
        of_cwd = await client.request(
            "session/list", {"cwd": "/w/beta", "sessionDir": "sessiond-store:n1"}
        )
        assert [item["id"] for item in of_cwd["sessions"]] == ["two"]


@pytest.mark.parametrize(
    "call",
    [
        "find(NULL, '/w7', NULL)",
        "find(NULL, NULL, 's7')",
        "find(NULL, '/w7', 's7')",
        "poll(NULL, 60)",
    ],
)
def test_a_session_is_found_without_reading_the_others(store_url: str, call: str):
    sessions = 3000
    with psycopg.connect(store_url, autocommit=True) as connection:
        connection.execute("INSERT INTO sessiond.namespace VALUES ('n')")
        connection.execute(
            """
            INSERT INTO sessiond.session (session, namespace, key, generation, bytes, ended,
                written_by, changed, header, id, cwd, messages, created, latest, fields)
            SELECT gen_random_uuid(), 'n', 's' || i, 1, 1, true, gen_random_uuid(),
                CASE i WHEN 7 THEN clock_timestamp() ELSE '2025-06-01' END, '{}',
                convert_to('s' || i, 'UTF8'), convert_to('/w' || i, 'UTF8'), 0, i, i, ''
            FROM generate_series(1, %s) AS i
            """,
            (sessions,),
        )
        connection.execute("ANALYZE sessiond.session")
        with connection.transaction():
            found = connection.execute(f"SELECT * FROM sessiond.{call}".encode())
            assert [row[:2] for row in found] == [("n", "s7")]
            read = connection.execute(
                "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
                " WHERE relname = 'session'"
            )
            ((rows_read,),) = read.fetchall()
    assert rows_read < sessions / 100


async def test_counts_follow_names_deletions_and_restores(tmp_path: Path, store_url: str):
    path = "sessiond-store:default/two.jsonl"
    async with other_host(store_url) as host:
        await host.put(path, lines_of("two"))

    async def totals(client: Client) -> list[int]:
        asked = ({}, {"named": True})
        return [
            (await client.request("session/listAll", {"limit": 0, **each}))["total"]
            for each in asked
        ]

    async with daemon(tmp_path, store=store_url) as client:
        assert await totals(client) == [1, 0]
        await client.request("catalog/rename", {"path": path, "name": "second"})
        assert await totals(client) == [1, 1]
        await client.request("catalog/delete", {"path": path})
        assert await totals(client) == [0, 0]
        await client.request("catalog/restore", {"path": path})
        assert await totals(client) == [1, 1]
        await client.request("catalog/rename", {"path": path, "name": ""})
        assert await totals(client) == [1, 0]
        await client.request("catalog/delete", {"path": path, "permanently": True})
        assert await totals(client) == [0, 0]


async def test_a_session_is_read_and_stored_in_parts(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rows, "READ_BYTES", 100)
    path = "sessiond-store:default/one.jsonl"
    async with other_host(store_url) as host:
        await host.put(path, lines_of("one"))
        assert await host.get(path) == lines_of("one")
        async with daemon(tmp_path, store=store_url) as client:
            opened = await client.request("session/open", {"path": path})
            assert opened["entryCount"] == 3
            added = b"".join(
                b'{"type":"custom","id":"c%d","parentId":"m0","timestamp":"","customType":"%b"}\n'
                % (number, b"x" * 90)
                for number in range(5)
            )
            await host.append(path, added)
            state = await client.request("session/getState", {"session": opened["session"]})
            assert state["entryCount"] == 8
            usage = await client.request("catalog/usage", {"by": "session"})
            assert usage["sessionCount"] == 1
            text = await client.request("session/listAll", {"includeText": True})
            assert "lexer" in text["sessions"][0]["allMessagesText"]


async def test_an_entry_of_20_megabytes_is_stored_and_read(tmp_path: Path, store_url: str):
    async with daemon(tmp_path, store=store_url) as client:
        opened = await client.request("session/create", {"cwd": "/w"})
        text = "y" * 20_000_000
        made = await client.request(
            "session/appendMessage", {"session": opened["session"], "message": user("first")}
        )
        made = await client.request(
            "session/appendMessage", {"session": opened["session"], "message": assistant(text)}
        )
    async with daemon(tmp_path, store=store_url) as client:
        again = await client.request("session/open", {"path": opened["sessionFile"]})
        entry = await client.request(
            "session/getEntry", {"session": again["session"], "id": made["id"]}
        )
        assert entry["entry"]["message"] == assistant(text)
