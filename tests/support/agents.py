"""The directory of a gateway's agent, written by hand: its store and transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import attrs

from sessiond.gateway.config import Part
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.places import Layout
from sessiond.gateway.store import Store, Stores
from support.app import daemon
from support.client import Client

HEADER = {
    "type": "session",
    "version": 3,
    "id": "s1",
    "timestamp": "2026-01-02T03:04:05.000Z",
    "cwd": "/w",
}


def line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def entry(entry_id: str, parent: str | None, kind: str = "message", **members: Any) -> Any:
    at = "2026-01-02T03:04:05.000Z"
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": at, **members}


def message(entry_id: str, parent: str | None, role: str, content: Any = None, **more: Any) -> Any:
    text = entry_id if content is None else content
    if role == "assistant" and isinstance(text, str):
        text = [{"type": "text", "text": text}]
    return entry(entry_id, parent, message={"role": role, "content": text, **more})


@attrs.frozen
class Agents:
    """The state directory of a gateway."""

    state: Path

    def sessions(self, agent: str = "main") -> Path:
        return self.state / "agents" / agent / "sessions"

    def store(self, agent: str = "main") -> Path:
        return self.sessions(agent) / "sessions.json"

    def lay(self, entries: dict[str, Any], agent: str = "main") -> None:
        self.sessions(agent).mkdir(parents=True, exist_ok=True)
        self.store(agent).write_text(json.dumps(entries, indent=2))

    def transcript(self, name: str, *values: Any, agent: str = "main") -> Path:
        """A file with these lines: bytes as they are, other values as JSON."""
        self.sessions(agent).mkdir(parents=True, exist_ok=True)
        path = self.sessions(agent) / name
        path.write_bytes(b"".join(v if isinstance(v, bytes) else line(v) for v in values))
        return path

    def configure(self, **config: Any) -> None:
        self.state.mkdir(parents=True, exist_ok=True)
        (self.state / "coderclaw.json").write_text(json.dumps(config))

    def stored(self, key: str, agent: str = "main") -> Any:
        """The entry in the store's file; None: there is none."""
        return json.loads(self.store(agent).read_text()).get(key)

    def daemon(self, **options: Any) -> AbstractAsyncContextManager[Client]:
        where = {"profile": "coderclaw", "agent_dir": str(self.state), **options}
        return daemon(self.state.parent, **where)


def store_at(
    path: Path, lock_timeout: float = 0.05, told: Callable[[str], None] | None = None
) -> Store:
    """The store at a path, without the directories of a gateway; `told` gets it after a save."""
    known = Stores(lock_timeout)
    if told is not None:
        known.listeners.append(told)
    config = Part.root(None)
    return Store(str(path), Layout(config, KeyRules.of(config), {}, None), "main", known)
