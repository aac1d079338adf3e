"""Sessions are deleted, restored, repaired and moved; after each call the power may fail.

Only what was synced survives (`support/power_cut.py`). Each session that was there must then still
be somewhere with all its lines, and one in the trash must have its record. A round has 30 changes.
"""

from __future__ import annotations

import collections
import errno
import os
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.power_cut import PowerCut, Survivors
from support.session_lines import header, line

from sessiond.catalog import repair, trash
from sessiond.catalog.export.target import marked, place
from sessiond.catalog.moving_files import relink
from sessiond.files.flock import rewriting
from torture.campaigns import Figures, Settings
from torture.kills import expect

CHANGES = 30
_SESSIONS = 4
_DAMAGE = '{"torn":\n'


@attrs.define
class World:
    """Sessions below a directory, each in one place of several."""

    home: Path
    chance: random.Random
    places: dict[int, Path] = attrs.field(factory=dict)
    deleted: set[int] = attrs.field(factory=set)

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data")}

    def check(self, survivors: Survivors) -> None:
        for number in self.places:
            files = [path for path, content in survivors.items() if _line(number) in content]
            expect(bool(files), f"a power cut loses session {number}: {sorted(survivors)}")
            for path in files:
                record = path.replace("/Trash/files/", "/Trash/info/") + ".trashinfo"
                lost = "/Trash/files/" in path and not survivors.get(record)
                expect(not lost or len(files) > 1, f"a power cut loses the record of {path}")


def _line(number: int) -> bytes:
    return line(f"entry-{number}").encode()


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    for number in range(settings.rounds):
        chance = settings.random("power_cuts", number)
        home = settings.directory / str(number)
        (home / "s").mkdir(parents=True)
        world = World(home, chance)
        for each in range(_SESSIONS):
            world.places[each] = home / "s" / f"{each}.jsonl"
            world.places[each].write_text(header(str(each)) + line(f"entry-{each}"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "sleep", lambda _: None)
            _lack_links(patch, chance)
            cut = PowerCut(patch, [home], world.check)
            for _ in range(CHANGES):
                change = chance.choice(_OF_KINDS)
                await change(world, chance.choice(list(world.places)))
                figures[change.__name__.strip("_")] += 1
            figures["cuts"] += cut.changes
    return dict(figures)


def _lack_links(patch: pytest.MonkeyPatch, chance: random.Random) -> None:
    """Let some hard links fail, as between file systems and on those that have none."""
    link = os.link

    def sometimes(source: str, target: str, **more: Any) -> None:
        number = chance.choice((0, errno.EPERM, errno.EXDEV))
        if number == errno.EPERM or (number and ".sessiond-" not in source):
            raise OSError(number, os.strerror(number))
        link(source, target, **more)

    patch.setattr(os, "link", sometimes)


async def _delete(world: World, number: int) -> None:
    if number not in world.deleted:
        trash.to_trash(str(world.places[number]), world.env)
        world.deleted.add(number)


async def _restore(world: World, number: int) -> None:
    if number in world.deleted:
        trash.restore(str(world.places[number]), world.env)
        world.deleted.remove(number)


async def _move(world: World, number: int) -> None:
    if number in world.deleted:
        return
    old = world.places[number]
    new = world.home / world.chance.choice("stu") / old.name
    await relink(str(old), str(new), {"cwd": str(new.parent)}, patience=1)
    world.places[number] = new


async def _repair(world: World, number: int) -> None:
    if number in world.deleted:
        return
    path = world.places[number]
    with path.open("a") as file:
        file.write(_DAMAGE)
        os.fsync(file.fileno())
    await rewriting(str(path), 1, lambda descriptor: repair.repair(str(path), descriptor))


async def _export(world: World, number: int) -> None:
    place(str(world.home / f"{number}.md"), marked([b"# page\n"]))


_OF_KINDS: tuple[Callable[[World, int], Awaitable[None]], ...] = (
    *(_delete, _restore, _move, _repair, _export),
)
