"""The real agent: pi's command line, with a model server of our own."""

from __future__ import annotations

import json
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import Any

import attrs
from support.process import DEADLINE, Child, isolated_environment

from reference.pi import PI, PiError, Release, node

PROVIDER, MODEL = "ours", "plain"
_COST = {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}


@attrs.frozen
class Home:
    """A home directory in which pi knows one model and reaches nothing else."""

    path: Path
    release: Release = PI

    @property
    def agent_dir(self) -> Path:
        return self.path / ".pi" / "agent"

    @property
    def work(self) -> Path:
        return self.path / "work"

    @classmethod
    def make(cls, path: Path, model_url: str, release: Release = PI, **settings: Any) -> Home:
        home = cls(path, release)
        home.agent_dir.mkdir(parents=True)
        home.work.mkdir()
        model = {"id": MODEL, "contextWindow": 128_000, "maxTokens": 4096, "cost": _COST}
        provider = {"baseUrl": model_url, "api": "openai-completions", "apiKey": "k"}
        models = {"providers": {PROVIDER: {**provider, "models": [model]}}}
        (home.agent_dir / "models.json").write_text(json.dumps(models))
        (home.agent_dir / "settings.json").write_text(json.dumps(settings))
        return home

    def environment(self) -> dict[str, str]:
        return isolated_environment(
            self.path,
            PI_CODING_AGENT_DIR=str(self.agent_dir),
            PI_OFFLINE="1",
            PI_SKIP_VERSION_CHECK="1",
            PI_TELEMETRY="0",
            TERM="dumb",
        )

    def command(self, *arguments: str) -> list[str]:
        bundle = self.release.directory / "dist" / "bundle" / "cli.js"
        program = bundle if bundle.exists() else self.release.directory / "dist" / "cli.js"
        chosen = ["--provider", PROVIDER, "--model", MODEL]
        return [node() or "node", str(program), *chosen, *arguments]

    def ask(self, text: str, *arguments: str) -> str:
        """Run one prompt in print mode; returns pi's output."""
        done = subprocess.run(
            self.command("-p", text, *arguments),
            env=self.environment(),
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


class Agent(Child):
    """pi as a long-running process that is spoken to line by line."""

    def __init__(self, home: Home, *arguments: str) -> None:
        command = home.command("--mode", "rpc", *arguments)
        super().__init__(command, home.environment(), home.work)
        self.events: deque[dict[str, Any]] = deque()
        self._last_id = 0

    def call(self, command: str, /, **members: Any) -> Any:
        """The answer's data; raises PiError."""
        self._last_id += 1
        self.send(json.dumps({"id": str(self._last_id), "type": command, **members}).encode())
        self.send(b"\n")
        while (record := self._record())["type"] != "response":
            self.events.append(record)
        assert record["id"] == str(self._last_id), record
        if not record["success"]:
            raise PiError(record["error"])
        return record.get("data")

    def until(self, kind: str) -> dict[str, Any]:
        """The next event of that type; those before it are dropped."""
        while True:
            event = self.events.popleft() if self.events else self._record()
            if event["type"] == kind:
                return event

    def prompt(self, text: str, **members: Any) -> None:
        """Let pi answer, to the end."""
        self.call("prompt", message=text, **members)
        self.until("agent_settled")

    def _record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.read_line(time.monotonic() + DEADLINE))
        return found
