"""Evaluate texts with Node, as the reference for JavaScript's behaviour."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from support.process import DEADLINE, Child, isolated_environment

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

_REWRITE = """
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  let answer = null;
  try {
    answer = JSON.stringify(JSON.parse(JSON.parse(line)), null, 2);
  } catch {}
  process.stdout.write(JSON.stringify(answer) + "\\n");
});
"""


class Rewriter(Child):
    """One Node process that parses texts and writes them again."""

    def __init__(self, home: Path) -> None:
        node = shutil.which("node") or "node"
        super().__init__([node, "-e", _REWRITE], isolated_environment(home), home)

    def rewritten(self, text: str) -> str | None:
        """`JSON.stringify(JSON.parse(text), null, 2)`; None if it is not JSON."""
        self.send(json.dumps(text).encode() + b"\n")
        answer: str | None = json.loads(self.read_line(time.monotonic() + DEADLINE))
        return answer
