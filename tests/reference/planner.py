"""The planning functions of npm's pi, run under Node."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from support.jsonwire import dumps
from support.process import DEADLINE, Child, isolated_environment

from reference.pi import PI, PiError, node

DRIVER = Path(__file__).with_name("planning.mjs")


class Planner(Child):
    """One Node process; see planning.mjs for the operations."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        command = [node() or "node", str(DRIVER), str(PI.directory)]
        super().__init__(command, isolated_environment(home), home)

    def do(self, op: str, **command: Any) -> Any:
        """The result of one operation; raises PiError."""
        self.send(dumps({"op": op, **command}).encode() + b"\n")
        answer = json.loads(self.read_line(time.monotonic() + DEADLINE))
        if "error" in answer:
            raise PiError(answer["error"])
        return answer["result"]
