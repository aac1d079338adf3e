"""Gemini CLI: a directory for each project, with one file for each chat."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.document_translation import DocumentTranslation, WholeSession
from sessiond.agents.line_translation import UUID
from sessiond.agents.messages import members_of
from sessiond.agents.source import Record, find_lines
from sessiond.agents.translation import INSTEAD
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.runtime.errors import SessiondError, Unsupported
from sessiond.text.parts import members_of_line, string_of

_CHAT = re.compile(
    rf"(?P<project>.*/\.gemini/tmp/[^/]+)/chats/"
    rf"(?:session-[^/]+\.jsonl?|(?P<parent>{UUID})/[^/]+\.jsonl)"
)
_BEGINS = re.compile(rb'\s*\{\s*"sessionId": ?"[^"]{1,100}",\s*"projectHash"')
_ID = re.compile(rb'"sessionId": ?"([^"\\]{1,100})"')
_SHORT_ID = 8
"""The characters of an id that the name of a file ends with."""
_HEAD_BYTES = 4096
_MOST_PROJECTS_BYTES = 4 * 1024 * 1024


class GeminiChats(DocumentTranslation):
    """The files of chats and of their subagents."""

    suffixes = (".json",)
    names = r"session-[0-9]{4}-.*\.json"

    def holds(self, path: str) -> bool:
        return _CHAT.fullmatch(path) is not None

    def begins(self, head: bytes) -> bool:
        return _BEGINS.match(head) is not None

    def id_of(self, path: str) -> str:
        return _id_in(path) or super().id_of(path)

    def place_of(self, path: str) -> str:
        match = _CHAT.fullmatch(path)
        return os.path.dirname(path) if match is None else f"{match['project']}/chats"

    def further_places(self, directory: str) -> Iterable[str]:
        if os.path.basename(directory) == "chats" and "/.gemini/tmp/" in directory:
            for name in sorted(disk.listdir(directory)):
                if re.fullmatch(UUID, name) and disk.isdir(f"{directory}/{name}"):
                    yield f"{directory}/{name}"

    def changed_with(self, path: str) -> Iterable[str]:
        chats, name = os.path.split(path)
        short = os.path.splitext(name)[0][-_SHORT_ID:]
        with contextlib.suppress(OSError):
            for place in self.further_places(chats):
                if os.path.basename(place).startswith(short):
                    yield from (f"{place}/{each}" for each in sorted(disk.listdir(place)))

    def session(self, path: str, data: bytes) -> WholeSession | None:
        # Imported here, because most readers never see one.
        from sessiond.agents.gemini.chat import Chat
        from sessiond.agents.gemini.entries import session_of

        chat = Chat.read(data)
        if chat is None:
            return None
        match = _CHAT.fullmatch(path)
        if match is None:
            return session_of(chat, "", None)
        parent = None
        if match["parent"] is not None or chat.is_stub:
            name = match["parent"] or string_of(chat.about.get("sessionId")) or ""
            parent = _chat_of(match["project"], name)
            parent = None if parent == path else parent
        return session_of(chat, _root_of(match["project"]), parent)

    def records(self, path: str, entry_id: str, most: int) -> list[Record]:
        if path.endswith(".json"):
            return super().records(path, entry_id, most)
        message = re.sub(r"\.[0-9]+$", "", entry_id)
        return find_lines(path, message, most, lambda line: (line,))

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"Gemini CLI alone writes {path}", path, INSTEAD)


@attrs.frozen
class GeminiAgent(ReadOnlyAgent):
    """Gemini CLI, whose variable names the directory above its own."""

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return os.path.join(super().agent_dir(env), ".gemini")


def _id_in(path: str) -> str | None:
    with contextlib.suppress(SessiondError), OpenedFile(path) as (descriptor, _):
        match = _ID.search(read_from(descriptor, 0, _HEAD_BYTES))
        return None if match is None else match[1].decode(errors="replace")
    return None


def _chat_of(project: str, session_id: str) -> str | None:
    """Return the path of a chat; None if it is gone."""
    with contextlib.suppress(OSError):
        for name in sorted(disk.listdir(f"{project}/chats")):
            stem = os.path.splitext(name)[0]
            path = f"{project}/chats/{name}"
            if stem.endswith(f"-{session_id[:_SHORT_ID]}") and _id_in(path) == session_id:
                return path
    return None


def _root_of(project: str) -> str:
    """Return the working directory of a project's directory; empty if nothing says it.

    Its name is a name in `projects.json`, or before 0.29 the SHA-256 of the working directory.
    """
    with contextlib.suppress(SessiondError):
        with OpenedFile(f"{project}/.project_root") as (descriptor, state):
            root = read_from(descriptor, 0, min(state.size, _HEAD_BYTES))
        return root.decode(errors="replace").strip()
    file = f"{os.path.dirname(os.path.dirname(project))}/projects.json"
    with contextlib.suppress(OSError, SessiondError):
        status = disk.stat(file)
        projects = _projects(file, status.st_ino, status.st_size, status.st_mtime_ns)
        return projects.get(os.path.basename(project), "")
    return ""


@functools.lru_cache(maxsize=4)
def _projects(path: str, *_state: int) -> dict[str, str]:
    """Return working directories by the names of their directories. Raises SessiondError."""
    with OpenedFile(path) as (descriptor, state):
        content = read_from(descriptor, 0, min(state.size, _MOST_PROJECTS_BYTES))
    members = members_of_line(content.strip()) or {}
    found: dict[str, str] = {}
    for root, name in members_of(members.get("projects")).items():
        found[sha256(root.encode(errors="surrogatepass")).hexdigest()] = root
        found[string_of(name) or ""] = root
    return found


GEMINI = GeminiAgent(
    "gemini-cli",
    "GEMINI_CLI_HOME",
    "~",
    "tmp",
    GeminiChats(),
    depth=2,
    start_words=("gemini", "--prompt-interactive"),
    resume_words=("gemini", "--resume", "{id}"),
)
AGENTS = (GEMINI,)
