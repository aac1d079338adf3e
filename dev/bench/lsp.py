"""Measure how fast `sessiond lsp` answers an editor about a session of 20 MB, and its memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import generate
import orjson
import wire
from budgets import BUDGETS
from table import Row, amount, limited, median

BUDGET = BUDGETS["lsp"]
ROUNDS = 5
ENTRIES, SIZE = 8_000, 20_000_000
LSP = [*wire.DAEMON, "lsp"]
EMPTY = [
    sys.executable,
    "-c",
    "from pygls.lsp.server import LanguageServer; LanguageServer('x', '1').start_io()",
]


class Editor:
    """A client of a language server: it waits for each answer, and keeps notifications."""

    def __init__(self, command: list[str], home: Path) -> None:
        env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=home
        )
        self._number = 0
        self._told: list[Any] = []

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = orjson.dumps({"jsonrpc": "2.0", **message})
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout is not None
        size = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return orjson.loads(self.process.stdout.read(size))

    def request(self, method: str, params: Any = None) -> Any:
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._told.append(message)

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method, "params": params})

    def wait_for(self, method: str) -> Any:
        while True:
            message = self._told.pop(0) if self._told else self.read()
            if message.get("method") == method:
                return message["params"]

    def greet(self) -> None:
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})

    def close(self) -> None:
        self.request("shutdown")
        self.notify("exit")
        self.process.communicate()


def run() -> list[Row]:
    starts: list[float] = []
    empty: list[float] = []
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as directory:
        home = Path(directory)
        for number in range(ROUNDS):
            empty.append(_start(EMPTY, home))
            starts.append(_start(LSP, home))
            file = home / f"{number}.jsonl"
            lines = generate.session_lines(1, ENTRIES, SIZE, generate.CWD)
            file.write_bytes(b"".join(lines))
            for name, taken in _session(home, file).items():
                times.setdefault(name, []).append(taken)
    begin, least = median(starts), median(empty)
    memory = median(times.pop("memory"))
    return [
        Row(
            "lsp: start → `initialize` answered",
            amount(begin, "ms"),
            f"{amount(least, 'ms')} (an empty server of pygls)",
            f"{amount(begin - least, 'ms')} more",
            begin - least,
            BUDGET["start"],
        ),
        *(_row(name, median(taken)) for name, taken in times.items()),
        limited("lsp: memory with that session", memory, BUDGET["memory"]),
    ]


def _row(name: str, taken: float) -> Row:
    work = f"lsp: 20 MB: {name}"
    return Row(work, amount(taken, "ms"), figure=taken, budget=BUDGET.get(name))


def _start(command: list[str], home: Path) -> float:
    begin = time.perf_counter()
    server = Editor(command, home)
    server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    taken = time.perf_counter() - begin
    server.close()
    return taken


def _session(home: Path, file: Path) -> dict[str, float]:
    """Return seconds by what was asked for, and bytes of memory."""
    times: dict[str, float] = {}
    server = Editor(LSP, home)
    server.greet()
    # The engine is imported before the first question is answered.
    server.request("textDocument/hover", _at(home / "none.jsonl", 0))
    document = {"uri": file.as_uri(), "languageId": "jsonl", "version": 1, "text": ""}

    def timed(name: str, method: str, params: Any) -> Any:
        begin = time.perf_counter()
        found = server.request(method, params)
        times[name] = time.perf_counter() - begin
        return found

    server.notify("textDocument/didOpen", {"textDocument": document})
    here = {"textDocument": {"uri": file.as_uri()}}
    timed("`didOpen` → outline", "textDocument/documentSymbol", here)
    seen = {"start": {"line": 4000, "character": 0}, "end": {"line": 4040, "character": 0}}
    timed("outline again", "textDocument/documentSymbol", here)
    timed("hover", "textDocument/hover", _at(file, 4001))
    timed("hints of 40 lines", "textDocument/inlayHint", {**here, "range": seen})
    timed("folds", "textDocument/foldingRange", here)
    timed("definition", "textDocument/definition", _at(file, 4001))
    server.wait_for("textDocument/publishDiagnostics")
    with file.open("a") as out:
        out.write("{damaged\n")
    begin = time.perf_counter()
    server.wait_for("textDocument/publishDiagnostics")
    times["a foreign append → diagnostics"] = time.perf_counter() - begin
    status = Path(f"/proc/{server.process.pid}/status")
    if status.exists():
        (line,) = (each for each in status.read_text().splitlines() if each.startswith("VmRSS"))
        times["memory"] = float(line.split()[1]) * 1024
    server.close()
    return times


def _at(file: Path, line: int) -> dict[str, Any]:
    position = {"line": line, "character": 0}
    return {"textDocument": {"uri": file.as_uri()}, "position": position}
