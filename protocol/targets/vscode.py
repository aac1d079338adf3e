"""Write what the extension for VS Code knows of agents: the choices of its setting, and commands.

The commands come from the daemon, which runs the same ones.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sessiond.agents import NAMES
from sessiond.agents.agent import Agent
from sessiond.agents.registry import AGENTS

CLIENT = "clients/vscode"
ROOT = Path(__file__).resolve().parents[2]
_CHOICES = re.compile(r'("enum": \["all")[^\]]*')


def outputs(_document: dict[str, Any]) -> dict[str, str]:
    """Return the manifest with the names of agents, and a table of commands."""
    manifest = (ROOT / CLIENT / "package.json").read_text(encoding="utf-8")
    choices = "".join(f", {json.dumps(name)}" for name in NAMES)
    return {
        f"{CLIENT}/package.json": _CHOICES.sub(rf"\g<1>{choices}", manifest, count=1),
        f"{CLIENT}/src/generated/agents.ts": _commands(),
    }


def _commands() -> str:
    rows = "".join(_row(agent) for agent in AGENTS.values() if agent.resume_words)
    return (
        "// Generated from the daemon's agents by protocol/generate.py.\n"
        "// Do not edit; run `make generate`.\n\n"
        "/** How an agent goes on with a session. */\n"
        "export interface Resuming {\n"
        "  readonly command: string;\n"
        "  /** The variable in which the agent expects its directory. */\n"
        "  readonly variable?: string;\n"
        "}\n\n"
        "/** By the names of profiles. Agents without a command are left out. */\n"
        "export const RESUMING: ReadonlyMap<string, Resuming> ="
        f" new Map<string, Resuming>([\n{rows}]);\n"
    )


def _row(agent: Agent) -> str:
    words = [f"${word}" if word in ("{id}", "{file}") else word for word in agent.resume_words]
    members = f"command: {json.dumps(' '.join(words))}"
    if agent.translation is None:
        members += f", variable: {json.dumps(agent.agent_dir_variable)}"
    return f"  [{json.dumps(agent.name)}, {{ {members} }}],\n"
