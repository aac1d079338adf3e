"""Measure lists of 10,000 sessions (3 GB), and searches while a user types.

The 3 GB are ten copies of the 1,000 generated sessions, each file with its own inode.
SESSIOND_BENCH_COPIES sets another number of copies.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

import generate
import wire
from table import Row, amount, median, percentile

COPIES = int(os.environ.get("SESSIOND_BENCH_COPIES", "10"))
CHANGED = 10
TYPED = [
    "function",
    "schlüssel",
    "import os",
    "漢字",
    "größe path",
    '"the path"',
    "zebra",
    "return",
]
INDEXED_WITHIN = 600


def run() -> list[Row]:
    folder = crowd()
    count = len(os.listdir(folder))
    size = sum(item.stat().st_size for item in os.scandir(folder))
    what = f"{count:,} sessions ({size / 1e9:.1f} GB)"
    asked: dict[str, Any] = {"cwd": generate.CWD, "sessionDir": str(folder), "limit": 50}
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        home = Path(name)
        with wire.Process(wire.DAEMON, home) as daemon:
            daemon.request("initialize")
            before = high_water(daemon)
            cold = taken(daemon, "session/list", count, **asked)
            peak = high_water(daemon) - before
            again = [taken(daemon, "session/list", count, **asked) for _ in range(5)]
            change(folder)
            current = taken(daemon, "session/list", count, **asked)
        with wire.Process(wire.DAEMON, home) as daemon:
            daemon.request("initialize")
            change(folder)
            restarted = taken(daemon, "session/list", count, **asked)
            first = taken(daemon, "catalog/search", None, query="function", **asked)
            indexed = wait_for_index(home, count)
            typing = [
                taken(daemon, "catalog/search", None, query=word[:end], **asked)
                for word in TYPED
                for end in range(1, len(word) + 1)
            ]
        cache = sum(item.stat().st_size for item in (home / ".cache" / "sessiond").iterdir())
    p50, p95 = median(typing), percentile(typing, 0.95)
    keys = f"p95 {amount(p95, 'ms')}, {len(typing)} keys"
    return [
        figure(f"list {what}, cold", cold, f"peak memory + {amount(peak, 'MB')}"),
        figure("list them again", median(again), ""),
        figure(f"the same after {CHANGED} have grown", current, ""),
        figure(f"a new daemon lists them after {CHANGED} more", restarted, "from the cache"),
        figure("the first search, nothing indexed", first, f"all indexed after {indexed:.0f} s"),
        figure("search while typing, p50", p50, f"{keys}; cache of {amount(cache, 'MB')}"),
    ]


def figure(work: str, seconds: float, beside: str) -> Row:
    return Row(work, amount(seconds, "ms"), beside, "", "", None)


def taken(daemon: wire.Process, method: str, total: int | None, **params: Any) -> float:
    start = time.perf_counter()
    answer = daemon.request(method, **params)
    seconds = time.perf_counter() - start
    assert total is None or answer["total"] == total, answer["total"]
    return seconds


def crowd() -> Path:
    """Return the directory, which is created once; every file is in the page cache afterwards."""
    one = generate.many()
    folder = generate.CACHE / f"crowd-{COPIES}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for copy in range(COPIES):
            for path in one.iterdir():
                shutil.copyfile(path, unfinished / f"{path.stem}-{copy}.jsonl")
        unfinished.rename(folder)
    for path in folder.iterdir():
        path.read_bytes()
    return folder


def change(folder: Path) -> None:
    """Append an entry to ten sessions, spread over the directory."""
    line = b'{"type":"custom","customType":"bench","id":"00000000","parentId":null}\n'
    paths = sorted(folder.iterdir())
    for path in paths[:: len(paths) // CHANGED][:CHANGED]:
        with path.open("ab") as file:
            file.write(line)


def wait_for_index(home: Path, count: int) -> float:
    start = time.monotonic()
    database = home / ".cache" / "sessiond" / "catalog-v3.sqlite3"
    query = "SELECT count(*) FROM indexed WHERE size >= 0 AND ctime_ns > 0"
    while time.monotonic() - start < INDEXED_WITHIN:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
        done = connection.execute(query).fetchone()[0]
        connection.close()
        if done >= count:
            return time.monotonic() - start
        time.sleep(1)
    raise TimeoutError(f"{done} of {count} indexed")


def high_water(daemon: wire.Process) -> int:
    """Return the peak memory of the process in bytes."""
    for line in Path(f"/proc/{daemon.process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmHWM")
