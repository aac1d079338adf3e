"""Three machines keep sessions the same, over pipes and in a folder, while everything goes wrong.

In each round agents append, people edit, and syncs are killed, cut off, run two at once and have no
space left; clocks differ, and the file synchroniser makes conflict copies. Afterwards every replica
must have all entries that were acknowledged anywhere, byte for byte, parents first, and each
machine must still be on its branch. In every fifth round the power may fail after each call.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import attrs
import pytest
from support.power_cut import PowerCut, Survivors
from support.session_lines import header, line

from sessiond.runtime.errors import ReadFailed
from sessiond.sync.exchange import Exchange, Options
from sessiond.sync.files_side import FilesSide
from sessiond.sync.remote import RemoteSide, answer
from torture.campaigns import Figures, Settings, Violation
from torture.kills import expect

NAMES = ("laptop", "desktop", "server")
CHANGES = 30
_SESSIONS = 3
_PATIENCE = 5.0
_POWER = 5
_MOST_SECONDS = 60.0

_servers = multiprocessing.get_context("forkserver")
_servers.set_forkserver_preload(["torture.sync"])


@attrs.define
class World:
    """Machines with the same sessions, and what was acknowledged to whom wrote it."""

    home: Path
    chance: random.Random
    figures: collections.Counter[str]
    lines: dict[str, dict[str, str]] = attrs.field(factory=dict)
    """The acknowledged entry lines of each session by their ids."""
    tips: dict[tuple[str, str], str] = attrs.field(factory=dict)
    """The last entry that somebody wrote, by machine and session."""
    leaves: dict[tuple[str, str], str] = attrs.field(factory=dict)
    """The leaf that the agent on a machine has in memory."""
    running: list[ForkServerProcess] = attrs.field(factory=list)
    number: int = 0

    @property
    def folder(self) -> Path:
        return self.home / "folder"

    def machine(self, name: str) -> Path:
        return self.home / name

    def sessions(self, name: str) -> Path:
        return self.machine(name) / ".pi/agent/sessions" / "--w--"

    def path(self, name: str, session: str) -> Path | None:
        return next(self.sessions(name).glob(f"*_{session}.jsonl"), None)

    def new_line(self, session: str, parent: str | None) -> str:
        self.number += 1
        text = "x" * self.chance.choice((1, 1, 50, 5000))
        new = line(f"e{self.number}", parent, text)
        self.lines[session][f"e{self.number}"] = new
        return new


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    for number in range(settings.rounds):
        home = settings.directory / f"{number}"
        world = World(home, settings.random("sync", number), figures)
        _begin(world)
        if number % _POWER == _POWER - 1:
            await _with_power_cuts(world)
        else:
            for _ in range(CHANGES):
                await world.chance.choice(_CHANGES)(world)
            await _end_all(world)
        await _check(world)
        shutil.rmtree(home)
    if settings.rounds < _POWER:
        # A short campaign has one of each kind, too.
        world = World(settings.directory / "power", settings.random("sync", "power"), figures)
        _begin(world)
        await _with_power_cuts(world)
        await _check(world)
    return dict(figures)


def _begin(world: World) -> None:
    for name in NAMES:
        world.sessions(name).mkdir(parents=True)
    for number in range(_SESSIONS):
        session = f"s{number}"
        world.lines[session] = {}
        for name in world.chance.sample(NAMES, world.chance.randint(1, 3)):
            file = world.sessions(name) / f"2026-01-01T00-00-00-000Z_{session}.jsonl"
            file.write_text(header(session))


# Changes.


async def _append(world: World) -> None:
    """Append a line as pi does: with one write, after the leaf that pi has in memory."""
    name, session = world.chance.choice(NAMES), world.chance.choice(list(world.lines))
    path = world.path(name, session)
    if path is None:
        return
    key = name, session
    if key not in world.leaves or world.chance.random() < 0.3:
        # Another pi, which takes the last line of the file.
        entries = _entries(path)
        world.leaves[key] = entries[-1] if entries else ""
    new = world.new_line(session, world.leaves[key] or None)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, new.encode())
    finally:
        os.close(descriptor)
    world.leaves[key] = world.tips[key] = json.loads(new)["id"]
    world.figures["appended"] += 1


async def _edit(world: World) -> None:
    """Insert an entry by hand, with an editor that writes a new file."""
    await _end_all(world)
    name, session = world.chance.choice(NAMES), world.chance.choice(list(world.lines))
    path = world.path(name, session)
    if path is None:
        return
    lines = [each for each in path.read_text().splitlines(keepends=True) if each.strip()]
    at = world.chance.randrange(1, len(lines) + 1)
    above = json.loads(lines[at - 1])
    new = world.new_line(session, above["id"] if at > 1 else None)
    other = path.with_suffix(".tmp")
    other.write_text("".join([*lines[:at], new, *lines[at:]]))
    other.rename(path)
    if at == len(lines):
        world.tips[name, session] = json.loads(new)["id"]
        world.leaves.pop((name, session), None)
    world.figures["edited"] += 1


async def _set_clock(world: World) -> None:
    """Clocks differ, and copies get other times."""
    files = [*world.home.rglob("*.jsonl")]
    if files:
        now = time.time() + world.chance.randint(-100_000, 100_000)
        os.utime(world.chance.choice(files), (now, now))


async def _make_conflict(world: World) -> None:
    """Do what a file synchroniser does: put an older file in the place of one, and keep both."""
    files = [*(world.folder / "pi").glob("s?.jsonl")]
    if not files:
        return
    await _end_all(world)
    file = world.chance.choice(files)
    lines = [each for each in file.read_text().splitlines(keepends=True) if each.strip()]
    copy = file.with_name(f"{file.stem}.sync-conflict-2026-{world.number}.jsonl")
    file.rename(copy)
    file.write_text("".join(lines[: world.chance.randrange(1, len(lines) + 1)]))
    world.figures["conflict copies"] += 1


async def _sync(world: World) -> None:
    """Start a sync beside those that run; some are ended, in whatever they do."""
    name = world.chance.choice(NAMES)
    others = [each for each in NAMES if each != name]
    other = world.chance.choice([str(world.folder), *(str(world.machine(o)) for o in others)])
    fault = world.chance.choice(("", "", "full", "cut"))
    process = _servers.Process(
        target=_sync_process,
        args=(str(world.machine(name)), other, fault, world.chance.randrange(20_000)),
    )
    process.start()
    world.running.append(process)
    world.figures[f"syncs{' with ' if fault else ''}{fault}"] += 1
    if world.chance.random() < 0.4:
        await asyncio.sleep(world.chance.random() * 0.3)
        if process.is_alive():
            process.kill()
            world.figures["kills"] += 1
    elif world.chance.random() < 0.5:
        await _end_all(world)


async def _end_all(world: World) -> None:
    deadline = time.monotonic() + _MOST_SECONDS
    for process in world.running:
        while process.is_alive():
            expect(time.monotonic() < deadline, "a sync hangs")
            await asyncio.sleep(0.005)
        process.join()
        process.close()
    world.running.clear()


_CHANGES = (_append, _append, _append, _append, _edit, _set_clock, _make_conflict, _sync, _sync)


# One sync, in a process of its own.


def _sync_process(home: str, other: str, fault: str, amount: int) -> None:
    """Run a sync; `amount`: bytes until the disk is full, or the connection is cut."""
    if fault == "full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (amount, amount))
    asyncio.run(_sync_once(home, other, cut_after=amount if fault == "cut" else None))


async def _sync_once(home: str, other: str, cut_after: int | None = None) -> None:
    here = _side(home)
    if other.endswith("/folder"):
        await Exchange(here, _side(home, other), Options()).run()
        return
    questions, answers = asyncio.StreamReader(limit=2**30), asyncio.StreamReader(limit=2**30)
    answering = asyncio.create_task(answer(_side(other), questions, _Pipe(answers, cut_after)))
    there = RemoteSide("there", answers, _Pipe(questions, cut_after))
    try:
        await there.greet()
        await Exchange(here, there, Options()).run()
    except ReadFailed:
        if cut_after is None:
            raise
    finally:
        answering.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await answering


def _side(home: str, folder: str | None = None) -> FilesSide:
    return FilesSide({"HOME": home, "PWD": home}, _PATIENCE, folder)


class _Pipe:
    """The writing end of a pipe within a process."""

    def __init__(self, reader: asyncio.StreamReader, cut_after: int | None) -> None:
        self._reader = reader
        self._left = cut_after

    def write(self, data: bytes) -> None:
        if self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
        self._reader.feed_data(data)
        if self._left == 0:
            self._reader.feed_eof()

    async def drain(self) -> None:
        await asyncio.sleep(0)
        if self._left == 0:
            raise ConnectionResetError


async def _with_power_cuts(world: World) -> None:
    """Sync in this process; at any moment the disks must have every entry somewhere."""
    for _ in range(CHANGES):
        await world.chance.choice((_append, _append, _edit))(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", lambda _: None)
        cut = PowerCut(patch, [world.home], lambda survivors: _expect_survivors(world, survivors))
        for _ in range(3):
            for name in NAMES:
                await _sync_once(str(world.machine(name)), str(world.folder))
        world.figures["cuts"] += cut.changes


def _expect_survivors(world: World, survivors: Survivors) -> None:
    every = b"\n".join(content for path, content in survivors.items() if path.endswith(".jsonl"))
    for lines in world.lines.values():
        for name, text in lines.items():
            expect(text.encode() in every + b"\n", f"a power cut loses {name}")


# Promises.


async def _check(world: World) -> None:
    for _ in range(3):
        for name in NAMES:
            await _sync_once(str(world.machine(name)), str(world.folder))
    for name in NAMES:
        side, folder = _side(str(world.machine(name))), str(world.folder)
        report = await Exchange(side, _side(str(world.machine(name)), folder), Options()).run()
        expect(not report.moves, f"a sync moves {report.moves} although nothing has changed")
        expect(not report.problems, f"{report.problems}")
        for session, lines in world.lines.items():
            path = world.path(name, session)
            if lines or path is not None:
                expect(path is not None, f"{session} is not on {name}")
            if path is not None:
                _check_file(world, name, session, path)
    world.figures["rounds"] += 1


def _check_file(world: World, name: str, session: str, path: Path) -> None:
    # A write without space leaves a blank line.
    lines = [each for each in path.read_text().splitlines(keepends=True) if each.strip()]
    entries = {json.loads(each)["id"]: each for each in lines[1:]}
    if entries != world.lines[session]:
        missing = world.lines[session].keys() - entries.keys()
        raise Violation(f"{name} lacks {sorted(missing)} of {session}, or has them otherwise")
    expect(len(lines) == len(entries) + 1, f"{session} has entries twice on {name}")
    parents = {each: json.loads(text)["parentId"] for each, text in entries.items()}
    places = {each: at for at, each in enumerate(entries)}
    tip = world.tips.get((name, session))
    if tip is not None:
        above = next(reversed(entries))
        while above != tip:
            above = parents[above]
            expect(above is not None, f"{name} is on another branch of {session} than {tip}")
    edited = {each for each, parent in parents.items() if parent is not None}
    wrong = [each for each in edited if places[parents[each]] > places[each]]
    expect(not wrong, f"parents come after {wrong} in {session} on {name}")


def _entries(path: Path) -> list[str]:
    """Return the ids of entries as pi reads them, which skips what is being written."""
    ids = []
    for each in path.read_text().splitlines()[1:]:
        with contextlib.suppress(ValueError):
            ids.append(json.loads(each)["id"])
    return ids
