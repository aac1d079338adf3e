"""Kill daemons during their work: acknowledged changes must be in the file, which must be valid.

Each round is one file and several kills. In half of the rounds, two daemons and a plain writer
without locks share a session file. In the others, a daemon is killed during a migration, a repair,
a rename, a compaction, or a save of a gateway's store.
"""

from __future__ import annotations

import asyncio
import collections
import json
import os
import random
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from support.client import Client
from support.preloaded import Preloaded, preloaded
from support.writers import plain_writer

from torture.campaigns import Figures, Settings, Violation
from torture.watched import SILENCE_SECONDS

KILLS_A_ROUND = 17
_TIME = "2026-01-01T00:00:00.000Z"

Request = tuple[str, dict[str, Any]]


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    kinds = [shared, migration, repair, rename, compaction, store]
    with preloaded(settings.directory) as daemons:
        for number in range(settings.rounds):
            # Every second round appends together with other writers.
            kind = shared if number % 2 == 0 else kinds[1 + number // 2 % (len(kinds) - 1)]
            directory = settings.directory / f"{number}"
            directory.mkdir()
            chance = settings.random("kills", number)
            await kind(daemons, directory, chance, figures)
    return dict(figures)


@asynccontextmanager
async def mortal(daemons: Preloaded, *arguments: str) -> AsyncIterator[tuple[Client, int]]:
    """A daemon that may be killed by its process id."""
    async with daemons.daemon("--watch", "off", "--no-catalog-cache", *arguments) as both:
        yield both


async def killed(
    daemons: Preloaded,
    requests: Sequence[Request],
    chance: random.Random,
    figures: collections.Counter[str],
    *arguments: str,
) -> list[Any]:
    """Send the requests without waiting and kill the daemon; returns the received results in order.

    A request may name the handle of the first result as `SESSION`.
    """
    async with mortal(daemons, *arguments) as (client, pid):
        answers: list[asyncio.Future[Any]] = []
        for method, params in requests:
            if params.get("session") == "SESSION":
                first = await asyncio.wait_for(asyncio.shield(answers[0]), SILENCE_SECONDS)
                params = {**params, "session": first.value["result"]["session"]}  # noqa: PLW2901
            answers.append(client.start(method, params))
        if chance.random() < 0.5:
            await asyncio.sleep(chance.random() * 0.02)
        else:
            awaited = answers[chance.randrange(len(answers))]
            await asyncio.wait([awaited], timeout=SILENCE_SECONDS)
        os.kill(pid, signal.SIGKILL)
        await client.output_ends()
    figures["kills"] += 1
    results: list[Any] = []
    for answer in answers:
        if answer.exception() is None:
            value = answer.result().value
            if "error" in value:
                raise Violation(f"{value['error']} for {requests[len(results)]}")
            results.append(value["result"])
    figures["acknowledged"] += len(results)
    return results


async def asked(daemons: Preloaded, *requests: Request, arguments: Sequence[str] = ()) -> list[Any]:
    """Return the results of a daemon that may answer all requests."""
    results: list[Any] = []
    async with mortal(daemons, *arguments) as (client, _):
        for method, params in requests:
            if params.get("session") == "SESSION":
                params = {**params, "session": results[0]["session"]}  # noqa: PLW2901
            results.append(await client.request(method, params))
    return results


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def written(path: Path, header: dict[str, Any], entries: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in (header, *entries)))
    return path


def chain(count: int, prefix: str = "e") -> list[dict[str, Any]]:
    """Return messages, each the child of the previous one."""
    return [
        {
            "type": "message",
            "id": f"{prefix}{number}",
            "parentId": f"{prefix}{number - 1}" if number else None,
            "timestamp": _TIME,
            "message": user(f"{prefix}{number}"),
        }
        for number in range(count)
    ]


HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": _TIME, "cwd": "/w"}


def entries_of(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines that are entries; torn lines are skipped."""
    entries = []
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if value.get("type") != "session":
            entries.append(value)
    return entries


def expect(promise: object, message: str) -> None:
    if not promise:
        raise Violation(message)


# --- appends with other writers ------------------------------------------------------------------


async def shared(
    daemons: Preloaded, directory: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Two daemons, of which one is killed repeatedly, and a plain writer append to one file."""
    path = written(directory / "s.jsonl", HEADER, chain(1, "root"))
    acknowledged: list[str] = []
    opened: Request = ("session/open", {"path": str(path)})
    async with mortal(daemons) as (survivor, _), plain_writer(path, "p", "root0") as plain:
        session = (await survivor.request(*opened))["session"]
        for kill in range(KILLS_A_ROUND):
            ids = [f"k{kill}n{number}" for number in range(60)]
            dying = asyncio.create_task(
                killed(daemons, [opened, *appends(ids, "SESSION", chance)], chance, figures)
            )
            others = [f"o{kill}n{number}" for number in range(10)]
            for method, params in appends(others, session, chance):
                plain.write(b"..")
                answer = await survivor.request(method, params)
                acknowledged.append(answer["id"])
            acknowledged += [result["id"] for result in (await dying)[1:]]
        count = 2 * 10 * KILLS_A_ROUND
        figures["foreign lines"] += count
        figures["acknowledged"] += 10 * KILLS_A_ROUND
    there = collections.Counter(entry.get("id") for entry in entries_of(path))
    lost = [each for each in acknowledged if there[each] != 1]
    expect(not lost, f"acknowledged, and not once in the file: {lost[:5]}")
    # A line of the plain writer may follow the torn line of a killed daemon.
    ends = [
        line[line.rfind(b'{"type": "message", "id": "p') :]
        for line in path.read_bytes().split(b"\n")
    ]
    foreign = [json.loads(end)["id"] for end in ends if end.startswith(b'{"type"')]
    expect(foreign == [f"p{n}" for n in range(count)], "lines of the plain writer are missing")


def appends(ids: Sequence[str], session: str, chance: random.Random) -> list[Request]:
    """Return appends with these ids; some are so large that the kill may hit the write."""
    return [
        (
            "session/appendMessage",
            {
                "session": session,
                "newEntryId": each,
                "message": user(each * (50_000 if chance.random() < 0.05 else 1)),
            },
        )
        for each in ids
    ]


# --- rewrites ------------------------------------------------------------------------------------


async def migration(
    daemons: Preloaded, directory: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Kill an open that migrates: the file must be the old one or the new one."""
    old = [{"type": "message", "timestamp": _TIME, "message": user(f"n{n}")} for n in range(3000)]
    header = {"type": "session", "id": "s", "timestamp": _TIME, "cwd": "/w"}
    whole = written(directory / "whole.jsonl", header, old)
    before = whole.read_bytes()
    await asked(daemons, ("session/open", {"path": str(whole)}))
    after = whole.read_bytes()
    expect(after != before, "nothing was migrated")
    path = directory / "s.jsonl"
    for _ in range(KILLS_A_ROUND):
        path.write_bytes(before)
        opened = await killed(daemons, [("session/open", {"path": str(path)})], chance, figures)
        content = path.read_bytes()
        expect(content in (before, after), "a migration was cut in the middle")
        expect(content == after or not opened, "answered before the migration was on disk")


async def repair(
    daemons: Preloaded, directory: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Kill a repair: no entry that could be read before may be missing."""
    path = directory / "s.jsonl"
    lines = [json.dumps(each).encode() for each in (HEADER, *chain(2000))]
    damaged = list(lines)
    for _ in range(20):
        damaged.insert(chance.randrange(2, len(damaged)), chance.choice((b"{", b"\0\0", b'"x"]')))
    for _ in range(KILLS_A_ROUND):
        path.write_bytes(b"\n".join(damaged) + b"\n{torn")
        await killed(
            daemons,
            [("catalog/repair", {"path": str(path), "dryRun": False})],
            chance,
            figures,
        )
        ids = [entry["id"] for entry in entries_of(path)]
        expect(ids == [f"e{n}" for n in range(2000)], "a repair that was killed lost an entry")


async def rename(
    daemons: Preloaded, directory: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Kill renames: the name must be a requested one, and not older than the last answer."""
    path = written(directory / "s.jsonl", HEADER, chain(5))
    names: list[str] = []
    for kill in range(KILLS_A_ROUND):
        asked_for = [f"name {kill} {number}" for number in range(20)]
        requests = [("catalog/rename", {"path": str(path), "name": each}) for each in asked_for]
        results = await killed(daemons, requests, chance, figures)
        names += asked_for[: len(results)]
        there = [each["name"] for each in entries_of(path) if each["type"] == "session_info"]
        expect(set(names) <= set(there), "an acknowledged name is missing")
        expect(len(there) == len(set(there)), "a name was written twice")


async def compaction(
    daemons: Preloaded, directory: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Kill compactions and labels: acknowledged ones must exist, and the tree must be complete."""
    path = written(directory / "s.jsonl", HEADER, chain(50))
    acknowledged: list[str] = []
    for kill in range(KILLS_A_ROUND):
        requests: list[Request] = [("session/open", {"path": str(path)})]
        for number in range(10):
            more = {"session": "SESSION", "newEntryId": f"c{kill}n{number}"}
            compacted = {"summary": "s" * 1000, "tokensBefore": 5, "firstKeptEntryId": "e40"}
            requests.append(("session/appendCompaction", {**more, **compacted}))
            more = {**more, "newEntryId": f"l{kill}n{number}"}
            requests.append(
                ("session/appendLabelChange", {**more, "targetId": "e3", "label": f"{number}"})
            )
        results = await killed(daemons, requests, chance, figures)
        acknowledged += [result["id"] for result in results[1:]]
    there = collections.Counter(entry["id"] for entry in entries_of(path))
    expect(all(there[each] == 1 for each in acknowledged), "an acknowledged entry is missing")
    known = {None, *there}
    expect(all(e["parentId"] in known for e in entries_of(path)), "a parent is missing")


async def store(
    daemons: Preloaded, directory: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Kill saves of a gateway's store: it must parse and contain all acknowledged changes."""
    path = directory / "state/agents/main/sessions/sessions.json"
    path.parent.mkdir(parents=True)
    key = "agent:main:main"
    ballast = {f"agent:main:x{n}": {"sessionId": f"x{n}", "text": "x" * 500} for n in range(100)}
    path.write_text(json.dumps({key: {"sessionId": "s"}, **ballast}, indent=2))
    where = ["--profile", "coderclaw", "--agent-dir", str(directory / "state")]
    acknowledged = sent = 0
    for _ in range(KILLS_A_ROUND):
        requests: list[Request] = [("gateway/recordCompaction", {"sessionKey": key})] * 20
        results = await killed(daemons, requests, chance, figures, *where)
        acknowledged += len(results)
        sent += len(requests)
        stored = json.loads(path.read_text())
        count = stored[key].get("compactionCount", 0)
        expect(acknowledged <= count <= sent, f"{count} counted, {acknowledged} acknowledged")
        expect({k: stored.get(k) for k in ballast} == ballast, "another entry was changed")
