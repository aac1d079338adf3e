"""Run a client's program of twelve tasks, and compare what it prints: it is the same for all.

    python3 check_tasks.py COMMAND...

The program gets a folder with one session: in place of the word FOLDER among its arguments, and in
the environment variable FOLDER. `SESSIOND` is the daemon to test with.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PRINTED = """\
list: 1
search: 1
open: 2
follow: appended
append: LeafConflict
again: true
branch: true
fork: 1
label: start
rename: Greetings
export: true
usage: 1
recover: true
"""
COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}
USAGE = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3, "cost": COST}


def line(number: int, **members: Any) -> str:
    return json.dumps({**members, "timestamp": f"2025-06-01T10:00:0{number}.000Z"}) + "\n"


def lay_session(directory: Path) -> Path:
    """Make a folder with a session of two messages; returns the folder."""
    folder = directory / "work"
    folder.mkdir()
    sessions = directory / "agent" / "sessions" / f"--{str(folder).strip('/').replace('/', '-')}--"
    sessions.mkdir(parents=True)
    asked = {"role": "user", "content": "hello", "timestamp": 1}
    answered = {
        "role": "assistant",
        "content": [{"type": "text", "text": "hi"}],
        "api": "x",
        "provider": "p",
        "model": "m",
        "usage": USAGE,
        "stopReason": "stop",
        "timestamp": 2,
    }
    sessions.joinpath("s.jsonl").write_text(
        line(0, type="session", version=3, id="s", cwd=str(folder))
        + line(1, type="message", id="u1", parentId=None, message=asked)
        + line(2, type="message", id="a1", parentId="u1", message=answered)
    )
    return folder


def main(command: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="sessiond-tasks-") as made:
        directory = Path(made).resolve()
        folder = str(lay_session(directory))
        kept = {name: value for name, value in os.environ.items() if name != "SESSIOND_STORE"}
        environment = {
            **kept,
            "FOLDER": folder,
            "HOME": made,
            "SESSIOND_AGENT_DIR": str(directory / "agent"),
            "SESSIOND_SHARED": "0",
        }
        done = subprocess.run(
            [folder if word == "FOLDER" else word for word in command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    # Python writes True.
    printed = done.stdout.replace("True", "true").replace("\r", "")
    if (done.returncode, printed) == (0, PRINTED):
        print("the twelve tasks of docs/clients.md are done")
        return 0
    print(f"{' '.join(command)} ended with {done.returncode} and printed:\n{printed}{done.stderr}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
