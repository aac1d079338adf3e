"""The usage of sessions in the store is that of the same sessions in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.app import daemon
from support.client import Client
from support.mirrors import HEADER
from support.stores import other_host

from sessiond.postgres.catalog import usage
from sessiond.postgres.catalog.catalogue import StoredCatalogue
from sessiond.postgres.catalog.scope import NamespaceScope
from sessiond.postgres.documents import StoredDocuments
from sessiond.postgres.names import PREFIX
from sessiond.runtime.isolation import Faults

NAMES = ("one", "two", "three")


def entry(number: int, **members: Any) -> bytes:
    above = f"{number - 1:08x}" if number else None
    at = f"2025-06-{number % 28 + 1:02}T10:00:00.000Z"
    common = {"id": f"{number:08x}", "parentId": above, "timestamp": at}
    return json.dumps({"type": "message", **common, **members}).encode() + b"\n"


def answer(number: int, **more: Any) -> bytes:
    tokens = {"input": number, "output": 2 * number, "cacheRead": 3, "cacheWrite": 4}
    cost = {"input": 0.5, "output": 0.25, "cacheRead": 0, "cacheWrite": 0, "total": 0.75}
    message = {"role": "assistant", "provider": "p", "model": f"m{number % 2}", "content": []}
    return entry(number, message={**message, "usage": {**tokens, "cost": cost}, **more})


GROWTHS = (
    answer(1) + entry(2, message={"role": "user", "content": "no usage"}),
    # Names of members may be spelled with escapes, and an answer may lack usage.
    answer(3).replace(b'"usage"', rb'"\u0075sage"') + answer(4, usage=None),
    entry(5, type="usage", kind="cache_warm", provider="p", model="m0", usage={"input": 7})
    + entry(6, message={"role": "toolResult", "content": 'the word "usage"'}),
    b'not a line of JSON with "usage"\n\n' + answer(7),
)


class Both:
    """The same sessions in files and in a store."""

    def __init__(self, home: Path, host: Any) -> None:
        self._directory = home / ".pi" / "agent" / "sessions" / "--w--"
        self._directory.mkdir(parents=True)
        self._host = host

    async def put(self, name: str, data: bytes) -> None:
        (self._directory / f"{name}.jsonl").write_bytes(data)
        await self._host.put(f"sessiond-store:any/{name}.jsonl", data)

    async def append(self, name: str, lines: bytes) -> None:
        with (self._directory / f"{name}.jsonl").open("ab") as file:
            file.write(lines)
        await self._host.append(f"sessiond-store:any/{name}.jsonl", lines)


async def usages(client: Client) -> list[Any]:
    found = []
    for by in ("model", "day", "session"):
        answered = await client.request("catalog/usage", {"by": by, "copies": True})
        rows = [
            {**row, "key": Path(row["key"]).stem, "info": None} if by == "session" else row
            for row in answered["rows"]
        ]
        found.append((sorted(rows, key=lambda row: row["key"]), answered["sums"]))
    return found


async def test_usage_of_a_store_is_that_of_files_while_sessions_grow_and_are_replaced(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(usage, "_BATCH_SESSIONS", 2)
    async with (
        other_host(store_url) as host,
        daemon(tmp_path) as files,
        daemon(tmp_path, store=store_url) as store,
    ):
        both = Both(tmp_path, host)
        for name in NAMES:
            await both.put(name, HEADER.replace(b"m1", name.encode()))
        for lines in GROWTHS:
            for name in NAMES[1:]:
                await both.append(name, lines)
            assert await usages(store) == await usages(files)
        await both.put("two", HEADER.replace(b"m1", b"two") + answer(9))
        assert await usages(store) == await usages(files)


async def test_lines_are_counted_once(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
):
    counted: list[bytes] = []
    count = usage.count_usage

    def counting(lines: list[bytes], *more: Any) -> Any:
        counted.extend(lines)
        return count(lines, *more)

    monkeypatch.setattr(usage, "count_usage", counting)
    path = "sessiond-store:any/one.jsonl"
    other = entry(2, message={"role": "user", "content": "hello"})
    async with other_host(store_url) as host, daemon(tmp_path, store=store_url) as client:
        await host.put(path, HEADER + answer(1) + other)
        await client.request("catalog/usage", {})
        await client.request("catalog/usage", {})
        assert counted == [answer(1).strip()]
        await host.append(path, other.replace(b"00000002", b"0000000f") + answer(3))
        await client.request("catalog/usage", {})
        assert counted == [answer(1).strip(), answer(3).strip()]


async def test_a_session_that_is_replaced_after_it_was_listed_is_counted_as_it_is(store_url: str):
    path = "sessiond-store:any/one.jsonl"
    async with other_host(store_url) as host:
        catalogue = StoredCatalogue(host.database, StoredDocuments(host.database), lambda _: None)
        await host.put(path, HEADER + answer(1) + answer(2))
        listed = await catalogue.listing(NamespaceScope(PREFIX))
        await host.put(path, HEADER + answer(3))
        faults = Faults()
        ((summary, counted),) = await catalogue.usage(listed.newest_first(), faults)
        assert summary.path == path
        # One answer of the model m1: input, output and the two of the cache.
        assert [sums[:6] for _, _, sums in counted.parts] == [(1, 0, 3, 6, 3, 4)]
        assert not list(faults)
