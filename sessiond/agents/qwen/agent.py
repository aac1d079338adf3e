"""Qwen Code: a directory for each working directory, with one file of lines for each chat."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.line_translation import UUID, LineTranslation
from sessiond.agents.messages import Members
from sessiond.agents.translation import INSTEAD
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.format.header import Subagent
from sessiond.runtime.errors import SessiondError, Unsupported
from sessiond.text.parts import members_of_line, string_of

if TYPE_CHECKING:
    from sessiond.agents.qwen.lines import QwenTranslator

_CHAT = re.compile(
    rf"(?P<project>.*/projects/[^/]+)/"
    rf"(?:chats/(?:archive/)?(?P<id>{UUID})|subagents/(?P<parent>{UUID})/(?P<agent>agent-[^/]+))"
    r"\.jsonl"
)
_BEGINS = re.compile(rb'(?=[^\n]*"message": ?\{"role": ?"user", ?"parts")[^\n]*"parentUuid": ?null')
_MOST_META_BYTES = 64 * 1024


class QwenChats(LineTranslation):
    """The files of chats, those that were archived, and those of subagents."""

    version = re.compile(rb'"version": ?"([0-9][^"\\]{0,30})"')

    def holds(self, path: str) -> bool:
        return "/projects/" in path and _CHAT.fullmatch(path) is not None

    def begins(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def translator(self, path: str) -> QwenTranslator:
        # Imported here, because most readers never see one.
        from sessiond.agents.qwen.lines import QwenTranslator

        match = _CHAT.fullmatch(path)
        if match is None:
            return QwenTranslator("")
        if match["agent"] is None:
            return QwenTranslator(match["id"])
        about = _about(f"{path.removesuffix('.jsonl')}.meta.json")
        subagent = Subagent(string_of(about.get("agentType")), string_of(about.get("toolUseId")))
        parent = f"{match['project']}/chats/{match['parent']}.jsonl"
        return QwenTranslator(match["agent"], parent, subagent, string_of(about.get("description")))

    def place_of(self, path: str) -> str:
        match = _CHAT.fullmatch(path)
        return os.path.dirname(path) if match is None else f"{match['project']}/chats"

    def further_places(self, directory: str) -> Iterable[str]:
        project, name = os.path.split(directory)
        if name != "chats" or os.path.basename(os.path.dirname(project)) != "projects":
            return
        if disk.isdir(f"{directory}/archive"):
            yield f"{directory}/archive"
        subagents = f"{project}/subagents"
        for each in sorted(disk.listdir(subagents)) if disk.isdir(subagents) else ():
            if re.fullmatch(UUID, each) and disk.isdir(f"{subagents}/{each}"):
                yield f"{subagents}/{each}"

    def changed_with(self, path: str) -> Iterable[str]:
        match = _CHAT.fullmatch(path)
        if match is not None and match["id"] is not None:
            place = f"{match['project']}/subagents/{match['id']}"
            with contextlib.suppress(OSError):
                for name in sorted(disk.listdir(place)):
                    if name.endswith(".jsonl"):
                        yield f"{place}/{name}"

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Qwen Code alone writes {path}", path, INSTEAD)


def _about(path: str) -> Members:
    """Return what is written of a subagent beside its chat; nothing if it cannot be read."""
    with contextlib.suppress(SessiondError), OpenedFile(path) as (descriptor, state):
        content = read_from(descriptor, 0, min(state.size, _MOST_META_BYTES))
        return members_of_line(content.strip()) or {}
    return {}


QWEN = ReadOnlyAgent(
    "qwen-code",
    "QWEN_HOME",
    "~/.qwen",
    "projects",
    QwenChats(),
    depth=2,
    start_words=("qwen", "--prompt-interactive"),
    resume_words=("qwen", "--resume", "{id}"),
)
AGENTS = (QWEN,)
