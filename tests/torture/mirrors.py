"""Directories of several hosts that are mirrored, under crashes, cuts, lost answers and kills.

Each round is an empty store with three hosts. Each has session files that are appended to, torn,
rewritten, replaced, deleted and moved away, and a process of `sessiond mirror`, which reaches the
store through a proxy, and is killed and started again. In the end every copy must have the bytes
of its file, and no copy may be left of a file that is gone.
"""

from __future__ import annotations

import asyncio
import collections
import os
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
from support.mirrors import HEADER, becomes, message
from support.process import isolated_environment
from support.store_proxy import Proxy, proxied
from support.stores import Server, other_host, started_server

from sessiond.postgres.mirror.origin import Origin
from torture.campaigns import Figures, Settings
from torture.database import FAULTS, befall

HOSTS = ("laptop", "desktop", "server")
CHANGES = 60
_FILES = 4
_FAULTS = (*FAULTS, "kill")


@attrs.define
class Host:
    """A host with its session files, of which `seen` were ever there, and its mirror."""

    name: str
    home: Path
    command: list[str]
    env: dict[str, str]
    chance: random.Random
    mirror: asyncio.subprocess.Process | None = None
    seen: set[Path] = attrs.field(factory=set)

    @property
    def directory(self) -> Path:
        return self.home / ".pi/agent/sessions/--w--"

    async def start(self) -> None:
        null = asyncio.subprocess.DEVNULL
        self.mirror = await asyncio.create_subprocess_exec(
            *self.command, env=self.env, stdin=null, stdout=null, stderr=null
        )

    async def kill(self) -> None:
        if self.mirror is not None and self.mirror.returncode is None:
            self.mirror.kill()
            await self.mirror.wait()

    def copy(self, path: Path) -> str:
        """The name of the copy of a file."""
        directory = str(self.directory.parent.resolve())
        return str(Origin(self.name, self.name, directory).copy(f"{directory}/--w--/{path.name}"))


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    async with started_server() as server:
        for number in range(settings.rounds):
            home = settings.directory / f"{number}"
            home.mkdir()
            await one_round(server, home, settings.random("mirrors", number), figures)
    return dict(figures)


async def one_round(
    server: Server, home: Path, chance: random.Random, figures: collections.Counter[str]
) -> None:
    url = server.emptied()
    async with proxied(url) as proxy, hosts(home, proxy.url, chance) as every:
        async with asyncio.timeout(120):
            await asyncio.gather(
                torment(server, proxy, every, chance, figures),
                *(change(host, figures) for host in every),
            )
        for host in every:
            # Also a mirror that was not there when files changed brings all up to date.
            if host.mirror is None or host.mirror.returncode is not None:
                await host.start()
        async with other_host(url) as store:
            for host in every:
                for path in sorted(host.seen):
                    data = path.read_bytes() if path.exists() else None
                    await becomes(store, host.copy(path), data)
                    figures["compared copies" if data else "copies of files that are gone"] += 1


@asynccontextmanager
async def hosts(home: Path, url: str, chance: random.Random) -> AsyncIterator[list[Host]]:
    """Hosts whose mirrors run."""
    every = []
    for name in HOSTS:
        own = home / name
        command = [sys.executable, "-m", "sessiond", "mirror", "--profile", "pi", "--host", name]
        env = isolated_environment(own, SESSIOND_STORE=url)
        host = Host(name, own, command, env, random.Random(chance.random()))
        host.directory.mkdir(parents=True)
        every.append(host)
    try:
        for host in every:
            await host.start()
        yield every
    finally:
        for host in every:
            await host.kill()


async def change(host: Host, figures: collections.Counter[str]) -> None:
    """Change files as agents and people do, and end torn lines after a while."""
    away = host.directory.with_name("away")
    for number in range(CHANGES):
        await asyncio.sleep(host.chance.random() * 0.04)
        path = host.directory / f"{host.chance.randrange(_FILES)}.jsonl"
        text = "x" * host.chance.choice((5, 500, 50_000))
        host.seen.add(path)
        match host.chance.randrange(12):
            case 0 if path.exists():
                path.unlink()
            case 1:
                path.write_bytes(HEADER + message(number, "rewritten"))
            case 2:
                new = path.with_suffix(".new")
                new.write_bytes(HEADER + message(number, text))
                new.replace(path)
            case 3 if path.exists():
                os.truncate(path, len(HEADER))
            case 4:
                host.directory.rename(away)
                await asyncio.sleep(host.chance.random() * 0.1)
                away.rename(host.directory)
            case 5:
                line = message(number, text)
                cut = host.chance.randrange(1, len(line))
                append(path, line[:cut])
                await asyncio.sleep(host.chance.random() * 0.1)
                append(path, line[cut:])
            case _:
                append(path, message(number, text))
        figures["changes"] += 1


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data if file.tell() else HEADER + data)


async def torment(
    server: Server,
    proxy: Proxy,
    every: list[Host],
    chance: random.Random,
    figures: collections.Counter[str],
) -> None:
    """Every fault twice, in any order."""
    for fault in chance.sample(2 * _FAULTS, 2 * len(_FAULTS)):
        await asyncio.sleep(chance.random() * 0.15)
        if fault == "kill":
            host = chance.choice(every)
            await host.kill()
            await host.start()
        else:
            await befall(server, proxy, fault, chance, loses=b"sessiond.write(")
        figures[fault] += 1
