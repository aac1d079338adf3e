"""Damage OpenClaw's databases, and call every method that reads the sessions in them.

A round has two agents. The database of one is damaged: values of other types, huge numbers, odd ids
and names, missing rows, columns and tables, flipped bits, cuts; some rounds have no `-wal` or no
`-shm`. The sessions of the other agent are in every answer, no answer is an internal error, and
every byte stays as it is.
"""

from __future__ import annotations

import collections
import random
from pathlib import Path
from typing import Any

from support.client import RpcError
from support.openclaw import (
    GROUP,
    INCIDENT,
    MAIN,
    OLDER,
    RECORDED,
    OpenClawDatabase,
    openclaw_database,
)
from support.preloaded import Preloaded, preloaded

from torture.campaigns import Figures, Settings, Violation
from torture.damages import Damage, cut, flipped, spliced, with_nul
from torture.watched import Watched, digest, expect_unchanged

_HEALTHY = {MAIN, INCIDENT, GROUP}
_ODD: list[Any] = [
    *(None, 0, -1, 2**63 - 1, -(2**63), 1.5, float("inf"), 1e308, "", "x", "\0", "../../x", "a/b"),
    *(b"", b"\xed\xa0\xbd", b"\xff\xfe", b"{", "{}", "[]", "null", "1e999", "é" * 300),
    *('{"sessionId":1}', '{"sessionId":"\\ud83d","updatedAt":1e999}', '{"a":' * 2000),
]
_DAMAGES: list[Damage] = [flipped, flipped, flipped, cut, spliced, with_nul]
_TABLES = [
    "transcript_events",
    "session_nodes",
    "session_windows",
    "transcript_rewrite_watermarks",
    "session_transcript_cold_archives",
]
_READING: list[tuple[str, dict[str, Any]]] = [
    ("session/listAll", {"includeText": True, "limit": 100}),
    ("session/listAll", {"workDoneToken": "w", "partialResultToken": "p"}),
    ("catalog/search", {"query": "hello", "limit": 100}),
    ("catalog/search", {"query": "h.llo", "mode": "regex"}),
    ("catalog/usage", {"by": "session", "copies": True}),
    ("catalog/subscribe", {}),
    ("catalog/check", {}),
    ("gateway/list", {"agentId": "main", "includeDerivedTitles": True, "includeLastMessage": True}),
    ("gateway/list", {"agentId": "ops"}),
    ("gateway/subscribe", {"agentId": "main"}),
    *(("session/findById", {"cwd": "/", "id": name}) for name in _HEALTHY),
]
_OF_ONE: list[tuple[str, dict[str, Any]]] = [
    ("catalog/stats", {}),
    ("catalog/export", {"format": "markdown"}),
    ("catalog/export", {"format": "jsonl"}),
    ("catalog/check", {}),
]
_OF_HANDLE = ["getState", "getEntries", "getTree", "buildSessionContext", "getBranch"]


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    with preloaded(settings.directory) as daemons:
        for number in range(settings.rounds):
            chance = settings.random("openclaw", number)
            await _round(daemons, settings.directory / f"{number}", chance, figures)
    return dict(figures)


def _lay(state: Path, chance: random.Random) -> None:
    """Write the database of a healthy agent and of a damaged one."""
    with openclaw_database(state, "ops"):
        pass
    recorded = chance.choice([RECORDED, RECORDED, OLDER])
    with openclaw_database(state, "main", recorded) as made:
        if recorded is RECORDED and chance.random() < 0.3:
            made.archive(in_database=chance.random() < 0.5)
        if chance.random() < 0.7:
            _damage_values(made, chance)
        kept = {path: path.read_bytes() for path in made.directory.iterdir()}
    if chance.random() < 0.7:
        # As after a crash.
        for path, data in kept.items():
            path.write_bytes(data)
        for ending in ("-wal", "-shm"):
            if chance.random() < 0.3:
                Path(f"{made.path}{ending}").unlink()
    path = chance.choice(sorted(made.directory.iterdir()))
    data = path.read_bytes()
    if data and chance.random() < 0.5:
        path.write_bytes(chance.choice(_DAMAGES)(data, chance))


def _damage_values(made: OpenClawDatabase, chance: random.Random) -> None:
    every = made.loosen()
    tables = [table for table in _TABLES if table in every]
    for _ in range(chance.choice([1, 3, 10])):
        table = chance.choice(tables)
        names = made.columns(table)
        name = chance.choice(names)
        rows = chance.choice(["", "WHERE abs(random()) % 3 = 0", "WHERE rowid = 1"])
        statements = [f"UPDATE {table} SET {name} = ? {rows}"] * 12
        statements.append(f"DELETE FROM {table} {rows}")
        if len(names) > 1:
            statements.append(f"ALTER TABLE {table} DROP COLUMN {name}")
        made.writer.execute(statement := chance.choice(statements), _values(statement, chance))
    if chance.random() < 0.1:
        made.writer.execute(f"DROP TABLE {chance.choice(tables)}")


def _values(statement: str, chance: random.Random) -> list[Any]:
    return [chance.choice(_ODD)] if "?" in statement else []


async def _round(
    daemons: Preloaded, home: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    state = home / ".openclaw"
    state.mkdir(parents=True)
    _lay(state, chance)
    before = digest([state])
    where = ["--root", str(home), "--profile", "openclaw", "--agent-dir", str(state)]
    cache = ["--no-catalog-cache"] if chance.random() < 0.5 else []
    log = home / "log"
    logging = ["--log-level", "error", "--log-file", str(log)]
    async with daemons.daemon(*where, *cache, *logging) as (client, pid):
        watched = Watched(client, pid)
        for method, params in _READING:
            _expect_healthy(method, params, await watched.attempt(method, params))
        listed = await watched.ask("session/listAll", {"limit": 100})
        for path in [info["path"] for info in listed["sessions"] if "/main/" in info["path"]]:
            await _of_one(watched, path)
        figures["requests"] += watched.requests
        figures["databases"] += 1
    expect_unchanged(before, [state], "reading methods")
    if log.exists() and "Traceback" in (logged := log.read_text()):
        raise Violation(f"the daemon has logged {logged:.3000}")


async def _of_one(watched: Watched, path: str) -> None:
    for method, params in _OF_ONE:
        await watched.attempt(method, {**params, "path": path})
    opened = await watched.attempt("session/open", {"path": path, "readOnly": True})
    if isinstance(opened, dict):
        for name in _OF_HANDLE:
            await watched.attempt(f"session/{name}", {"session": opened["session"]})


def _expect_healthy(method: str, params: dict[str, Any], answer: Any) -> None:
    if isinstance(answer, RpcError):
        if params.get("agentId") != "main":
            raise Violation(f"{method} {params}: {answer}")
        return
    for problem in answer.get("problems") or []:
        if problem["kind"] == "internalError":
            raise Violation(f"{method} {params}: {problem}")
    if method == "session/listAll":
        found = {info["id"] for info in answer["sessions"] if "/ops/" in info["path"]}
        if found != _HEALTHY:
            raise Violation(f"{method} {params} misses {sorted(_HEALTHY - found)}")
