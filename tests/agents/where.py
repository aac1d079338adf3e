"""Where `make test-agents` installs agents."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(os.environ.get("SESSIOND_AGENTS", ".cache/agents")).resolve()


def installed(agent: str, package: str) -> Path:
    return ROOT / agent / "node_modules" / package
