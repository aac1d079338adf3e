"""Measure exports of a session of 48 MB to a page and to Markdown, in processor time.

Peers are pi, which makes pages, and converseek, which makes Markdown. The latter is installed from
the registry of Python packages; without it the row has no baseline.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

import generate
import wire
from budgets import BUDGETS
from commands import SESSIOND, processor_time
from table import Row, amount, compared, median

BUDGET = BUDGETS["exporting"]
ROUNDS = 3
SESSION = "bench-5"
SIZE, ENTRIES = 48_000_000, 16_000
PI = wire.REFERENCE / "pi-1.6.0" / "dist" / "bundle" / "cli.js"
NODE = wire.REFERENCE / "node_modules" / ".bin" / "node"
PEER = "converseek"
_CALL = re.compile(rb'"type":"toolCall","id":"(\w+)"')
_RESULT = re.compile(rb'"toolCallId":"\w+"')
PEER_VERSION = "1.0.4"


def run() -> list[Row]:
    peer = installed_peer()
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as name:
        home = Path(name)
        file = home / ".pi" / "agent" / "sessions" / "--home-someone-project--" / f"{SESSION}.jsonl"
        lines = generate.session_lines(5, ENTRIES, SIZE, generate.CWD)
        generate.write(file, with_calls_of_results(lines))
        page, text = str(home / "made.html"), str(home / "made.md")
        ours = [*SESSIOND, "export", str(file), "--force", "-o"]
        node = str(NODE) if NODE.exists() else "node"
        quiet = {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
        env = {"HOME": name, "PATH": os.environ["PATH"], "TERM": "dumb", **quiet}
        commands: dict[str, Sequence[str]] = {
            "page": [*ours, page],
            "pi": [node, str(PI), "--export", str(file), page],
            "Markdown": [*ours, text],
        }
        if peer is not None:
            commands[PEER] = [str(peer), "export", f"pi:{SESSION}", "-o", text]
        spent: dict[str, list[float]] = {each: [] for each in commands}
        for _ in range(ROUNDS):
            for each, command in commands.items():
                spent[each].append(processor_time(command, env))
    return [row("page", spent, "pi"), row("Markdown", spent, PEER)]


def with_calls_of_results(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Let results name the last call, as those of agents do."""
    call = b""
    for line in lines:
        made = _CALL.search(line)
        call = made[1] if made is not None else call
        yield _RESULT.sub(lambda _, call=call: b'"toolCallId":"%b"' % call, line, count=1)


def row(kind: str, spent: dict[str, list[float]], peer: str) -> Row:
    work = f"export of {amount(SIZE, 'MB')} to {kind}, processor time"
    ours = median(spent[kind])
    if peer not in spent:
        return Row(work, amount(ours, "ms"), f"{peer} is not installed")
    theirs = median(spent[peer])
    return compared(work, ours, theirs, BUDGET[kind], unit="ms", beside=f"{peer}'s")


def installed_peer() -> Path | None:
    """Return the program of converseek in an environment of its own; None if there is none."""
    place = generate.CACHE / f"{PEER}-{PEER_VERSION}"
    program = place / "bin" / PEER
    if not program.exists():
        venv.create(place, with_pip=True, clear=True)
        package = f"{PEER}=={PEER_VERSION}"
        install = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", package]
        subprocess.run(install, stdout=sys.stderr, check=False)
    return program if program.exists() else None
