"""Session files for lists and searches, and the results of a naive reader."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sessiond.catalog.index.rows import SETTLED_NS
from sessiond.text.dates import iso_from_ms

HEADER_TIME = "2026-01-01T00:00:00.000Z"


def write_session(
    file: Path,
    *messages: str,
    name: str | None = None,
    session_id: str = "id",
    cwd: str = "/c",
    created: int | None = None,
    modified: int = 1,
) -> Path:
    """A session whose messages are by turns the user's and the assistant's; times in ms."""
    file.parent.mkdir(parents=True, exist_ok=True)
    time = HEADER_TIME if created is None else iso_from_ms(created)
    header = {"type": "session", "version": 3, "id": session_id, "timestamp": time}
    lines: list[dict[str, Any]] = [{**header, "cwd": cwd}]
    lines += [message(number, text, modified) for number, text in enumerate(messages)]
    if name is not None:
        lines.append({"type": "session_info", "id": "n", "parentId": None, "name": name})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def message(number: int, text: str, modified: int = 1) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": "user", "content": text, "timestamp": modified}
    if number % 2:
        sent |= {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": f"m{number}", "parentId": None, "message": sent}


def settle(files: Sequence[Path]) -> None:
    """Wait until a further change of the files would show in their times."""
    latest = max((file.stat().st_ctime_ns for file in files if file.exists()), default=0)
    latest = max([latest, *(os.stat(f).st_mtime_ns for f in files if f.exists())], default=0)
    while time.time_ns() - latest <= SETTLED_NS:
        time.sleep(0.001)
