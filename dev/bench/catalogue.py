"""Measure lists of very many sessions, the index of their text, and searches while a user types.

The sessions are those of `corpus.py`, made in a temporary directory and removed afterwards: 1,000
(300 MB), or as many as SESSIOND_BENCH_SESSIONS says. The budgets are those of 10,000 (3 GB), for
lists and the index in proportion. Everything is read from the page cache. pi keeps the text of all
messages that it lists, for which Node has too little memory with 10,000 sessions: it lists at most
1,000 of them, evenly spread, and its time is scaled.

Writing and measuring 10,000 sessions takes about ten minutes, and 4 GB in the temporary directory.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

import attrs
import corpus
import wire
from budgets import BUDGETS, Budget
from table import Row, amount, compared, limited, median, percentile

BUDGET = BUDGETS["catalogue"]
SESSIONS = int(os.environ.get("SESSIOND_BENCH_SESSIONS", "1000"))
FULL = 10_000
CHANGED = 10
TYPED = [
    "function",
    "schlüssel",
    "import",
    "漢字",
    "größe path",
    '"the path"',
    "zebra",
    "session error",
    "src/",
]
FILE = "src/197.ts"
INDEXED_WITHIN = 1800
PI_SESSIONS = 1_000


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        folder, home = Path(name, "sessions"), Path(name, "home")
        home.mkdir()
        corpus.write(folder, SESSIONS)
        return measure(folder, home)


def measure(folder: Path, home: Path) -> list[Row]:
    size = 0
    for path in folder.iterdir():
        size += len(path.read_bytes())
    what = f"{SESSIONS:,} sessions ({size / 1e9:.1f} GB)"
    asked: dict[str, Any] = {"cwd": corpus.CWD, "sessionDir": str(folder), "limit": 50}
    with wire.Process(wire.DAEMON, home) as daemon:
        daemon.request("initialize")
        cold = taken(daemon, "session/list", SESSIONS, **asked)
        again = [taken(daemon, "session/list", SESSIONS, **asked) for _ in range(9)]
    theirs, beside = listed_by_pi(folder)
    with wire.Process(wire.DAEMON, home) as daemon:
        daemon.request("initialize")
        change(folder)
        restarted = taken(daemon, "session/list", SESSIONS, **asked)
        start = time.perf_counter()
        first = taken(daemon, "catalog/search", None, query="function", **asked)
        meanwhile = wait_for_index(daemon, home, asked)
        indexed = time.perf_counter() - start - first
        typing = [
            taken(daemon, "catalog/search", None, query=word[:end], **asked)
            for word in TYPED
            for end in range(1, len(word) + 1)
        ]
        touched = [
            taken(daemon, "catalog/search", None, query="", files=[FILE], **asked) for _ in range(9)
        ]
    cache = sum(item.stat().st_size for item in (home / ".cache" / "sessiond").glob("catalog*"))
    p50, p95 = median(typing), percentile(typing, 0.95)
    keys = f"p50 {amount(p50, 'ms')}, {len(typing)} keys"
    return [
        compared(f"list {what}, cold", cold, theirs, BUDGET["cold"], unit="ms", beside=beside),
        within("list them again", median(again), BUDGET["again"]),
        within(
            f"the same in a new process, {CHANGED} of them grown", restarted, BUDGET["new process"]
        ),
        Row("the first search, nothing indexed", amount(first, "ms")),
        within("index them", indexed, BUDGET["index"], f"cache of {amount(cache, 'MB')}"),
        Row("list again meanwhile, p95", amount(meanwhile, "ms")),
        limited("search while typing, p50", p50, BUDGET["typing, p50"]),
        limited("search while typing, p95", p95, BUDGET["typing, p95"], keys),
        limited(f"which sessions touched {FILE}", median(touched), BUDGET["file"]),
    ]


def listed_by_pi(folder: Path) -> tuple[float, str]:
    """The seconds that pi needs for a list of the sessions, and how they were measured."""
    paths = sorted(folder.iterdir())
    every = -(-len(paths) // PI_SESSIONS)
    some = paths[::every]
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        # Not hard links, which change the time of the sessions.
        for path in some:
            Path(name, path.name).symlink_to(path)
        seconds = wire.pi("list", name, corpus.CWD)["list"] / 1000
    if every == 1:
        return seconds, "pi's"
    factor = len(paths) / len(some)
    return seconds * factor, f"{factor:g} times pi's with {len(some):,} of them"


def within(work: str, seconds: float, full: Budget, beside: str = "") -> Row:
    """A row whose budget is for 10,000 sessions."""
    budget = attrs.evolve(full, limit=full.limit * SESSIONS / FULL)
    return limited(work, seconds, budget, beside, f"{seconds / budget.limit:.2f} x the budget")


def taken(daemon: wire.Process, method: str, total: int | None, **params: Any) -> float:
    start = time.perf_counter()
    answer = daemon.request(method, **params)
    seconds = time.perf_counter() - start
    assert total is None or answer["total"] == total, answer["total"]
    return seconds


def change(folder: Path) -> None:
    """Append an entry to ten sessions, spread over the directory."""
    line = b'{"type":"custom","customType":"bench","id":"00000000","parentId":null}\n'
    paths = sorted(folder.iterdir())
    for path in paths[:: max(1, len(paths) // CHANGED)][:CHANGED]:
        with path.open("ab") as file:
            file.write(line)


def wait_for_index(daemon: wire.Process, home: Path, asked: dict[str, Any]) -> float:
    """Wait until every session is in the index; returns the p95 of lists meanwhile."""
    start = time.monotonic()
    (database,) = (home / ".cache" / "sessiond").glob("catalog-v*.sqlite3")
    query = "SELECT count(*) FROM indexed WHERE size >= 0 AND ctime_ns > 0"
    listed: list[float] = []
    while time.monotonic() - start < INDEXED_WITHIN:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
        done = connection.execute(query).fetchone()[0]
        connection.close()
        if done >= SESSIONS:
            return percentile(listed, 0.95) if listed else 0.0
        time.sleep(0.5)
        listed.append(taken(daemon, "session/list", SESSIONS, **asked))
    raise TimeoutError(f"{done} of {SESSIONS} indexed")
