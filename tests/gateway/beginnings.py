"""Requests of `gateway/begin`, and the resulting files of a directory."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from support.agents import Agents, message

KEY = "agent:main:main"
FUTURE = 9_000_000_000_000
"""A session that was active then is fresh at any time of the day."""
FRESH = {"sessionId": "old1", "updatedAt": FUTURE}
EXPIRED = {"sessionId": "old1", "updatedAt": 1}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
STAMP = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z"
CHILD = "agent:main:discord:channel:c1:thread:5"
TALK = [message("u1", None, "user"), message("a1", "u1", "assistant"), message("u2", "a1", "user")]


async def begin(agents: Agents, context: Any = None, options: Any = None, **params: Any) -> Any:
    async with agents.daemon(**(options or {})) as client:
        return await client.request("gateway/begin", {"context": context or {}, **params})


def tree(path: Path) -> dict[str, Any]:
    """Everything below a directory: contents of files, times and modes of all."""
    found: dict[str, Any] = {}
    for each in sorted([path, *path.rglob("*")]):
        seen = each.stat()
        content = each.read_bytes() if each.is_file() else None
        found[str(each)] = (content, seen.st_mtime_ns, seen.st_mode, seen.st_ino)
    return found


def names(path: Path) -> list[str]:
    return sorted(name for name in os.listdir(path) if name != "sessions.json")


def header(path: str | Path) -> Any:
    return json.loads(Path(path).read_bytes().splitlines()[0])


def at_custom_store(agents: Agents, entries: Any) -> Path:
    """One store for all agents, apart from their directories."""
    store = agents.state.parent / "custom" / "store.json"
    store.parent.mkdir()
    if entries is not None:
        store.write_text(json.dumps(entries))
    return store


def files_of(found: dict[str, Any]) -> dict[str, Any]:
    """Without directories, whose time a lock changes."""
    return {path: seen for path, seen in found.items() if seen[0] is not None}
