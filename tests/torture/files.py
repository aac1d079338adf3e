"""Put damaged session files among healthy ones and call every method that reads.

A round damages a directory full of sessions: bits, cuts, splices, bytes that are not UTF-8, depth,
numbers, values of other types, duplicate ids, cycles, NUL, a byte order mark, CRLF. Some rounds add
one very long line, or very many empty or broken ones. No healthy session is missing from any
answer, and every byte stays as it is.
"""

from __future__ import annotations

import collections
import json
import random
import re
from pathlib import Path
from typing import Any

from support.preloaded import Preloaded, preloaded

from torture.campaigns import Figures, Settings, Violation
from torture.damages import DAMAGES, Damage
from torture.watched import Watched, digest, expect_no_traceback, expect_unchanged

_FILES = 80
"""Damaged files of one round."""

_HEALTHY = ["first", "middle", "zlast"]
_CWD = "/w"
_LARGE_EVERY = 10
"""Rounds, of which one holds a large file."""

_LONG_LINE = 100_000_000
_LINES = 1_000_000
_ID = re.compile(rb'"(id|parentId)":"m(\d+)"')


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    with preloaded(settings.directory) as daemons:
        for number in range(settings.rounds):
            chance = settings.random("files", number)
            home = settings.directory / f"{number}"
            # Small files in a short run, which is part of the tests.
            large = 1.0 if settings.rounds > _LARGE_EVERY else 0.05
            await _round(daemons, home, chance, figures, large * (number % _LARGE_EVERY == 0))
    return dict(figures)


def _session(name: str, chance: random.Random) -> bytes:
    """Return the text of a healthy session file."""
    at = f"2026-01-0{chance.randrange(1, 10)}T10:00:00.000Z"
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": name, "timestamp": at, "cwd": _CWD}
    ]
    for number in range(chance.randrange(2, 30)):
        entry = {"id": f"m{number}", "parentId": f"m{number - 1}" if number else None}
        entry["timestamp"] = at
        # One answer at least, without which a session has no row in reports of usage, and one
        # more that a search for "needle 1" finds, which does not look at results.
        role = chance.choice(["user", "assistant", "toolResult"]) if number > 1 else "assistant"
        content: Any = [{"type": "text", "text": f"needle {number} café"}]
        if role == "user":
            content = f"needle {number}"
        message = {"role": role, "content": content, "timestamp": 1_770_000_000_000 + number}
        lines.append({"type": "message", **entry, "message": message})
    lines.append({"type": "session_info", "id": "n", "parentId": "m0", "name": f"needle {name}"})
    return b"".join(
        json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        for line in lines
    )


def _tangled(text: bytes, chance: random.Random) -> bytes:
    """Add duplicate ids, parents that come after their children, and cycles."""
    return _ID.sub(lambda match: b'"%b":"m%d"' % (match[1], chance.randrange(30)), text)


_DAMAGES: list[Damage] = [*DAMAGES, _tangled]


def _large(chance: random.Random, share: float) -> bytes:
    """Return a session with one long line, or with very many empty or broken lines."""
    text = _session("large", chance)
    count = int(_LINES * share)
    header, _, rest = text.partition(b"\n")
    # Answers contain the user's text; this process decodes them while it sends small requests.
    role, size = chance.choice([(b"user", _LONG_LINE // 20), (b"toolResult", _LONG_LINE)])
    said = chance.choice([b"word and ", b"x" * 9]) * int(size * share / 9)
    long = b'{"type":"message","id":"x","message":{"role":"%b","content":"%b"}}\n' % (role, said)
    filler = chance.choice([b"\n" * count, b"{x\n" * (count // 3), long])
    return header + b"\n" + filler + rest


_READING: list[tuple[str, dict[str, Any]]] = [
    ("session/list", {"cwd": _CWD}),
    ("session/listAll", {"includeText": True, "limit": _FILES}),
    ("session/listAll", {"workDoneToken": "w", "partialResultToken": "p"}),
    ("catalog/search", {"query": "needle", "limit": 2 * _FILES}),
    ("catalog/search", {"query": '"needle 1"'}),
    ("catalog/search", {"query": "needle", "mode": "fuzzy"}),
    ("catalog/search", {"query": "n.edle", "mode": "regex", "limit": 2 * _FILES}),
    ("catalog/usage", {"by": "session", "copies": True}),
    ("catalog/subscribe", {}),
    ("catalog/check", {}),
    ("catalog/check", {"cwd": _CWD}),
    *(("session/findById", {"cwd": _CWD, "id": name}) for name in _HEALTHY),
]
_OF_ONE: list[tuple[str, dict[str, Any]]] = [
    ("catalog/stats", {}),
    ("catalog/export", {"format": "markdown"}),
    ("catalog/export", {"format": "jsonl"}),
    ("catalog/repair", {"dryRun": True}),
    ("catalog/check", {}),
]
_OF_HANDLE = ["getState", "getEntries", "getTree", "buildSessionContext", "getBranch"]


async def _round(
    daemons: Preloaded,
    home: Path,
    chance: random.Random,
    figures: collections.Counter[str],
    large: float,
) -> None:
    folder = home / ".pi" / "agent" / "sessions" / "--w--"
    folder.mkdir(parents=True)
    for name in _HEALTHY:
        (folder / f"{name}.jsonl").write_bytes(_session(name, chance))
    for number in range(_FILES):
        text = chance.choice(_DAMAGES)(_session(f"damaged{number}", chance), chance)
        (folder / f"n{number}.jsonl").write_bytes(text)
    if large:
        (folder / "large.jsonl").write_bytes(_large(chance, large))
    figures["files"] += _FILES + bool(large)
    before = digest([folder])
    log = home / "log"
    where = [
        "--log-file",
        str(log),
        "--root",
        str(home),
        "--watch",
        "off",
        "--agent-dir",
        str(home / ".pi" / "agent"),
    ]
    async with daemons.daemon(*where, "--no-catalog-cache") as (client, pid):
        watched = Watched(client, pid)
        await watched.ask("session/listAll", {"sessionDir": str(home), "limit": 0})

        async def work() -> None:
            for method, params in _READING:
                _expect_healthy(method, params, await watched.ask(method, params))
            for number in chance.sample(range(_FILES), 5):
                await _of_one(watched, str(folder / f"n{number}.jsonl"))

        await watched.unhindered(work)
        figures["requests"] += watched.requests
    expect_no_traceback(log)
    expect_unchanged(before, [folder], "reading methods")


async def _of_one(watched: Watched, path: str) -> None:
    for method, params in _OF_ONE:
        await watched.attempt(method, {**params, "path": path})
    opened = await watched.attempt("session/open", {"path": path, "readOnly": True})
    if isinstance(opened, dict):
        for name in _OF_HANDLE:
            await watched.attempt(f"session/{name}", {"session": opened["session"]})


def _expect_healthy(method: str, params: dict[str, Any], answer: dict[str, Any]) -> None:
    if "id" in params:
        answered = {Path(answer["path"] or "").stem}
        expected = {str(params["id"])}
    else:
        kinds = ("sessions", "hits", "rows", "files")
        items = next(answer[kind] for kind in kinds if kind in answer)
        answered = {Path((item.get("info") or item)["path"]).stem for item in items}
        # Of a page we only know that it is full.
        whole = "rows" in answer or len(items) == answer.get("total", len(items))
        expected = set(_HEALTHY) if whole else set()
    if not expected <= answered:
        raise Violation(f"{method} {params} misses {sorted(expected - answered)}")
    for problem in answer.get("problems", []):
        if problem["kind"] == "internalError":
            raise Violation(f"{method} {params}: {problem}")
