"""Compare each client with a raw pipe: one small request at a time, and an answer of 10 MB.

A program per client measures through its library and prints one line of JSON: `entries`, the number
of entries in the big answer, and the figures named below, in seconds. The variable SESSIOND names
the daemon, SESSION the file to open. Clients whose toolchain is missing are named.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import attrs
import generate
import orjson
import wire
from round_trips import exchanges
from table import Row, amount, median

HERE = wire.BENCH / "clients"
CLIENTS = wire.ROOT / "clients"
BUILD = generate.CACHE / "clients"
DAEMON = Path(sys.executable).with_name("sessiond")
ENTRIES = 4_000
SIZE = 10_000_000
ROUNDS = 3
PATIENCE = 600  # seconds for one client

SMALL = "small request (`session/getLeafId`), p50"
BIG = "10 MB answer (`session/getEntries`)"


@attrs.frozen
class Figure:
    """`beside`: name of the figure of the raw pipe with which it is compared."""

    work: str
    unit: str
    beside: str
    baseline: str = "raw pipe"


FIGURES = {
    "small": Figure(SMALL, "µs", "small"),
    "blocking": Figure(f"{SMALL}, without asyncio", "µs", "small"),
    "text": Figure(f"{BIG}, as text", "ms", "text"),
    "values": Figure(f"{BIG}, as values", "ms", "values", "raw pipe, orjson"),
}


@attrs.frozen
class Client:
    """`build`: commands to run in the client's folder before the `command` that measures."""

    name: str
    command: list[str | Path]
    build: Callable[[], list[list[str | Path]]]

    @property
    def folder(self) -> Path:
        return CLIENTS / self.name

    def missing(self) -> list[str]:
        wanted = (self.folder / "toolchain").read_text().split()
        return [command for command in wanted if shutil.which(command) is None]


def build_python() -> list[list[str | Path]]:
    if find_spec("sessiond_client"):
        return []
    return [[sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "-e", "."]]


def build_typescript() -> list[list[str | Path]]:
    return [["npm", "install", "--loglevel=error"]]


def build_go() -> list[list[str | Path]]:
    return [["go", "build", "-o", BUILD / "go", "./internal/bench"]]


def build_rust() -> list[list[str | Path]]:
    example = ["--release", "--example", "bench"]
    return [["cargo", "build", "--quiet", *example, "--target-dir", BUILD / "rust"]]


def build_emacs() -> list[list[str | Path]]:
    """Compile the client, as an installed package is."""
    folder = BUILD / "emacs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in [*(CLIENTS / "emacs").glob("*.el"), HERE / "emacs.el"]:
        shutil.copy(source, folder)
    emacs: list[str | Path] = ["emacs", "-Q", "--batch", "-L", folder]
    return [[*emacs, "-f", "batch-byte-compile", *sorted(folder.glob("*.el"))]]


NEOVIM = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n"]
EMACS: list[str | Path] = ["emacs", "-Q", "--batch", "-L", BUILD / "emacs"]
ALL = [
    Client("python", [sys.executable, HERE / "python.py"], build_python),
    Client("typescript", ["node", HERE / "typescript.mjs"], build_typescript),
    Client("go", [BUILD / "go"], build_go),
    Client("rust", [BUILD / "rust" / "release" / "examples" / "bench"], build_rust),
    Client("neovim", [*NEOVIM, "-c", f"luafile {HERE / 'neovim.lua'}"], list),
    Client("emacs", [*EMACS, "-l", BUILD / "emacs" / "emacs.elc", "-f", "bench-run"], build_emacs),
]


def run() -> list[Row]:
    path = generate.CACHE / f"entries-{ENTRIES}-{SIZE}.jsonl"
    if not path.exists():
        generate.write(path, generate.session_lines(3, ENTRIES, SIZE, generate.CWD))
    raw = [raw_pipe(path)]
    results = [(client, figures_of(client, path, raw)) for client in ALL]
    return [row for client, figures in results for row in rows_of(client, figures, best(raw))]


def figures_of(client: Client, path: Path, raw: list[dict[str, float]]) -> dict[str, float] | str:
    """Return the figures, or the reason why they are missing.

    Each round is followed by one of the raw pipe, whose figures are stored in `raw`. The best of
    all rounds counts, because other work of the machine can only add time.
    """
    if missing := client.missing():
        return f"missing ({', '.join(missing)} not found)"
    rounds: list[dict[str, float]] = []
    try:
        for command in client.build():
            subprocess.run(command, cwd=client.folder, check=True, stdout=sys.stderr)
        for _ in range(ROUNDS):
            raw.append(raw_pipe(path))
            rounds.append(measured(client, path))
    except (OSError, subprocess.SubprocessError, ValueError):
        traceback.print_exc()  # a client that fails must not hide the others
        return "failed"
    return best(rounds)


def rows_of(client: Client, ours: dict[str, float] | str, raw: dict[str, float]) -> list[Row]:
    if isinstance(ours, str):
        return [Row(f"{client.name}: everything", ours)]
    return [
        Row(
            f"{client.name}: {figure.work}",
            amount(ours[name], figure.unit),
            f"{amount(raw[figure.beside], figure.unit)} ({figure.baseline})",
            f"{ours[name] / raw[figure.beside]:.2f} x",
        )
        for name, figure in FIGURES.items()
        if name in ours
    ]


def measured(client: Client, path: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as home:
        env = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            client.command,
            env={**env, "SESSIOND": str(DAEMON), "SESSION": str(path)},
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=PATIENCE,
        )
    figures: dict[str, float] = json.loads(done.stdout)
    if figures.pop("entries") != ENTRIES:
        raise ValueError(f"{client.name} got another number of entries")
    return figures


def raw_pipe(path: Path) -> dict[str, float]:
    """Return the times of a pipe without decoding the answer, and of decoding it with orjson."""
    with wire.Process([str(DAEMON)]) as daemon:
        session = daemon.request("session/open", path=str(path))["session"]
        small = exchanges(daemon, wire.body_of(1, "session/getLeafId", session=session))
        asked = wire.body_of(2, "session/getEntries", session=session)
        answer = daemon.exchange(asked)
        assert len(answer) > SIZE * 0.9

        def drained() -> int:
            daemon.send(wire.framed(asked))
            return daemon.drain()[0]

        text = median(seconds(drained) for _ in range(5))
        decoding = median(seconds(lambda: orjson.loads(answer)) for _ in range(5))
    return {"small": median(small), "text": text, "values": text + decoding}


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(figures[name] for figures in rounds) for name in rounds[0]}
