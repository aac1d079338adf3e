"""Measure the first list, usage, search and index of sessions of three agents, in processor time.

The baseline is what Python needs at least: `json.loads` of every line.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import mixed
from budgets import BUDGETS
from commands import SESSIOND, processor_time
from table import Row, amount, compared, limited, median

BUDGET = BUDGETS["first"]
ROUNDS = 3
RARE = "quzzlewump"
"""A word that one session has."""
LINES = """\
{"type":"session","version":3,"id":"r","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"A %s."}}
"""
INDEX = """
import pathlib, sys
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.index.texts import fill
from sessiond.runtime.isolation import Faults
files = map(str, pathlib.Path(sys.argv[1]).rglob("*.jsonl"))
fill(SearchCache(sys.argv[2]), files, lambda: None, Faults())
"""
SIZE = int(os.environ.get("SESSIOND_BENCH_MB", "200")) * 1_000_000
BASELINE = """
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.jsonl"):
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
"""


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        home = Path(name)
        mixed.write(home, SIZE)
        rare = home / ".pi/agent/sessions/--w--/rare.jsonl"
        rare.parent.mkdir(parents=True, exist_ok=True)
        rare.write_text(LINES % RARE)
        env = {"HOME": name, "PATH": os.environ["PATH"]}
        files = list(home.rglob("*.jsonl"))
        size = sum(len(path.read_bytes()) for path in files)
        commands = {"list": ["--all"], "usage": ["--all"], "search": [RARE]}
        spent: dict[str, list[float]] = {"baseline": [], **{command: [] for command in commands}}
        for _ in range(ROUNDS):
            spent["baseline"].append(processor_time([sys.executable, "-c", BASELINE, name], env))
            for command, words in commands.items():
                shutil.rmtree(home / ".cache", ignore_errors=True)
                spent[command].append(processor_time([*SESSIOND, command, *words], env))
        index = home / "index" / "catalog.sqlite3"
        indexing = [sys.executable, "-c", INDEX, name, str(index)]
        spent["index"] = [processor_time(indexing, env)]
        share = index.stat().st_size / size
    of_what = f"{len(files):,} sessions of three agents ({amount(size, 'MB')}), processor time"
    return [
        compared(
            f"the first `sessiond {command}` of {of_what}",
            median(spent[command]),
            median(spent["baseline"]),
            BUDGET[command],
            unit="ms",
            beside="json.loads of every line",
        )
        for command in commands
    ] + [
        compared(
            f"the search index of {of_what}",
            median(spent["index"]),
            median(spent["baseline"]),
            BUDGET["index"],
            unit="ms",
            beside="json.loads of every line",
        ),
        limited("its size, in sizes of the sessions", share, BUDGET["index size"]),
    ]
