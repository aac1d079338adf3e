"""Damage the files of a gateway and call every method; then let several writers share a store.

A round damages a store, its transcripts and the configuration: bits, cuts, splices, depth, numbers,
values of other types, one huge value, nothing at all, NUL, a byte order mark. Reading methods must
not change a byte. Afterwards two daemons and a writer that only uses the lock count in one store,
and no count may be lost.
"""

from __future__ import annotations

import asyncio
import collections
import json
import os
import random
import re
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

from support.gateways import CONFIG, READING, STORE, TRANSCRIPT, WRITING
from support.preloaded import Preloaded, preloaded

from torture.campaigns import Figures, Settings, Violation
from torture.damages import Damage, cut, flipped, spliced, with_nul
from torture.watched import Watched, digest, expect_unchanged

_KEYS = [f"agent:main:{name}" for name in ("one", "two", "plain", "common")]
_COUNTS = 5
_DEEP = 2000
_ODD = [
    *(b"null", b"true", b"[]", b"{}", b'""', b'" "', b"-0", b"1e400", b"-1e400", b"1e-400"),
    *(b"9007199254740993", b"1" + b"0" * 400, rb'"\ud83d"', rb'"a\u0000b"', b'["x"]', b'{"a":{}}'),
]


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    limit = sys.getrecursionlimit()
    # Answers contain the deep values of a store, and are decoded here.
    sys.setrecursionlimit(5 * _DEEP)
    try:
        with preloaded(settings.directory) as daemons:
            for number in range(settings.rounds):
                chance = settings.random("stores", number)
                await _damaged(daemons, settings.directory / f"{number}", chance, figures)
                await _shared(daemons, settings.directory / f"{number}-shared", figures)
    finally:
        sys.setrecursionlimit(limit)
    return dict(figures)


_VALUE = re.compile(rb'(?<=: )(?:"[^"]*"|[0-9.]+|true|false|null)')


def _swapped(text: bytes, chance: random.Random) -> bytes:
    """Replace some values by values of other types."""
    share = chance.choice([0.02, 0.2, 0.9])
    return _VALUE.sub(
        lambda match: chance.choice(_ODD) if chance.random() < share else match[0], text
    )


def _deep(text: bytes, chance: random.Random) -> bytes:
    depth = chance.choice([200, 900, _DEEP])
    return text.replace(b": true", b": %b1%b" % (b"[" * depth, b"]" * depth), 1)


def _huge(text: bytes, chance: random.Random) -> bytes:
    return text.replace(b": true", b': "%b"' % (b"y" * chance.choice([10**5, 10**6])), 1)


_DAMAGES: list[Damage] = [
    *(flipped, cut, spliced, _swapped, _swapped, _deep, _huge, with_nul),
    lambda text, _chance: b"\xef\xbb\xbf" + text,
    lambda _text, chance: chance.choice([b"", b" \n", b"null", b"[]", b"{", b"{}"]),
    lambda text, _chance: text,
]


async def _damaged(
    daemons: Preloaded,
    directory: Path,
    chance: random.Random,
    figures: collections.Counter[str],
) -> None:
    state = directory / "state"
    sessions = state / "agents/main/sessions"
    sessions.mkdir(parents=True)
    legacy = state / "sessions"
    legacy.mkdir()

    def lay(path: Path, text: bytes) -> None:
        path.write_bytes(chance.choice(_DAMAGES)(text, chance))
        figures["files"] += 1

    store = json.dumps(STORE, indent=2).encode()
    lay(sessions / "sessions.json", store)
    lay(legacy / "sessions.json", store)
    lay(state / "coderclaw.json", json.dumps(CONFIG).encode())
    for name in ("s1.jsonl", "s2.jsonl"):
        lay(sessions / name, b"".join(json.dumps(line).encode() + b"\n" for line in TRANSCRIPT))
    # A damaged file may name any path, but no file outside may change.
    where = ["--root", str(directory), "--watch", "off", "--no-catalog-cache"]
    where += ["--profile", "coderclaw", "--agent-dir", str(state)]
    async with daemons.daemon(*where) as (client, pid):
        watched = Watched(client, pid)
        await watched.attempt("gateway/isSilentReply", {"text": ""})

        async def work() -> None:
            before = digest([directory])
            for method, params in READING:
                await watched.attempt(method, params)
            expect_unchanged(before, [directory], "reading methods")
            for method, params in WRITING:
                await watched.attempt(method, params)

        await watched.unhindered(work)
        figures["requests"] += watched.requests


async def _shared(daemons: Preloaded, directory: Path, figures: collections.Counter[str]) -> None:
    """Count in one store with two daemons and a plain writer."""
    path = directory / "state/agents/main/sessions/sessions.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({key: {"sessionId": key[-3:]} for key in _KEYS}, indent=2))
    where = ["--profile", "coderclaw", "--agent-dir", str(directory / "state"), "--watch", "off"]

    async def count(watched: Watched, own: str) -> None:
        for _ in range(_COUNTS):
            for key in (own, _KEYS[3]):
                await watched.ask("gateway/recordCompaction", {"sessionKey": key})

    async with daemons.daemon(*where) as one, daemons.daemon(*where) as two:
        await asyncio.gather(
            count(Watched(*one), _KEYS[0]),
            count(Watched(*two), _KEYS[1]),
            asyncio.to_thread(_count_plainly, path),
        )
    stored = json.loads(path.read_text())
    counts = [stored[key].get("compactionCount") for key in _KEYS]
    if counts != [_COUNTS] * 3 + [3 * _COUNTS]:
        raise Violation(f"updates were lost: {counts}")
    figures["updates"] += sum(counts)


def _count_plainly(path: Path) -> None:
    """Change the store as a gateway does: lock, read, change, rename, unlock."""
    for number in range(2 * _COUNTS):
        key = _KEYS[3] if number % 2 else _KEYS[2]
        lock = _acquired(path.with_name(f"{path.name}.lock"))
        try:
            store = json.loads(path.read_text())
            store[key]["compactionCount"] = store[key].get("compactionCount", 0) + 1
            temporary = path.with_name(f"{path.name}.{os.getpid()}.{uuid.uuid4()}.tmp")
            temporary.write_text(json.dumps(store, indent=2))
            temporary.rename(path)
        finally:
            lock.unlink()


def _acquired(lock: Path) -> Path:
    waiting = random.Random(0)
    content = {"pid": os.getpid(), "createdAt": datetime.now(UTC).isoformat()}
    while True:
        try:
            descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            # In another thread, so that nothing else waits.
            time.sleep(waiting.random() * 0.02)
        else:
            with os.fdopen(descriptor, "w") as file:
                json.dump(content, file)
            return lock
