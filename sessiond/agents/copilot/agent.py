"""Copilot CLI: a directory for each session, with its events and what is known of it."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.line_translation import UUID, LineTranslation
from sessiond.agents.translation import INSTEAD
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.runtime.errors import SessiondError, Unsupported
from sessiond.text.parts import string_of

if TYPE_CHECKING:
    from sessiond.agents.copilot.lines import CopilotTranslator

_EVENTS = re.compile(rf"(?P<state>.*/session-state)/(?P<id>{UUID})(?:/events)?\.jsonl")
_BEGINS = re.compile(rb'\{"type": ?"session\.start", ?"data": ?\{')
_NAME = re.compile(r"^(?:name|summary): *(.*)$", re.MULTILINE)
_MOST_ABOUT_BYTES = 64 * 1024


class CopilotSessions(LineTranslation):
    """The files of events; before 1.0 they lay beside each other."""

    version = re.compile(rb'"copilotVersion": ?"([0-9][^"\\]{0,30})"')

    def holds(self, path: str) -> bool:
        return "/session-state/" in path and _EVENTS.fullmatch(path) is not None

    def begins(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def id_of(self, path: str) -> str:
        match = _EVENTS.fullmatch(path)
        return super().id_of(path) if match is None else match["id"]

    def place_of(self, path: str) -> str:
        match = _EVENTS.fullmatch(path)
        return os.path.dirname(path) if match is None else match["state"]

    def further_places(self, directory: str) -> Iterable[str]:
        if os.path.basename(directory) == "session-state":
            for name in sorted(disk.listdir(directory)):
                if re.fullmatch(UUID, name) and disk.isdir(f"{directory}/{name}"):
                    yield f"{directory}/{name}"

    def translator(self, path: str) -> CopilotTranslator:
        # Imported here, because most readers never see one.
        from sessiond.agents.copilot.lines import CopilotTranslator

        match = _EVENTS.fullmatch(path)
        if match is None:
            return CopilotTranslator("")
        title = _name_of(f"{os.path.dirname(path)}/workspace.yaml")
        return CopilotTranslator(match["id"], title if path.endswith("/events.jsonl") else None)

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Copilot CLI alone writes {path}", path, INSTEAD)


def _name_of(path: str) -> str | None:
    """Return the name of a session in its `workspace.yaml`, of which one line has it."""
    with contextlib.suppress(SessiondError), OpenedFile(path) as (descriptor, state):
        about = read_from(descriptor, 0, min(state.size, _MOST_ABOUT_BYTES))
        match = _NAME.search(about.decode(errors="replace"))
        text = "" if match is None else match[1].strip()
        if text[:1] in ("|", ">"):
            # A text of several lines, which no title is.
            return None
        if text.startswith('"'):
            return string_of(text.encode(errors="replace"))
        return text.strip("'").replace("''", "'") or None
    return None


COPILOT = ReadOnlyAgent(
    "copilot",
    "COPILOT_HOME",
    "~/.copilot",
    "session-state",
    CopilotSessions(),
    start_words=("copilot", "--interactive"),
    resume_words=("copilot", "--resume", "{id}"),
)
AGENTS = (COPILOT,)
