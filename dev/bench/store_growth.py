"""Measure a store in PostgreSQL that grows: searches, commands and an idle daemon.

The sizes are 1,000, 10,000 and 50,000 sessions, or what SESSIOND_BENCH_SIZES says, separated by
commas; it takes about ten minutes. A session has ten lines: questions, answers, calls of tools and
their results. SESSIOND_BENCH_POOLER is the URL of a pooler in transaction mode before the database
of SESSIOND_BENCH_STORE, through which the daemon is idle.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import orjson
import psycopg
import wire
from budgets import BUDGETS
from store import server
from table import Row, compared, limited, median

from sessiond.postgres.database import Database
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import Revision
from sessiond.postgres.schema import migrate_at
from sessiond.postgres.writing import write_all

BUDGET = BUDGETS["store_growth"]
SIZES = [
    int(each) for each in os.environ.get("SESSIOND_BENCH_SIZES", "1000,10000,50000").split(",")
]
SEARCHES: dict[str, dict[str, Any]] = {
    "nothing (the latest sessions)": {},
    "a rare word": {"query": "quokka3"},
    "a word that every session has": {"query": "parser"},
    "two such words": {"query": "parser compiler"},
    "a file": {"files": ["src/f17.ts"]},
    "a tool, without words": {"tools": ["bash"]},
    "one day, without words": {"since": "2026-01-03", "until": "2026-01-03"},
    "a word that is in a third of the names, too": {"query": "compiler"},
    "characters scattered over every title": {"query": "xqzj", "mode": "fuzzy"},
    "a word that every session has, `currentBranch`": {"query": "parser", "currentBranch": True},
}
EACH = 7
RUNS = 7
OPEN = 20
IDLE_SECONDS = 30
AT_ONCE = 8
_REPORTED_SECONDS = 15
"""After this time a server knows what its idle connections have done."""

_START = 1_767_225_600_000
_APART = 600_000


def run() -> Iterator[Row]:
    with server() as url, tempfile.TemporaryDirectory() as home:
        asyncio.run(migrate_at(url))
        first: dict[str, float] = {}
        stored = 1
        asyncio.run(_fill(url, 0, stored))
        alone = {words: _command(url, home, *words) for words in _commands_for(1)}
        for size in SIZES:
            asyncio.run(_fill(url, stored, size))
            stored = size
            yield from _searches(url, size, first)
            yield from _commands(url, size, home, list(alone.values()))
        yield _idle(os.environ.get("SESSIOND_BENCH_POOLER", url), url)


async def _fill(url: str, first: int, last: int) -> None:
    database = Database(url)
    numbers = iter(range(first, last))

    async def store_some() -> None:
        for number in numbers:
            name = StoreName("bench", f"{number}.jsonl")
            await write_all(database, name, Revision(), session(number))

    await asyncio.gather(*(store_some() for _ in range(AT_ONCE)))
    await database.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def session(number: int) -> bytes:
    """The lines of a session; one in 500 has a rare word, one in three a name."""
    at = _START + number * _APART
    when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at / 1000))
    rare = f"quokka{number % 7}" if number % 500 == 3 else "ordinary"
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": f"id-{number:06}", "timestamp": when, "cwd": "/w"}
    ]

    def message(**members: Any) -> None:
        parent = lines[-1]["id"] if len(lines) > 1 else None
        base = {"type": "message", "id": f"{len(lines):08x}", "parentId": parent}
        lines.append({**base, "timestamp": when, "message": {**members, "timestamp": at}})

    message(role="user", content=f"Explain xa qo zi ju of the parser, case {number}, {rare}")
    for step in range(3):
        path = f"src/f{(number * 7 + step * 31) % 211}.ts"
        call = {"type": "toolCall", "id": f"c{step}", "name": ("read", "bash", "edit")[step]}
        said = {"type": "text", "text": f"The compiler reads {path}, then step {step} of {number}"}
        message(role="assistant", content=[said, {**call, "arguments": {"path": path}}])
        shown = [{"type": "text", "text": f"export const value{number} = {step};\n" * 6}]
        message(role="toolResult", toolCallId=f"c{step}", toolName=call["name"], content=shown)
    message(role="assistant", content=[{"type": "text", "text": f"The parser is done: {number}"}])
    if number % 3 == 0:
        named = {"type": "session_info", "id": "0000000f", "parentId": lines[-1]["id"]}
        lines.append({**named, "timestamp": when, "name": f"About the compiler {number}"})
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def _searches(url: str, size: int, first: dict[str, float]) -> Iterator[Row]:
    with wire.Process([*wire.DAEMON, "--store", url]) as daemon:
        daemon.request("session/listAll", limit=1)
        for what, asked in SEARCHES.items():
            spans, total = [], 0
            for _ in range(EACH):
                began = time.perf_counter()
                total = daemon.request("catalog/search", **{"query": "", "limit": 50} | asked)[
                    "total"
                ]
                spans.append(time.perf_counter() - began)
            span = median(spans)
            yield compared(
                f"first page of {total:,} hits in {size:,} sessions: {what}",
                span,
                first.setdefault(what, span),
                BUDGET["search"],
                unit="ms",
                beside=f"{SIZES[0]:,} sessions",
            )


def _commands_for(size: int) -> list[tuple[str, ...]]:
    shown = ("show", f"id-{size // 2:06}")
    return [shown, ("tail", "last"), ("list", "--all", "-n", "20"), ("list", "--since", "1d")]


def _commands(url: str, size: int, home: str, alone: list[float]) -> Iterator[Row]:
    for words, before in zip(_commands_for(size), alone, strict=True):
        yield limited(
            f"`{' '.join(words)}` with {size:,} sessions, over that with one",
            _command(url, home, *words) - before,
            BUDGET["command"],
            f"{before * 1e3:.0f} ms",
        )


def _command(url: str, home: str, *words: str) -> float:
    env = {"PATH": os.environ["PATH"], "HOME": home, "SESSIOND_STORE": url}
    spans = []
    for _ in range(RUNS):
        began = time.perf_counter()
        command = [sys.executable, "-m", "sessiond", *words]
        subprocess.run(command, env=env, check=False, capture_output=True)
        spans.append(time.perf_counter() - began)
    return median(spans)


def _idle(pooled: str, url: str) -> Row:
    """The statements of a daemon with open sessions; through a pooler it hears no notification."""
    with wire.Process([*wire.DAEMON, "--store", pooled]) as daemon:
        for number in range(OPEN):
            daemon.request("session/open", path=f"sessiond-store:bench/{number}.jsonl")
        time.sleep(_REPORTED_SECONDS)
        before = _transactions(url)
        time.sleep(IDLE_SECONDS)
        # Without the two questions themselves.
        rate = (_transactions(url) - before - 2) / IDLE_SECONDS
        mode = daemon.request("daemon/status")["watch"]["mode"]
    return limited(
        f"idle, {OPEN} open sessions ({mode}), statements a second", rate, BUDGET["idle"]
    )


def _transactions(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_stat_clear_snapshot()")
        time.sleep(1.1)
        found = connection.execute(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert found is not None
    return int(found[0])
