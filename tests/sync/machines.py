"""Machines with sessions, and syncs between them without a program at the other end."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from sessiond.sync.exchange import Exchange, Options, Report
from sessiond.sync.files_side import FilesSide


@attrs.frozen
class Machine:
    """A home directory with sessions of pi."""

    home: Path

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PWD": str(self.home)}

    @property
    def sessions(self) -> Path:
        return self.home / ".pi/agent/sessions"

    def side(self) -> FilesSide:
        return FilesSide(self.env, 5)

    def write(self, session_id: str, *lines: str, below: str = "shop", **members: Any) -> Path:
        """Write a session of a directory below the home directory, as pi names it."""
        cwd = str(self.home / below)
        first = {"type": "session", "version": 3, "id": session_id, **members}
        first |= {"timestamp": "2026-11-01T10:00:00.000Z", "cwd": cwd}
        folder = self.sessions / f"--{cwd[1:].replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"2026-11-01T10-00-00-000Z_{session_id}.jsonl"
        path.write_text(json.dumps(first) + "\n" + "".join(lines))
        return path

    def paths(self) -> list[Path]:
        return sorted(self.sessions.rglob("*.jsonl"))

    def entries(self) -> dict[str, list[str]]:
        """Return the ids of the entries of each session, in the order of its file."""
        return {name: ids(text) for name, text in texts(self.paths()).items()}

    async def sync(self, other: Machine | Path, **options: Any) -> Report:
        """Sync with another machine, or with a folder."""
        there = folder_side(self, other) if isinstance(other, Path) else other.side()
        return await Exchange(self.side(), there, Options(**options)).run()


def folder_side(machine: Machine, folder: Path) -> FilesSide:
    return FilesSide(machine.env, 5, str(folder))


def texts(paths: Iterable[Path]) -> dict[str, str]:
    """Return the contents of session files by the ids in their headers."""
    every = [path.read_text() for path in paths]
    return {json.loads(text.split("\n", 1)[0])["id"]: text for text in every}


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()[1:]]


def moves(report: Report) -> list[tuple[str, str, bool, int]]:
    """Return the moves of a report: session, kind, whether it came here, number of entries."""
    return sorted((str(m.item.ref), m.kind, m.to_here, m.entries) for m in report.moves)
