"""Measure the processor time of commands, which does not include other work of the machine."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from budgets import BUDGETS
from table import Row, compared, median

BUDGET = BUDGETS["commands"]
ROUNDS = 15
SESSIONS = 100
SESSIOND = [sys.executable, "-m", "sessiond"]
BASE = "python -c pass"


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        write_sessions(Path(home))
        left = ("AGENT", "STATE_DIR", "SESSIOND", "XDG_")
        env = {name: value for name, value in os.environ.items() if not any(map(name.count, left))}
        env["HOME"] = home
        env["XDG_RUNTIME_DIR"] = os.path.join(home, "run")
        os.mkdir(env["XDG_RUNTIME_DIR"], 0o700)
        completing = {
            **env,
            "_SESSIOND_COMPLETE": "bash_complete",
            "COMP_WORDS": "sessiond li",
            "COMP_CWORD": "1",
        }
        listing = [*SESSIOND, "list", "--all"]
        # The first run fills the catalogue's database.
        processor_time(listing, env)
        measured: dict[str, list[float]] = defaultdict(list)
        for _ in range(ROUNDS):
            measured["pass"].append(processor_time([sys.executable, "-c", "pass"], env))
            measured["version"].append(processor_time([*SESSIOND, "--version"], env))
            measured["complete"].append(processor_time(SESSIOND, completing))
            measured["list"].append(processor_time(listing, env))
            measured["status"].append(processor_time([*SESSIOND, "status"], env))
        with shared_daemon(env):
            processor_time(listing, env)
            for _ in range(ROUNDS):
                measured["shared"].append(processor_time(listing, env))
        base = median(measured["pass"])
    return [
        compared(work, median(measured[name]), base, BUDGET[name], unit="ms", beside=BASE)
        for work, name in (
            ("`sessiond --version`, processor time", "version"),
            ("completion of a command, processor time", "complete"),
            (f"`sessiond list` of {SESSIONS} sessions, processor time", "list"),
            ("`sessiond status` of them, processor time", "status"),
            (
                "`sessiond list` with a shared daemon that runs, whose time is not counted",
                "shared",
            ),
        )
    ]


@contextmanager
def shared_daemon(env: Mapping[str, str]) -> Iterator[None]:
    """Run a shared daemon, which commands then use."""
    front = subprocess.Popen(
        [*SESSIOND, "--shared"], env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert front.stdin is not None
    assert front.stdout is not None
    with front:
        front.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"daemon/status"}\n')
        front.stdin.flush()
        front.stdout.readline()
        yield
        front.stdin.close()
    subprocess.run(
        [*SESSIOND, "daemon", "stop"], env=dict(env), stdout=subprocess.DEVNULL, check=True
    )


def processor_time(command: Sequence[str], env: Mapping[str, str]) -> float:
    """Return the processor time in seconds, of the program and of the system for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=dict(env), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_sessions(home: Path) -> None:
    folder = home / ".pi/agent/sessions/--work--"
    folder.mkdir(parents=True)
    for number in range(SESSIONS):
        header = {
            "type": "session",
            "version": 3,
            "id": f"{number:08x}-0000-7000-8000-000000000000",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "cwd": "/work",
        }
        lines: list[Mapping[str, object]] = [header]
        lines += (
            {
                "type": "message",
                "id": f"{at:08x}",
                "parentId": f"{at - 1:08x}" if at else None,
                "timestamp": "2026-01-01T00:00:00.000Z",
                "message": {"role": "user", "content": f"Question {at} of {number}"},
            }
            for at in range(20)
        )
        content = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{number}.jsonl").write_text(content)
