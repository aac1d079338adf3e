"""Where `make test-agents` installs agents, and how their programs are run."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from reference.pi import node
from support.process import isolated_environment

ROOT = Path(os.environ.get("SESSIOND_AGENTS", ".cache/agents")).resolve()


def installed(agent: str, package: str) -> Path:
    return ROOT / agent / "node_modules" / package


CODEX = installed("codex-0.169.0", "@openai/codex") / "bin" / "codex.js"
CLAUDE = installed("claude-code-2.1.330", "@anthropic-ai/claude-code-linux-x64") / "claude"
CLAUDE_SDK = installed("claude-agent-sdk-0.3.331", "@anthropic-ai/claude-agent-sdk") / "sdk.mjs"
OPENCODE = installed("opencode-1.18.33", "opencode-linux-x64") / "bin" / "opencode"


def needs(program: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not program.exists(), reason=f"{program} is not installed")


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a program that finds nothing but this home, and Node."""
    beside = Path(node() or "node").parent
    path = f"{beside}{os.pathsep}{os.environ['PATH']}"
    return {**isolated_environment(home, **more), "PATH": path, "TERM": "dumb"}


def codex_settings(home: Path, url: str, model: str = "plain") -> None:
    """Let Codex use the model of this name at this address."""
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(
        f'model = "{model}"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n'
    )


def opencode_settings(home: Path, url: str) -> dict[str, str]:
    """Let opencode use the model at this address; returns its environment."""
    settings = home / ".config" / "opencode" / "opencode.json"
    settings.parent.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "local",
        "options": {"baseURL": f"{url}/v1", "apiKey": "k"},
        "models": {"plain": {"name": "plain", "limit": {"context": 128000, "output": 4096}}},
    }
    settings.write_text(json.dumps({"model": "local/plain", "provider": {"local": provider}}))
    return environment(
        home,
        OPENCODE_DISABLE_MODELS_FETCH="1",
        OPENCODE_DISABLE_AUTOUPDATE="1",
        OPENCODE_PURE="1",
    )


def claude_environment(home: Path, url: str, **more: str) -> dict[str, str]:
    """Let Claude Code use the model at this address."""
    return environment(
        home,
        ANTHROPIC_BASE_URL=url,
        ANTHROPIC_API_KEY="k",
        CLAUDE_CONFIG_DIR=str(home / ".claude"),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        **more,
    )


def output_of(command: list[str], cwd: Path, env: dict[str, str]) -> str:
    """Run a program that must succeed; returns what it printed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
