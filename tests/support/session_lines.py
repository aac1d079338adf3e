"""Lines of session files, and files changed as other programs change them."""

import json
from pathlib import Path
from typing import Any


def line(entry_id: str, parent: str | None = None, text: str = "x", **more: Any) -> str:
    entry = {
        "type": "message",
        "id": entry_id,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": text},
        **more,
    }
    return json.dumps(entry) + "\n"


def header(
    session_id: str = "x", cwd: str = "/w", *, time: str = "2026-01-01T00:00:00.000Z"
) -> str:
    first = {"type": "session", "version": 3, "id": session_id, "timestamp": time, "cwd": cwd}
    return json.dumps(first) + "\n"


def append(file: Path, text: str) -> None:
    with file.open("a") as out:
        out.write(text)


def replace(file: Path, text: str) -> None:
    """Save as editors do: a new file, renamed over the old one."""
    other = file.with_suffix(".tmp")
    other.write_text(text)
    other.rename(file)
