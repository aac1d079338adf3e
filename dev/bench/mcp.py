"""Measure how fast `sessiond mcp` answers what agents ask for first, and its tools."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import wire
from budgets import BUDGETS, Budget
from table import Row, amount, compared, median

BUDGET = BUDGETS["mcp"]
ROUNDS = 10
MCP = [*wire.DAEMON, "mcp"]
SHARED = [*MCP, "--shared", "--idle-exit", "5"]
SHARED_BRIEFLY = [*MCP, "--shared", "--idle-exit", "0"]
BARE = [sys.executable, "-c", "import asyncio; asyncio.run(asyncio.sleep(0)); print()"]
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class LineProcess:
    """A server that speaks in lines, in this home and directory."""

    def __init__(self, command: Sequence[str], home: Path) -> None:
        env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=home
        )
        self._number = 0

    def request(self, method: str, **params: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._number += 1
        self.process.stdin.write(wire.body_of(self._number, method, **params) + b"\n")
        self.process.stdin.flush()
        answer = orjson.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def close(self) -> None:
        self.process.communicate()


def run() -> list[Row]:
    bare, alone, shared, first = [], [], [], []
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as directory:
        home = Path(directory)
        keeper = LineProcess(SHARED, home)
        keeper.request("initialize", **INITIALIZE)
        keeper.request("tools/call", name="list_sessions", arguments={})
        for number in range(ROUNDS):
            bare.append(_start(BARE, home))
            alone.append(_start_to_tools(MCP, home))
            shared.append(_start_to_tools(SHARED, home))
            # In another home no daemon runs.
            other = home / str(number)
            other.mkdir()
            first.append(_start_to_tools(SHARED_BRIEFLY, other))
        rows = [
            _start_row(
                "mcp: start → `initialize` and `tools/list` answered", alone, bare, BUDGET["start"]
            ),
            _start_row("mcp: the same with `--shared`", shared, bare, BUDGET["shared"]),
            _start_row(
                "mcp: the same with `--shared`, as the first client", first, bare, BUDGET["shared"]
            ),
            *_calls(home),
        ]
        keeper.close()
    return rows


def _start_row(work: str, ours: list[float], bare: list[float], budget: Budget) -> Row:
    beside = "starting asyncio alone"
    return compared(work, median(ours), median(bare), budget, unit="ms", beside=beside)


def _start(command: list[str], home: Path) -> float:
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=home) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - begin


def _start_to_tools(command: list[str], home: Path) -> float:
    begin = time.perf_counter()
    server = LineProcess(command, home)
    server.request("initialize", **INITIALIZE)
    server.request("tools/list")
    taken = time.perf_counter() - begin
    server.close()
    return taken


def _calls(home: Path) -> list[Row]:
    """The first call of a tool, which imports the tools and lists the sessions, and a later one."""
    first, call = [], []
    for _ in range(ROUNDS):
        server = LineProcess(MCP, home)
        server.request("initialize", **INITIALIZE)
        server.request("tools/list")
        for times in (first, call):
            begin = time.perf_counter()
            server.request("tools/call", name="list_sessions", arguments={})
            times.append(time.perf_counter() - begin)
        server.close()
    return [
        Row("mcp: first call of a tool after that", amount(median(first), "ms")),
        Row("mcp: a call, without sessions", amount(median(call), "ms")),
    ]
