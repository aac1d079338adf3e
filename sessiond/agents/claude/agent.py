"""Claude Code: a directory for each working directory, with one file for each session."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.line_translation import UUID, LineTranslation
from sessiond.agents.messages import Members
from sessiond.agents.translation import INSTEAD
from sessiond.errors import SessiondError, Unsupported
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.format.header import Subagent
from sessiond.jsontext.parts import members_of_line, string_of

if TYPE_CHECKING:
    from sessiond.agents.claude.lines import ClaudeTranslator

_MOST_META_BYTES = 64 * 1024
_SESSION = re.compile(rf"/projects/[^/]+/({UUID})(?:/subagents/(agent-[^/]+))?\.jsonl")
_BEGINS = re.compile(rb'[^\n]*"(?:sessionId": ?"[0-9a-f]{8}-|isSidechain": ?(?:true|false))')
_PROJECT = re.compile(r"/projects/[^/]+$")
_OTHER = re.compile(r"[^A-Za-z0-9]")


class ClaudeSessions(LineTranslation):
    """The files of sessions and of their subagents."""

    splits_answers = True

    def holds(self, path: str) -> bool:
        return _parts(path) is not None

    def begins(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def translator(self, path: str) -> ClaudeTranslator:
        # Imported here, because most readers never see one.
        from sessiond.agents.claude.lines import ClaudeTranslator  # noqa: PLC0415

        session_id, subagent = _parts(path) or ("", None)
        if subagent is None:
            return ClaudeTranslator(session_id)
        told = _read_meta(f"{path.removesuffix('.jsonl')}.meta.json")
        return ClaudeTranslator(
            subagent,
            _session_of(path),
            Subagent(string_of(told.get("agentType")), string_of(told.get("toolUseId"))),
            title=string_of(told.get("description")),
        )

    def place_of(self, path: str) -> str:
        found = _parts(path)
        return os.path.dirname(path if found is None or found[1] is None else _session_of(path))

    def further_places(self, directory: str) -> Iterable[str]:
        if not _PROJECT.search(directory):
            return
        for name in sorted(disk.listdir(directory)):
            place = f"{directory}/{name}/subagents"
            if re.fullmatch(UUID, name) and disk.isdir(place):
                yield place

    def changed_with(self, path: str) -> Iterable[str]:
        place = f"{path.removesuffix('.jsonl')}/subagents"
        try:
            names = disk.listdir(place)
        except OSError:
            return []
        return [f"{place}/{name}" for name in sorted(names) if name.endswith(".jsonl")]

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Claude Code alone writes {path}", path, INSTEAD)


@attrs.frozen
class ClaudeAgent(ReadOnlyAgent):
    """Claude Code, which has a directory for each working directory."""

    def directory_of(self, cwd: str) -> str:
        return _OTHER.sub("-", cwd)

    def start_command(self, prompt: str) -> list[str]:
        return ["claude", prompt]

    def resume_command(self, file: str) -> list[str] | None:
        found = _parts(file)
        return None if found is None else ["claude", "--resume", found[0]]


def _session_of(subagent: str) -> str:
    """Return the path of the session that began a subagent."""
    return f"{os.path.dirname(os.path.dirname(subagent))}.jsonl"


def _read_meta(path: str) -> Members:
    """Return what is told of a subagent beside its session; nothing if it cannot be read."""
    with contextlib.suppress(SessiondError), OpenedFile(path) as (descriptor, state):
        content = read_from(descriptor, 0, min(state.size, _MOST_META_BYTES))
        return members_of_line(content.strip()) or {}
    return {}


def _parts(path: str) -> tuple[str, str | None] | None:
    """Return the id of the session and that of the subagent that a path names."""
    at = path.rfind("/projects/")
    found = None if at < 0 else _SESSION.fullmatch(path, at)
    return None if found is None else (found[1], found[2])


CLAUDE = ClaudeAgent(
    "claude-code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects", ClaudeSessions(), depth=1
)
