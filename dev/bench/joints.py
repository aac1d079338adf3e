"""Count the modules, calls and hops from file to file of one request, and the size of the daemon.

The daemon runs in a child process whose main thread and workers are traced while one warm request
is answered. A hop is a call in another file than the call before it. With
`SESSIOND_BENCH_NAMES=1` the names of the modules are printed to stderr.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import gateway
import wire
from budgets import BUDGETS
from table import Row, limited

import sessiond

ROOT = Path(str(sessiond.__file__)).parent
"""The package that the child process imports."""

CWD = "/home/someone/project"
TIME = "2026-01-01T00:00:00.000Z"
FOREIGN = "an edit of another program"
NOTICING = ("files/", "sessions/engine.py", "sessions/notifications/")
"""What notices a change and tells of it; the format of lines and the wire are beside that."""
SESSIONS = 20
TIMES = 20
BUDGET = BUDGETS["joints"]
SOURCES = {".py", ".sql", ".js", ".css", ".html"}


def run() -> Iterator[Row]:
    for work, files in [*measured().items(), *measured("gateway").items()]:
        hops = sum(a != b for a, b in itertools.pairwise(files))
        visited, calls = len(set(files)), len(files)
        if not files:
            raise RuntimeError(f"{work}: no call in {ROOT} was seen")
        if os.environ.get("SESSIOND_BENCH_NAMES"):
            print(f"{work}: {', '.join(dict.fromkeys(files))}", file=sys.stderr)
        if work == FOREIGN:
            yield Row(work, f"{visited} modules, {calls} calls, {hops} hops")
            noticing = {file for file in files if file.startswith(NOTICING)}
            yield limited(f"{work}, until it is told", len(noticing), BUDGET["foreign edit"])
            continue
        yield limited(work, visited, BUDGET[work])
        if work == "warm append":
            yield limited(work, calls, BUDGET["calls"])
            yield limited(work, hops, BUDGET["hops"])
        else:
            yield Row(work, f"{calls} calls, {hops} hops")
    modules = list(ROOT.rglob("*.py"))
    sources = [path for path in ROOT.rglob("*") if path.suffix in SOURCES]
    lines = sum(len(path.read_bytes().splitlines()) for path in sources)
    yield limited("size of `sessiond/`", lines, BUDGET["lines"])
    yield limited("size of `sessiond/`", len(modules), BUDGET["modules"])


def measured(*kind: str) -> dict[str, list[str]]:
    """Return the files of each request to a daemon in a child process."""
    with tempfile.TemporaryDirectory(prefix="sessiond-bench-") as home:
        command = [sys.executable, __file__, *kind]
        env = {"PATH": os.environ["PATH"], "HOME": home}
        done = subprocess.run(command, env=env, check=True, capture_output=True, timeout=120)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


class Client(wire.Process):
    """A client of the daemon in this process."""

    def __init__(self, stdin: int, stdout: int) -> None:
        self.stdin, self.stdout = stdin, stdout
        self._rest = b""
        self._number = 0


class Calls:
    """The files of the calls that were made in `sessiond` while `wanted`."""

    def __init__(self) -> None:
        self.wanted = False
        self.files: list[str] = []

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        if self.wanted and event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            self.files.append(str(Path(frame.f_code.co_filename).relative_to(ROOT)))

    def of(self, client: Client, method: str, **params: Any) -> list[str]:
        """Return the files of the one of several equal requests that made the fewest calls.

        Indexing and watching beside a request only add calls. The first request does not count.
        """
        return self._fewest(lambda: client.request(method, **params))

    def of_foreign_edits(self, client: Client, path: Path) -> list[str]:
        """Return the files of the calls from an edit of an open session to its notification."""
        header = {"type": "session", "version": 3, "id": "edited", "cwd": CWD}
        path.write_text(json.dumps({**header, "timestamp": TIME}) + "\n")
        client.request("session/open", path=str(path))
        numbers = itertools.count(1)

        def edit() -> None:
            entry = {"type": "custom", "customType": "x", "id": f"{next(numbers):08x}"}
            with path.open("a") as file:
                file.write(json.dumps({**entry, "parentId": None, "timestamp": TIME}) + "\n")
            told = json.loads(client.receive())
            assert told["method"] == "session/didChange", told

        return self._fewest(edit)

    def _fewest(self, work: Callable[[], object]) -> list[str]:
        found = []
        for _ in range(TIMES + 1):
            self.files = []
            self.wanted = True
            work()
            self.wanted = False
            found.append(self.files)
        return min(found[1:], key=len)


def measure(client: Client, calls: Calls) -> dict[str, list[str]]:
    message = {"role": "user", "content": "a short message", "timestamp": 1767225600000}
    session = ""
    for _ in range(SESSIONS):
        session = client.request("session/create", cwd=CWD)["session"]
        client.request("session/appendMessage", session=session, message=message)
    return {
        "warm append": calls.of(client, "session/appendMessage", session=session, message=message),
        "warm list": calls.of(client, "session/list", cwd=CWD),
        "warm search": calls.of(client, "catalog/search", query="short"),
        FOREIGN: calls.of_foreign_edits(client, Path(os.environ["HOME"]) / "edited.jsonl"),
    }


def measure_gateway(client: Client, calls: Calls) -> dict[str, list[str]]:
    state = Path(os.environ["HOME"])
    gateway.lay(state)
    (state / "coderclaw.json").write_text('{"session": {"idleMinutes": 60}}')
    return {"warm begin": calls.of(client, "gateway/begin", context=gateway.message(0, 0))}


def main() -> int:
    """Serve in this process, and print the traced files of each request as JSON."""
    from sessiond.__main__ import main as serve

    output = os.dup(1)
    daemon_input, to_daemon = os.pipe()
    from_daemon, daemon_output = os.pipe()
    os.dup2(daemon_input, 0)
    os.dup2(daemon_output, 1)
    calls = Calls()

    def talk() -> None:
        try:
            client = Client(to_daemon, from_daemon)
            found = (measure_gateway if sys.argv[1:] else measure)(client, calls)
            os.write(output, json.dumps(found).encode())
        finally:
            os.close(to_daemon)

    threading.Thread(target=talk, daemon=True).start()
    threading.setprofile(calls)
    sys.setprofile(calls)
    options = ["--profile", "coderclaw", "--agent-dir", os.environ["HOME"]]
    return serve(options if sys.argv[1:] else [])


if __name__ == "__main__":
    sys.exit(main())
