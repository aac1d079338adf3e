"""Lines and files of sessions, written by hand, and the result of loading them."""

from __future__ import annotations

import json
from typing import Any

from sessiond.format.load import Loaded, load
from sessiond.format.tree.tree import Tree

HEADER = (
    b'{"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/c"}'
)


def dumps(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def time(second: int) -> str:
    return f"2025-01-01T00:{second // 60 % 60:02d}:{second % 60:02d}.000Z"


def entry(
    entry_id: str, parent: str | None = None, kind: str = "custom", **more: Any
) -> dict[str, Any]:
    return {
        "type": kind,
        "id": entry_id,
        "parentId": parent,
        "timestamp": time(0),
        **more,
    }


def message(
    entry_id: str, parent: str | None, role: str, content: Any = "x", **more: Any
) -> dict[str, Any]:
    return entry(entry_id, parent, "message", message={"role": role, "content": content}, **more)


def said(entry_id: str, parent: str | None, text: str = "x") -> dict[str, Any]:
    """An assistant's message with the members that pi needs."""
    answer = message(entry_id, parent, "assistant", [{"type": "text", "text": text}])
    answer["message"]["usage"] = {"cost": {"total": 0}}
    return answer


def chain(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries, each under the one before it."""
    parent = None
    for each in entries:
        each["parentId"] = parent
        parent = each["id"]
    return list(entries)


def file_of(*lines: bytes | dict[str, Any], header: bytes = HEADER) -> bytes:
    raw = [line if isinstance(line, bytes) else dumps(line) for line in (header, *lines)]
    return b"".join(line + b"\n" for line in raw)


def tree_of(entries: list[dict[str, Any]]) -> Tree:
    loaded = load(file_of(*entries))
    return Tree(loaded.entries)


def entry_lines(loaded: Loaded) -> list[bytes]:
    return [each.raw for each in loaded.entries]


def ids(entries: Any) -> list[str]:
    return [each.id for each in entries]
