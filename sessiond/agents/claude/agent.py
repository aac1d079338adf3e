"""Claude Code: a directory for each working directory, with one file for each session."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from sessiond.agents.agent import Agent
from sessiond.agents.line_translation import LineTranslation
from sessiond.agents.translation import INSTEAD
from sessiond.errors import Unsupported
from sessiond.home import absolute

if TYPE_CHECKING:
    from sessiond.agents.claude.lines import ClaudeTranslator

_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SESSION = re.compile(rf"/projects/[^/]+/({_ID})(?:/subagents/(agent-[^/]+))?\.jsonl")
_OTHER = re.compile(r"[^A-Za-z0-9]")


class ClaudeSessions(LineTranslation):
    """The files of sessions and of their subagents."""

    splits_answers = True

    def holds(self, path: str) -> bool:
        return _parts(path) is not None

    def translator(self, path: str) -> ClaudeTranslator:
        # Imported here, because most readers never see one.
        from sessiond.agents.claude.lines import ClaudeTranslator  # noqa: PLC0415

        session_id, subagent = _parts(path) or ("", None)
        if subagent is None:
            return ClaudeTranslator(session_id)
        return ClaudeTranslator(subagent, f"{os.path.dirname(os.path.dirname(path))}.jsonl")

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Claude Code alone writes {path}", path, INSTEAD)


@attrs.frozen
class ClaudeAgent(Agent):
    """Claude Code, whose sessions are read and never written."""

    @property
    def agent_dir_variable(self) -> str:
        return "CLAUDE_CONFIG_DIR"

    @property
    def translation(self) -> ClaudeSessions:
        return _SESSIONS

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return absolute(env.get(self.agent_dir_variable) or "~/.claude", env)

    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:  # noqa: ARG002
        return os.path.join(agent_dir, "projects")

    def directory_of(self, cwd: str) -> str:
        return _OTHER.sub("-", cwd)

    def start_command(self, prompt: str) -> list[str]:
        return ["claude", prompt]

    def resume_command(self, file: str) -> list[str] | None:
        found = _parts(file)
        return None if found is None else ["claude", "--resume", found[0]]


def _parts(path: str) -> tuple[str, str | None] | None:
    """Return the id of the session and that of the subagent that a path names."""
    at = path.rfind("/projects/")
    found = None if at < 0 else _SESSION.fullmatch(path, at)
    return None if found is None else (found[1], found[2])


_SESSIONS = ClaudeSessions()
CLAUDE = ClaudeAgent("claude-code")
