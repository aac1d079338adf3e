"""Damage the sessions of agents with formats of their own, and call every method that reads them.

A round has sessions of Claude Code, Codex and opencode, most of them damaged: bits, cuts, splices,
bytes that are not UTF-8, also in names of members, values of other types, depth, NUL; compressed
files, too, and the JSON in rows of the database. The healthy ones are in every answer, no answer is
an internal error, nothing is logged with a traceback, and every byte stays as it is.
"""

from __future__ import annotations

import collections
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard
from support import claude_lines, codex_lines
from support.app import daemon
from support.opencode_database import Opencode

from torture.campaigns import Figures, Settings, Violation
from torture.damages import DAMAGES
from torture.watched import Watched, digest, expect_unchanged, no_tracebacks

_FILES = 4
"""Damaged files of each agent in one round."""

_READING: list[tuple[str, dict[str, Any]]] = [
    ("session/listAll", {"includeText": True}),
    ("catalog/search", {"query": "teddy"}),
    ("catalog/search", {"query": "", "fields": ["calls", "results", "thinking", "summaries"]}),
    ("catalog/search", {"query": "t.ddy", "mode": "regex"}),
    ("catalog/usage", {"by": "session", "copies": True}),
    ("catalog/check", {}),
]
_OF_ONE: list[tuple[str, dict[str, Any]]] = [
    ("catalog/stats", {}),
    ("catalog/check", {}),
    ("catalog/export", {"format": "markdown"}),
    ("catalog/export", {"format": "html"}),
    ("catalog/export", {"format": "jsonl"}),
]
_OF_HANDLE = ("getState", "getEntries", "getTree", "getView", "buildSessionContext", "getBranch")


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    for number in range(settings.rounds):
        home = settings.directory / f"{number}"
        await _round(home, settings.random("agents", number), figures)
    return dict(figures)


def _damaged(text: bytes, chance: random.Random) -> bytes:
    return chance.choice(DAMAGES)(text, chance)


def _lay_claude_code(home: Path, chance: random.Random) -> list[Path]:
    healthy = claude_lines.lay(home)
    text = healthy.read_bytes()
    for number in range(_FILES):
        session = f"{number:08}-0000-4000-8000-000000000000"
        own = text.replace(claude_lines.SESSION.encode(), session.encode())
        healthy.with_name(f"{session}.jsonl").write_bytes(_damaged(own, chance))
    return [healthy]


def _lay_codex(home: Path, chance: random.Random) -> list[Path]:
    text = codex_lines.Rollout().meta().turn().text
    healthy = codex_lines.lay(home, text)
    for number in range(_FILES):
        thread = f"{codex_lines.THREAD[:-4]}{number:04}"
        own = _damaged(text.replace(codex_lines.THREAD, thread).encode(), chance)
        file = codex_lines.lay(home, "", thread)
        if number % 3:
            file.write_bytes(own)
            continue
        file.unlink()
        packed = zstandard.ZstdCompressor().compress(own)
        packed = _damaged(packed, chance) if number % 2 else packed
        file.with_name(f"{file.name}.zst").write_bytes(packed)
    return [healthy]


def _lay_opencode(home: Path, chance: random.Random) -> list[Path]:
    database = Opencode(home)
    database.session()
    database.turn()
    for number in range(_FILES):
        session = f"ses_damaged{number}"
        database.session(session)
        database.turn(session)
    healthy = database.session_path()
    database.close()
    path = next(each for each in home.rglob("*.db") if each.is_file())
    with sqlite3.connect(path) as connection:
        for table in ("message", "part"):
            rows = connection.execute(
                f"SELECT id, data FROM {table} WHERE session_id LIKE 'ses_damaged%'"
            ).fetchall()
            for name, data in rows:
                if chance.random() < 0.3:
                    changed: object = _damaged(data.encode(), chance)
                    if chance.random() < 0.7:
                        changed = changed.decode("utf-8", "replace")  # type: ignore[attr-defined]
                    connection.execute(
                        f"UPDATE {table} SET data = ? WHERE id = ?",
                        (changed, name),
                    )
    connection.close()
    return [Path(healthy)]


_LAY: tuple[Callable[[Path, random.Random], list[Path]], ...] = (
    _lay_claude_code,
    _lay_codex,
    _lay_opencode,
)


async def _round(home: Path, chance: random.Random, figures: collections.Counter[str]) -> None:
    home.mkdir()
    healthy = {str(path) for lay in _LAY for path in lay(home, chance)}
    figures["files"] += len(_LAY) * _FILES
    before = digest([home])
    with no_tracebacks():
        async with daemon(home, all_agents=True, watch="off", catalog_cache=False) as client:
            watched = Watched(client, 0)
            for method, params in _READING:
                answer = await watched.ask(method, params)
                _expect_healthy(method, answer, healthy if params.get("query") else set())
            listed = (await watched.ask("session/listAll", {}))["sessions"]
            for info in listed:
                await _of_one(watched, info["path"])
            figures["sessions"] += len(listed)
            figures["requests"] += watched.requests
    expect_unchanged(before, [home], "reading methods")


async def _of_one(watched: Watched, path: str) -> None:
    for method, params in _OF_ONE:
        await watched.attempt(method, {**params, "path": path})
    opened = await watched.attempt("session/open", {"path": path, "readOnly": True})
    if not isinstance(opened, dict):
        return
    handle = {"session": opened["session"]}
    for name in _OF_HANDLE:
        await watched.attempt(f"session/{name}", handle)
    entries = await watched.attempt("session/getEntries", handle)
    for entry in entries["entries"] if isinstance(entries, dict) else ():
        await watched.attempt("session/getSource", {**handle, "entryId": entry["id"]})


def _expect_healthy(method: str, answer: dict[str, Any], healthy: set[str]) -> None:
    kinds = ("sessions", "hits", "rows", "files")
    items = next(answer[kind] for kind in kinds if kind in answer)
    paths = {(item.get("info") or item)["path"] for item in items}
    # Copies of a session are one hit.
    paths |= {path for item in items for path in item.get("alsoIn", ())}
    if not healthy <= paths:
        raise Violation(f"{method} misses {sorted(healthy - paths)}")
    for problem in answer.get("problems", []):
        if problem["kind"] == "internalError":
            raise Violation(f"{method}: {problem}")
