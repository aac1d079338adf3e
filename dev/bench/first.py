"""Measure the first list and the first usage of sessions of three agents, in processor time.

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
from table import Row, amount, compared, median

BUDGET = BUDGETS["first"]
ROUNDS = 3
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
        env = {"HOME": name, "PATH": os.environ["PATH"]}
        files = list(home.rglob("*.jsonl"))
        size = sum(len(path.read_bytes()) for path in files)
        spent: dict[str, list[float]] = {"baseline": [], "list": [], "usage": []}
        for _ in range(ROUNDS):
            spent["baseline"].append(processor_time([sys.executable, "-c", BASELINE, name], env))
            for command in ("list", "usage"):
                shutil.rmtree(home / ".cache", ignore_errors=True)
                spent[command].append(processor_time([*SESSIOND, command, "--all"], env))
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
        for command in ("list", "usage")
    ]
