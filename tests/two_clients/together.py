"""Twenty clients of several languages append over one shared daemon that is killed meanwhile."""

from __future__ import annotations

import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
SESSIOND = os.environ["SESSIOND"]
PROGRAMS = {
    "python": [sys.executable, str(HERE / "append.py")],
    "typescript": ["node", str(HERE / "append.mjs")],
    "go": [str(HERE / "go" / "append")],
}
CLIENTS = 20
FILES = 10
"""Each is shared by two clients."""

KILLS = 4
BETWEEN = 5
"""Appends of each client between two kills, at least."""

DEADLINE_SECONDS = 300


class Appending:
    """A client in a process of its own, and the ids that it was told."""

    def __init__(self, number: int, path: Path, end: Path, env: dict[str, str]) -> None:
        language = sorted(PROGRAMS)[number % len(PROGRAMS)]
        self.name = f"{language}-{number}"
        self.path = path
        self.told: list[str] = []
        command = [*PROGRAMS[language], str(path), self.name, str(end)]
        self.process = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(line.strip())

    def end(self) -> None:
        self._reading.join()
        if self.process.wait():
            raise SystemExit(f"{self.name} ended with {self.process.returncode}")


def main() -> None:
    # Short, because the path of a socket is limited.
    with tempfile.TemporaryDirectory(prefix="sd", dir="/tmp") as directory:
        home = Path(directory)
        env = {
            **{name: os.environ[name] for name in ("PATH", "SESSIOND") if name in os.environ},
            "HOME": directory,
            "XDG_RUNTIME_DIR": directory,
            "SESSIOND_SHARED": "1",
            "SESSIOND_IDLE_EXIT": "2",
        }
        paths = [home / f"{number}.jsonl" for number in range(FILES)]
        for path in paths:
            header = {"type": "session", "version": 3, "id": path.stem, "cwd": "/"}
            header["timestamp"] = "2026-01-01T00:00:00.000Z"
            path.write_text(json.dumps(header) + "\n")
        end = home / "end"
        clients = [Appending(each, paths[each % FILES], end, env) for each in range(CLIENTS)]
        try:
            for _ in range(KILLS):
                _expect_progress(clients)
                _kill(env)
            _expect_progress(clients)
            end.touch()
            for client in clients:
                client.end()
        finally:
            for client in clients:
                client.process.kill()
        _check(paths, clients)
        count = sum(len(client.told) for client in clients)
        print(f"{CLIENTS} clients were told of {count} appends, over {KILLS} kills of the daemon")


def _expect_progress(clients: list[Appending]) -> None:
    """Wait until each client was told of some more appends."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    wanted = [len(each.told) + BETWEEN for each in clients]
    while any(len(each.told) < count for each, count in zip(clients, wanted, strict=True)):
        ended = [each.name for each in clients if each.process.poll() is not None]
        if ended or time.monotonic() > deadline:
            raise SystemExit(f"ended: {ended}, told: {[len(each.told) for each in clients]}")
        time.sleep(0.01)


def _kill(env: dict[str, str]) -> None:
    asked = [SESSIOND, "daemon", "status", "--json"]
    (daemon,) = json.loads(subprocess.check_output(asked, env=env))
    connected = len(daemon["connections"])
    assert connected == CLIENTS, f"{connected} clients share the daemon"
    os.kill(daemon["pid"], signal.SIGKILL)


def _check(paths: list[Path], clients: list[Appending]) -> None:
    """Fail unless each append is in its file once, and each id that a client was told of."""
    for path in paths:
        entries = [json.loads(line) for line in path.read_bytes().splitlines()[1:]]
        ids = collections.Counter(entry["id"] for entry in entries)
        texts = collections.Counter(entry["message"]["content"] for entry in entries)
        for client in (each for each in clients if each.path == path):
            assert all(ids[each] == 1 for each in client.told), f"{client.name}: lost or doubled"
            for number in range(len(client.told)):
                found = texts[f"{client.name} {number}"]
                assert found == 1, f"{client.name} {number} is there {found} times"


if __name__ == "__main__":
    main()
