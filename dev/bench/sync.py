"""Measure syncs: of 10,000 sessions without a difference, and of a session of 150 MB that grew.

Both sides are on this machine, the second one in a folder, so a sync may take twice as long as two
lists. The bytes are those between two processes, as ssh gets them before it compresses.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import generate
from budgets import BUDGETS
from commands import SESSIOND
from table import Row, compared, limited, median

BUDGET = BUDGETS["sync"]
SESSIONS = int(os.environ.get("SESSIOND_BENCH_SESSIONS", "10000"))
ROUNDS = 5
SIZE, ENTRIES = 150_000_000, 50_000
_GROWN = "y" * 900
_SSH = """#!/bin/sh
export HOME={there}
tee {sent} | {program} sync --answer | tee {received}
"""


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        return [without_a_difference(Path(name, "many")), growth(Path(name, "large"))]


def without_a_difference(home: Path) -> Row:
    write_many(home)
    folder = str(home / "cloud")
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    for _ in range(2):
        seconds([*SESSIOND, "sync", folder], env)
        seconds([*SESSIOND, "list", "--all", "-n", "1"], env)
    syncs = [seconds([*SESSIOND, "sync", folder], env) for _ in range(ROUNDS)]
    lists = [seconds([*SESSIOND, "list", "--all", "-n", "1"], env) for _ in range(ROUNDS)]
    what = f"sync both sides of {SESSIONS:,} sessions without a difference"
    budget = BUDGET["without a difference"]
    beside = "one warm list"
    return compared(what, median(syncs), median(lists), budget, unit="ms", beside=beside)


def write_many(home: Path) -> None:
    for number in range(SESSIONS):
        cwd = str(home / f"p{number % 200}")
        folder = home / ".pi/agent/sessions" / f"--{cwd[1:].replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        lines = generate.plain_lines(number, 20, 5000, cwd)
        head, *rest = lines
        name = f"01a00000-0000-7000-8000-{number:012x}"
        header = json.dumps(json.loads(head) | {"id": name}).encode()
        path = folder / f"2026-01-01T00-00-00-000Z_{name}.jsonl"
        path.write_bytes(b"\n".join([header, *(line.rstrip(b"\n") for line in rest), b""]))


def growth(home: Path) -> Row:
    """Sync over pipes a session that grew by 1 kB; count the bytes of both directions."""
    cwd = str(home / "shop")
    file = home / ".pi/agent/sessions" / f"--{cwd[1:].replace('/', '-')}--" / "2026_large.jsonl"
    generate.write(file, generate.session_lines(7, ENTRIES, SIZE, cwd))
    programs = home / "bin"
    programs.mkdir()
    sent, received = home / "sent", home / "received"
    ssh = programs / "ssh"
    program = shlex.join(SESSIOND)
    ssh.write_text(_SSH.format(there=home / "there", sent=sent, received=received, program=program))
    ssh.chmod(0o755)
    env = {"HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"}
    seconds([*SESSIOND, "sync", "box"], env)
    *_, last = file.read_bytes().rstrip(b"\n").rsplit(b"\n", 1)
    parent = json.loads(last)["id"]
    message = {"role": "user", "content": _GROWN}
    entry = {"type": "message", "id": "grown", "parentId": parent, "message": message}
    with file.open("a") as out:
        out.write(json.dumps(entry | {"timestamp": "2026-01-01T00:00:00.000Z"}) + "\n")
    took = seconds([*SESSIOND, "sync", "box"], env)
    size = sent.stat().st_size + received.stat().st_size
    what = f"bytes of a sync of {SIZE / 1e6:.0f} MB that grew by 1 kB (in {took:.1f} s)"
    return limited(what, size, BUDGET["growth"])


def seconds(command: Sequence[str], env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    return time.perf_counter() - began
