"""Run everything at the same time in one daemon, whose resources must not grow.

Lists, searches, subscriptions, opens, closes, appends and exports run at the same time. After a
warm-up the memory, descriptors, threads and database connections of the daemon are sampled; growth
beyond a limit is a leak.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
from support.client import RpcError, spawned
from support.process import isolated_environment
from support.sessions_on_disk import write_session

from torture.campaigns import Figures, Settings, Violation
from torture.watched import Watched

WARM_UP = 0.4
"""Share of the time that is the warm-up, in which caches fill and threads are created."""

MEMORY_GROWTH = 48 * 1024 * 1024
"""Bytes by which the daemon may grow after the warm-up, plus half a megabyte per second: the
sessions grow as well, and all their documents are cached."""

MEMORY_GROWTH_PER_SECOND = 512 * 1024
DESCRIPTOR_GROWTH = 24
THREAD_GROWTH = 12
MOST_CONNECTIONS = 24

SESSIONS = 40
_CWD = "/work"
_EXPECTED_REFUSALS = {1014, 1022, -32800}
_EVERY_SECONDS = 0.2
_LATE_SECONDS = 10.0
"""Maximum waiting time of a small request. How fast answers are beside others is measured by other
campaigns, which try again: by chance one request is late on a busy machine."""


@attrs.define
class _Sample:
    memory: int
    descriptors: int
    threads: int
    connections: int


@attrs.define
class _Day:
    """The shared state of all activities, and when they end."""

    settings: Settings
    daemon: Watched
    folder: Path
    until: float
    done: int = 0
    samples: list[_Sample] = attrs.field(factory=list)

    def goes_on(self) -> bool:
        return time.monotonic() < self.until

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        answer = await self.daemon.attempt(method, params)
        if isinstance(answer, RpcError) and answer.code not in _EXPECTED_REFUSALS:
            raise Violation(f"{method} {params} was refused: {answer}")
        self.done += 1
        return answer


async def run(settings: Settings) -> Figures:
    """Run everything for a second per round. Raises Violation."""
    home = settings.directory / "home"
    folder = home / ".pi" / "agent" / "sessions" / "--work--"
    chosen = settings.random("sessions")
    for number in range(SESSIONS):
        texts = [f"word{chosen.randrange(500)} " * 40 for _ in range(20)]
        write_session(folder / f"{number}.jsonl", *texts, cwd=_CWD, modified=number + 1)
    # It reads and writes only the files created above, so it needs no unprivileged user.
    command = [sys.executable, "-m", "sessiond"]
    environment = isolated_environment(home)
    async with spawned(command, "line", env=environment, cwd=home) as (client, process):
        daemon = Watched(client, process.pid)
        # The process has started and imported its modules.
        for method in ("daemon/status", "session/listAll", "catalog/stats"):
            await daemon.attempt(method, {})
        begun = time.monotonic()
        day = _Day(settings, daemon, folder, begun + max(5, settings.rounds))
        async with daemon.probed(_LATE_SECONDS), asyncio.TaskGroup() as group:
            for work in (
                _lists,
                _searches,
                _subscribes,
                _appends,
                _appends,
                _exports,
                _cancels,
            ):
                group.create_task(_repeat(day, work))
            group.create_task(_sample(day))
        seconds = time.monotonic() - begun
    _expect_no_growth(day.samples, seconds)
    return {"requests": day.done, "samples": len(day.samples)}


async def _repeat(day: _Day, work: Callable[[_Day, random.Random], Awaitable[None]]) -> None:
    number = 0
    while day.goes_on():
        number += 1
        await work(day, day.settings.random(work.__name__, number))


async def _lists(day: _Day, chosen: random.Random) -> None:
    params = {"includeText": chosen.random() < 0.2, "limit": chosen.choice([5, 1000])}
    scope = {"cwd": _CWD} if chosen.random() < 0.5 else {}
    await day.ask("session/list" if scope else "session/listAll", {**params, **scope})


async def _searches(day: _Day, chosen: random.Random) -> None:
    word = f"word{chosen.randrange(500)}"
    mode, query = chosen.choice(
        [
            ("text", word), ("text", f'"{word} {word}"'), ("fuzzy", "wrd 7"), ("text", "d4"),
            ("regex", f"{word[:-1]}[0-9]"), ("regex", "(w|wo|o)+$!"), ("regex", "a{9999999}"),
        ]
    )  # fmt: skip
    await asyncio.gather(
        *(day.ask("catalog/search", {"query": query, "mode": mode}) for _ in range(3))
    )


async def _subscribes(day: _Day, chosen: random.Random) -> None:
    scope = {} if chosen.random() < 0.5 else {"cwd": _CWD}
    answer = await day.ask("catalog/subscribe", scope)
    await asyncio.sleep(chosen.random() * 0.05)
    await day.ask("catalog/unsubscribe", {"subscription": answer["subscription"]})


async def _appends(day: _Day, chosen: random.Random) -> None:
    path = str(day.folder / f"{chosen.randrange(SESSIONS)}.jsonl")
    read_only = chosen.random() < 0.3
    state = await day.ask("session/open", {"path": path, "readOnly": read_only})
    handle = {"session": state["session"]}
    if not read_only:
        message = {"role": "user", "content": f"word{chosen.randrange(500)}"}
        await day.ask("session/appendMessage", {**handle, "message": message})
    await day.ask("session/buildSessionContext", handle)
    await day.ask("session/close", handle)


async def _exports(day: _Day, chosen: random.Random) -> None:
    path = str(day.folder / f"{chosen.randrange(SESSIONS)}.jsonl")
    style = chosen.choice(["jsonl", "markdown", "html"])
    await day.ask("catalog/export", {"path": path, "format": style})


async def _cancels(day: _Day, chosen: random.Random) -> None:
    client = day.daemon.client
    method, params = chosen.choice(
        [
            ("session/listAll", {"includeText": True}),
            ("catalog/search", {"query": "(w|wo|o)+$!", "mode": "regex"}),
            ("catalog/search", {"query": "word"}),
        ]
    )
    id_ = f"cancelled-{chosen.random()}"
    answer = client.start(method, params, id_=id_)
    await asyncio.sleep(chosen.random() * 0.1)
    client.notify("$/cancelRequest", {"id": id_})
    await day.daemon.awaited(answer, method)
    day.done += 1


async def _sample(day: _Day) -> None:
    while day.goes_on():
        day.samples.append(_seen(day.daemon.pid))
        await asyncio.sleep(_EVERY_SECONDS)


def _seen(pid: int) -> _Sample:
    process = Path(f"/proc/{pid}")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    paths = []
    for descriptor in (process / "fd").iterdir():
        try:
            paths.append(os.readlink(descriptor))
        except OSError:
            paths.append("")
    return _Sample(
        memory=int(status["VmRSS"].split()[0]) * 1024,
        descriptors=len(paths),
        threads=int(status["Threads"]),
        connections=sum(path.endswith(".sqlite3") for path in paths),
    )


def _expect_no_growth(samples: list[_Sample], seconds: float) -> None:
    """Compare the maximum of the first part after the warm-up with the minimum of the last part."""
    after = samples[int(len(samples) * WARM_UP) :]
    half = len(after) // 2
    bounds = {
        "memory": MEMORY_GROWTH + int(MEMORY_GROWTH_PER_SECOND * seconds),
        "descriptors": DESCRIPTOR_GROWTH,
        "threads": THREAD_GROWTH,
    }
    for name, bound in bounds.items():
        before = max(getattr(sample, name) for sample in after[:half])
        # Not the peak, which depends on the running requests; a leak does not shrink again.
        now = min(getattr(sample, name) for sample in after[half:][-10:])
        if now - before > bound:
            raise Violation(f"{name} grew from {before} to {now} in {seconds:.0f} s")
    most = max(sample.connections for sample in samples)
    if most > MOST_CONNECTIONS:
        raise Violation(f"{most} connections to the database")
