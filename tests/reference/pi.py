"""The reference implementation, npm's pi, run under Node and spoken to line by line."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import attrs
from support.jsonwire import JsonText, dumps
from support.process import DEADLINE, Child, isolated_environment

from reference.install import VERSION

UNDEFINED = JsonText('{"$undefined":true}')
"""An argument left undefined in the middle of others."""

REPOSITORY = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.mjs")


def root() -> Path:
    """Where `make reference` installs it; SESSIOND_REFERENCE names another place."""
    return Path(os.environ.get("SESSIOND_REFERENCE", REPOSITORY / ".cache" / "reference"))


@attrs.frozen
class Release:
    """One release of pi: its version, its package below `root()`, the oldest Node that runs it."""

    version: str
    package: str
    node: tuple[int, int]

    @property
    def directory(self) -> Path:
        return root() / self.package


PI = Release(VERSION, f"pi-{VERSION}", (22, 19))
"""The version the project follows."""

OLDER = Release("0.73.1", "node_modules/@mariozechner/pi-coding-agent", (20, 6))
"""The last version under the former name, which must read sessiond's files."""


def node() -> str | None:
    """The Node that was installed beside pi, or else the system's; None when there is neither."""
    packaged = sorted((root() / "node_modules").glob("node-*-*/bin/node"))
    return str(packaged[0]) if packaged else shutil.which("node")


@functools.cache
def _version(program: str) -> tuple[int, int]:
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    major, minor, *_ = said.stdout.strip().removeprefix("v").split(".")
    return int(major), int(minor)


def missing(release: Release = PI) -> str | None:
    """Why this release cannot run here, or None when it can."""
    program = node()
    if program is None:
        return "node is not installed"
    package = release.directory / "package.json"
    if not package.exists():
        return f"npm's pi {release.version} is not installed: run `make reference`"
    version = json.loads(package.read_text())["version"]
    if version != release.version:
        return f"npm's pi is {version}, not {release.version}: run `make reference`"
    if (found := _version(program)) < release.node:
        needed = ".".join(map(str, release.node))
        return f"npm's pi {release.version} needs Node {needed}, not {found[0]}.{found[1]}"
    return None


class PiError(Exception):
    """The error that pi threw."""


class Pi(Child):
    """One Node process with pi's SessionManager. Handles are strings, as on the daemon's side."""

    def __init__(self, home: Path, agent_dir: Path | None = None, release: Release = PI) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.agent_dir = agent_dir or home / ".pi" / "agent"
        env = isolated_environment(home, PI_CODING_AGENT_DIR=str(self.agent_dir))
        command = [node() or "node", str(DRIVER), str(release.directory)]
        super().__init__(command, env, home)

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
