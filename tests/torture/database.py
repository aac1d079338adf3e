"""Sessions in PostgreSQL under crashes, cut connections, lost answers, stalls and killed daemons.

Each round is an empty store with three sessions, to which two daemons append at the same time, and
a file that is mirrored. One daemon is connected through a proxy. In the end every acknowledged
entry must be stored once, both daemons must answer with what is stored, and the copy must have the
bytes of the file.
"""

from __future__ import annotations

import asyncio
import collections
import json
import random
from pathlib import Path

from support.app import daemon, user
from support.client import Client, RpcError
from support.mirrors import HEADER, becomes, message, running
from support.preloaded import Preloaded, preloaded
from support.store_proxy import Proxy, proxied
from support.stores import OtherHost, Server, other_host, started_server

from torture.campaigns import Figures, Settings
from torture.kills import expect, killed

APPENDS = 12
FAULTS = ("crash", "cut", "lost answer", "stall")
_NAMES = [f"sessiond-store:default/{number}.jsonl" for number in range(3)]

Acknowledged = dict[str, set[str]]


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    with preloaded(settings.directory) as daemons:
        async with started_server() as server:
            for number in range(settings.rounds):
                home = settings.directory / f"{number}"
                home.mkdir()
                chance = settings.random("database", number)
                await one_round(server, daemons, home, chance, figures)
    return dict(figures)


async def one_round(
    server: Server,
    daemons: Preloaded,
    home: Path,
    chance: random.Random,
    figures: collections.Counter[str],
) -> None:
    url = server.emptied()
    acknowledged: Acknowledged = {name: set() for name in _NAMES}
    file = home / "mirrored" / "s.jsonl"
    file.parent.mkdir()
    file.write_bytes(HEADER)
    async with (
        other_host(url) as host,
        proxied(url) as proxy,
        daemon(home, store=proxy.url) as one,
        daemon(home, store=url) as two,
        running(url, file.parent) as mirrored,
    ):
        for name in _NAMES:
            await host.put(name, HEADER)
        handles = [
            (client, name, (await client.request("session/open", {"path": name}))["session"])
            for client in (one, two)
            for name in _NAMES
        ]
        writers = [
            asyncio.create_task(write(client, handle, f"w{number}n", acknowledged[name], figures))
            for number, (client, name, handle) in enumerate(handles)
        ]
        faults = asyncio.create_task(torment(server, proxy, chance, figures))
        grown = asyncio.create_task(grow(file, chance))
        async with asyncio.timeout(120):
            await asyncio.gather(*writers, faults, grown)
        await kill(daemons, url, chance, acknowledged, figures)
        for name in _NAMES:
            await check(host, name, acknowledged[name], [h for h in handles if h[1] == name])
        await becomes(host, mirrored.copy(file), file.read_bytes())


async def write(
    client: Client,
    handle: str,
    prefix: str,
    acknowledged: set[str],
    figures: collections.Counter[str],
) -> None:
    """Append, and repeat what was answered with Busy, as clients should."""
    for number in range(APPENDS):
        entry_id = f"{prefix}{number}"
        params = {"session": handle, "message": user(entry_id), "newEntryId": entry_id}
        while entry_id not in acknowledged:
            try:
                await client.request("session/appendMessage", params)
            except RpcError as error:
                if error.kind != "Busy":
                    raise
            else:
                acknowledged.add(entry_id)
                figures["acknowledged"] += 1


async def torment(
    server: Server, proxy: Proxy, chance: random.Random, figures: collections.Counter[str]
) -> None:
    """Every fault once, in any order."""
    for fault in chance.sample(FAULTS, len(FAULTS)):
        await asyncio.sleep(chance.random() * 0.1)
        await befall(server, proxy, fault, chance, loses=b"sessiond.write(")
        figures[fault] += 1


async def befall(
    server: Server, proxy: Proxy, fault: str, chance: random.Random, *, loses: bytes
) -> None:
    """Let one of FAULTS befall the server or the way to it; `loses`: the call without an answer."""
    match fault:
        case "crash":
            await asyncio.to_thread(server.crash)
        case "cut":
            proxy.cut()
        case "lost answer":
            proxy.swallows = loses
        case "stall":
            proxy.flowing.clear()
            await asyncio.sleep(chance.random() * 0.2)
            proxy.flowing.set()


async def grow(file: Path, chance: random.Random) -> None:
    """Append to the mirrored file as an agent does, and rewrite it now and then."""
    for number in range(40):
        if chance.random() < 0.1:
            file.write_bytes(HEADER + message(number, "rewritten"))
        with file.open("ab") as opened:
            opened.write(message(number, "x" * chance.choice((5, 5000))))
        await asyncio.sleep(chance.random() * 0.01)


async def kill(
    daemons: Preloaded,
    url: str,
    chance: random.Random,
    acknowledged: Acknowledged,
    figures: collections.Counter[str],
) -> None:
    """Kill a third daemon while it appends."""
    name = chance.choice(_NAMES)
    appends = [
        (
            "session/appendMessage",
            {"session": "SESSION", "message": user("x"), "newEntryId": f"k{number}"},
        )
        for number in range(20)
    ]
    opened = ("session/open", {"path": name})
    results = await killed(daemons, [opened, *appends], chance, figures, "--store", url)
    acknowledged[name] |= {result["id"] for result in results[1:]}


async def check(
    host: OtherHost, name: str, acknowledged: set[str], handles: list[tuple[Client, str, str]]
) -> None:
    stored = await host.get(name)
    expect(stored is not None and stored.startswith(HEADER), f"{name} is damaged")
    entries = [json.loads(line) for line in (stored or b"").splitlines()[1:]]
    ids = [entry["id"] for entry in entries]
    expect(len(ids) == len(set(ids)), f"an entry is stored twice in {name}")
    lost = acknowledged - set(ids)
    expect(not lost, f"acknowledged, and not in {name}: {sorted(lost)[:5]}")
    known = {None, *ids}
    expect(all(entry["parentId"] in known for entry in entries), f"a parent is missing in {name}")
    for client, _, handle in handles:
        answer = await client.request("session/getEntries", {"session": handle})
        answered = [entry["id"] for entry in answer["entries"]]
        expect(answered == ids, f"a daemon does not answer with what is stored in {name}")
