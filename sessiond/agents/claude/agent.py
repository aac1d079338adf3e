"""Claude Code: a directory for each working directory, with one file for each session."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.claude.names import encoded_directory
from sessiond.agents.line_translation import UUID, LineTranslation, Translator
from sessiond.agents.messages import Members
from sessiond.agents.source import directories_below
from sessiond.agents.translation import INSTEAD
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.format.header import Subagent
from sessiond.runtime.errors import SessiondError, Unsupported
from sessiond.text.parts import members_of_line, string_of

if TYPE_CHECKING:
    from sessiond.agents.claude.lines import ClaudeTranslator

_MOST_OUTPUT_BYTES = 128 * 1024
"""Bytes of a large output that are read of its beginning, and as many of its end."""
_MOST_META_BYTES = 64 * 1024
_SESSION = re.compile(
    rf"(?P<project>.*/projects/[^/]+)/"
    rf"(?:(?P<id>{UUID})(?P<below>/subagents/(?:[^/]+/)*)?)?(?P<agent>agent-[^/]+)?\.jsonl"
)
_BELOW = "/subagents/"
# Other agents write the same member: Gemini CLI with the hash of a project, its fork with parts,
# and Copilot CLI at the start of a session.
_BEGINS = re.compile(
    rb'(?![^\n]*"(?:projectHash"|session\.start"|message": ?\{"role": ?"user", ?"parts"))'
    rb'[^\n]*"(?:sessionId": ?"[0-9a-f]{8}-|isSidechain": ?(?:true|false))'
)
_PROJECT = re.compile(r"/projects/[^/]+$")


class ClaudeSessions(LineTranslation):
    """The files of sessions and of their subagents."""

    splits_answers = True
    version = re.compile(rb'"version": ?"([0-9][^"\\]{0,30})"')

    def holds(self, path: str) -> bool:
        return _parts(path) is not None

    def begins(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def translator(self, path: str) -> ClaudeTranslator:
        # Imported here, because most readers never see one.
        from sessiond.agents.claude.lines import ClaudeTranslator

        parts = _parts(path)
        if parts is None:
            return ClaudeTranslator("")
        directory = os.path.basename(parts["project"])
        if parts["agent"] is None:
            outputs = f"{path.removesuffix('.jsonl')}/tool-results"
            return ClaudeTranslator(
                parts["id"],
                directory_name=directory,
                read_output=functools.partial(_read_output, outputs),
            )
        about = _read_meta(f"{path.removesuffix('.jsonl')}.meta.json")
        return ClaudeTranslator(
            parts["agent"],
            # Version 2.0 wrote subagents beside the session that their lines name.
            parts["project"] if parts["id"] is None else None,
            _parent_of(parts),
            Subagent(string_of(about.get("agentType")), string_of(about.get("toolUseId"))),
            title=string_of(about.get("description")),
            directory_name=directory,
        )

    def keeps_words(self, path: str, descriptor: int) -> bool:  # noqa: ARG002
        return True

    def brief(self, translator: Translator) -> Callable[[bytes], Iterable[bytes]]:
        return cast("ClaudeTranslator", translator).brief

    def place_of(self, path: str) -> str:
        parts = _parts(path)
        return os.path.dirname(path) if parts is None else parts["project"]

    def prefix_in(self, directory: str) -> str:
        return "agent-" if _BELOW in f"{directory}/" else ""

    def further_places(self, directory: str) -> Iterable[str]:
        if not _PROJECT.search(directory):
            return
        for name in sorted(disk.listdir(directory)):
            if re.fullmatch(UUID, name):
                yield from directories_below(f"{directory}/{name}/subagents")

    def places_near(self, directory: str) -> Iterable[str]:
        # A session that goes up or down stays in its file.
        above, own = os.path.split(directory)
        if not _PROJECT.search(directory) or not disk.isdir(above):
            return
        for name in sorted(disk.listdir(above)):
            if name != own and (name.startswith(f"{own}-") or own.startswith(f"{name}-")):
                yield f"{above}/{name}"

    def changed_with(self, path: str) -> Iterable[str]:
        with contextlib.suppress(OSError):
            for place in directories_below(f"{path.removesuffix('.jsonl')}/subagents"):
                for name in sorted(disk.listdir(place)):
                    if name.endswith(".jsonl") and name.startswith("agent-"):
                        yield f"{place}/{name}"

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Claude Code alone writes {path}", path, INSTEAD)


@attrs.frozen
class ClaudeAgent(ReadOnlyAgent):
    """Claude Code, which has a directory for each working directory."""

    def directory_of(self, cwd: str, env: Mapping[str, str]) -> str:  # noqa: ARG002
        return encoded_directory(cwd)

    def resumed_id(self, file: str) -> str | None:
        parts = _parts(file)
        return None if parts is None else parts["id"]


def _read_output(directory: str, name: str) -> str | None:
    """Return the beginning and the end of a large output; None if it cannot be read."""
    with contextlib.suppress(SessiondError), OpenedFile(f"{directory}/{name}") as (file, state):
        size = state.size
        content = read_from(file, 0, min(size, _MOST_OUTPUT_BYTES))
        if size > _MOST_OUTPUT_BYTES:
            content += b"\n" + read_from(file, size - _MOST_OUTPUT_BYTES, size)
        return content.decode(errors="replace")
    return None


def _parent_of(parts: re.Match[str]) -> str | None:
    """Return the path of the session that began a subagent, if the path of the subagent says so.

    Subagents of subagents lie below a directory with the name of theirs.
    """
    if parts["id"] is None:
        return None
    above = parts["below"].rstrip("/").rpartition("/subagents")[0].rpartition("/")
    is_nested = above[2].startswith("agent-")
    session = f"{parts['project']}/{parts['id']}"
    return f"{session}{above[0]}/{above[2]}.jsonl" if is_nested else f"{session}.jsonl"


def _read_meta(path: str) -> Members:
    """Return what is told of a subagent beside its session; nothing if it cannot be read."""
    with contextlib.suppress(SessiondError), OpenedFile(path) as (descriptor, state):
        content = read_from(descriptor, 0, min(state.size, _MOST_META_BYTES))
        return members_of_line(content.strip()) or {}
    return {}


def _parts(path: str) -> re.Match[str] | None:
    """Return the directory of the project, and the ids of session and subagent in a path."""
    parts = _SESSION.fullmatch(path) if "/projects/" in path else None
    if parts is None or (parts["id"] is None and parts["agent"] is None):
        return None
    # A session has a name of its own; a subagent lies below it or in the project's directory.
    is_beside = parts["id"] is None or parts["below"] is not None
    return parts if (parts["agent"] is not None) == is_beside else None


CLAUDE = ClaudeAgent(
    "claude-code",
    "CLAUDE_CONFIG_DIR",
    "~/.claude",
    "projects",
    ClaudeSessions(),
    depth=1,
    start_words=("claude",),
    resume_words=("claude", "--resume", "{id}"),
)
AGENTS = (CLAUDE,)
