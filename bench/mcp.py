"""Measure how fast `sessiond mcp` answers `initialize`, and its tools."""

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
from table import Row, amount, median, slower_at_most

ROUNDS = 10
MCP = [*wire.DAEMON, "mcp"]
SHARED = [*MCP, "--shared", "--idle-exit", "5"]
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
    bare, alone, shared = [], [], []
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as directory:
        home = Path(directory)
        keeper = LineProcess(SHARED, home)
        keeper.request("initialize", **INITIALIZE)
        for _ in range(ROUNDS):
            bare.append(_start(BARE, home))
            alone.append(_first_answer(MCP, home))
            shared.append(_first_answer(SHARED, home))
        rows = [
            _start_row("mcp: start → `initialize` answered", alone, bare, 6),
            _start_row("mcp: the same with `--shared`", shared, bare, 2),
            *_tools(home),
        ]
        keeper.close()
    return rows


def _start_row(work: str, ours: list[float], bare: list[float], limit: float) -> Row:
    beside = "starting asyncio alone"
    return slower_at_most(work, median(ours), median(bare), limit, unit="ms", beside=beside)


def _start(command: list[str], home: Path) -> float:
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=home) as process:
        assert process.stdout is not None
        process.stdout.readline()
        return time.perf_counter() - begin


def _first_answer(command: list[str], home: Path) -> float:
    begin = time.perf_counter()
    server = LineProcess(command, home)
    server.request("initialize", **INITIALIZE)
    taken = time.perf_counter() - begin
    server.close()
    return taken


def _tools(home: Path) -> list[Row]:
    """The first `tools/list`, which imports the tools, and a call."""
    first, call = [], []
    for _ in range(ROUNDS):
        server = LineProcess(MCP, home)
        server.request("initialize", **INITIALIZE)
        begin = time.perf_counter()
        server.request("tools/list")
        first.append(time.perf_counter() - begin)
        server.request("tools/call", name="list_sessions", arguments={})
        begin = time.perf_counter()
        server.request("tools/call", name="list_sessions", arguments={})
        call.append(time.perf_counter() - begin)
        server.close()
    return [
        Row("mcp: first `tools/list` after that", amount(median(first), "ms"), "", "", "", None),
        Row("mcp: a call, without sessions", amount(median(call), "ms"), "", "", "", None),
    ]
