"""Two hosts that append to one session of a store under the same expected tip.

Of each pair of appends exactly one is written, and the other is refused with the new tip. Some
tries append several entries, each under the one before. In the end the rows have no gap, and both
daemons answer with what is stored. A round has 100 tries.
"""

from __future__ import annotations

import asyncio
import collections
import json
import uuid

from support.app import daemon, user
from support.client import Client, RpcError
from support.mirrors import HEADER
from support.stores import OtherHost, other_host, started_server

from torture.campaigns import Figures, Settings
from torture.kills import expect

TRIES = 100
_NAME = "sessiond-store:default/contested.jsonl"
_MOST = 4
"""Appends of one host in a try."""


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    async with started_server() as server:
        url = server.emptied()
        async with (
            other_host(url) as host,
            daemon(settings.directory, store=url) as one,
            daemon(settings.directory, store=url) as two,
        ):
            for number in range(settings.rounds):
                await _round(settings, number, host, (one, two), figures)
    return dict(figures)


async def _round(
    settings: Settings,
    number: int,
    host: OtherHost,
    clients: tuple[Client, Client],
    figures: collections.Counter[str],
) -> None:
    chance = settings.random("tips", number)
    await host.put(_NAME, HEADER)
    handles = [
        (client, (await client.request("session/open", {"path": _NAME, "follow": True}))["session"])
        for client in clients
    ]
    tip: str | None = None
    written: list[str] = []
    for _ in range(TRIES):
        sizes = [chance.choice((1, 1, _MOST)) for _ in handles]
        answers = await asyncio.gather(
            *(
                _append(client, handle, tip, size)
                for (client, handle), size in zip(handles, sizes, strict=True)
            )
        )
        won = [ids for ids, _ in answers if ids]
        expect(len(won) == 1, f"{len(won)} hosts appended under {tip}")
        for (ids, conflicts), size in zip(answers, sizes, strict=True):
            expect(len(ids) in (0, size), f"{len(ids)} of {size} entries were appended")
            expect(len(conflicts) == size - len(ids), "an append has no answer")
        written += won[0]
        tip = written[-1]
        figures["tries"] += 1
    stored = await host.get(_NAME) or b""
    entries = [json.loads(line) for line in stored.splitlines()[1:]]
    expect([entry["id"] for entry in entries] == written, "other entries are stored")
    above = [None, *written][:-1]
    expect([entry["parentId"] for entry in entries] == above, "an entry is under another parent")
    for client, handle in handles:
        answer = await client.request("session/getEntries", {"session": handle})
        expect(answer["entries"] == entries, "a daemon does not answer with what is stored")
        await client.request("session/close", {"session": handle})
    figures["appended"] += len(written)


async def _append(
    client: Client, handle: str, tip: str | None, size: int
) -> tuple[list[str], list[RpcError]]:
    """Append under the tip, and more under that; returns the ids, and the conflicts."""
    ids = [uuid.uuid4().hex[:8] for _ in range(size)]
    done = await asyncio.gather(
        *(
            client.request(
                "session/appendMessage",
                {
                    "session": handle,
                    "message": user("x"),
                    "newEntryId": entry_id,
                    "expectedTipId": above,
                },
            )
            for entry_id, above in zip(ids, [tip, *ids], strict=False)
        ),
        return_exceptions=True,
    )
    refused = [one for one in done if isinstance(one, RpcError) and one.kind == "LeafConflict"]
    for one in done:
        if isinstance(one, BaseException) and one not in refused:
            raise one
    return [one["id"] for one in done if isinstance(one, dict)], refused
