"""The reference implementation, npm's pi, run under Node and spoken to line by line."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from support.jsonwire import JsonText, dumps
from support.process import DEADLINE, Child, isolated_environment

VERSION = "0.73.1"
UNDEFINED = JsonText('{"$undefined":true}')
"""An argument left undefined in the middle of others."""

REPOSITORY = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.mjs")


def root() -> Path:
    """Where `make reference` installs it; SESSIOND_REFERENCE names another place."""
    return Path(os.environ.get("SESSIOND_REFERENCE", REPOSITORY / ".cache" / "reference"))


def missing() -> str | None:
    """Why the reference cannot run here, or None when it can."""
    if shutil.which("node") is None:
        return "node is not installed"
    package = root() / "node_modules" / "@mariozechner" / "pi-coding-agent" / "package.json"
    if not package.exists():
        return "npm's pi is not installed: run `make reference`"
    version = json.loads(package.read_text())["version"]
    if version != VERSION:
        return f"npm's pi is {version}, not {VERSION}: run `make reference`"
    return None


class PiError(Exception):
    """What pi threw."""


class Pi(Child):
    """One Node process with pi's SessionManager. Handles are strings, as on the daemon's side."""

    def __init__(self, home: Path, agent_dir: Path | None = None) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.agent_dir = agent_dir or home / ".pi" / "agent"
        env = isolated_environment(home, PI_CODING_AGENT_DIR=str(self.agent_dir))
        node = shutil.which("node") or "node"
        super().__init__([node, str(DRIVER), str(root())], env, home)

    def do(self, op: str, **command: Any) -> Any:
        """The decoded result of one operation of the driver; raises PiError."""
        given = {name: value for name, value in command.items() if value is not None}
        line = dumps({"op": op, **given}).replace("\r", " ").replace("\n", " ")
        self.send(line.encode() + b"\n")
        answer = json.loads(self.read_line(time.monotonic() + DEADLINE))
        if "error" in answer:
            raise PiError(answer["error"])
        return answer.get("result")

    def call(self, handle: str, method: str, *args: Any) -> Any:
        return self.do("call", handle=handle, method=method, args=list(args))
