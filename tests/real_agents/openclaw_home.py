"""A home directory with the configuration of OpenClaw, and its commands."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from reference.agent import MODEL, PROVIDER
from support.process import isolated_environment


def configure(home: Path, model_url: str, **more: Any) -> None:
    """Write a configuration that uses a model server; `more` are further members of it."""
    model = {"id": MODEL, "name": MODEL, "contextWindow": 128_000, "maxTokens": 4096}
    provider = {"baseUrl": model_url, "apiKey": "k", "api": "openai-completions"}
    agents = {"model": {"primary": f"{PROVIDER}/{MODEL}"}, "skipBootstrap": True}
    config = {
        "plugins": {"enabled": False},
        "models": {"mode": "replace", "providers": {PROVIDER: {**provider, "models": [model]}}},
        "agents": {"defaults": {**agents, "workspace": str(home / "workspace")}},
        **more,
    }
    (home / ".openclaw").mkdir(parents=True)
    (home / ".openclaw" / "openclaw.json").write_text(json.dumps(config))


def answer(home: Path, node: str, program: Path, *arguments: str, seconds: int = 300) -> Any:
    """The answer of one of OpenClaw's commands with `--json`."""
    done = subprocess.run(
        [node, str(program), *arguments, "--json"],
        env=isolated_environment(home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
