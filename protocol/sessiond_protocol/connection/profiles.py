"""The names of the agents.

Generated from `sessiond.agents.PACKAGES`. Do not edit; run `make generate`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Profile: TypeAlias = Literal[
    "pi",
    "clanker",
    "indusagi",
    "companion",
    "omp",
    "coderclaw",
    "openclaw",
    "claude-code",
    "codex",
    "opencode",
    "gemini-cli",
    "qwen-code",
    "copilot",
]
