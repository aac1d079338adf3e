"""Every method answers with any JSON in a store, a transcript or a configuration.

A value of a type that no gateway writes is passed over or reported; an error says what is wrong.
None of it is an internal error.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sessiond_protocol.errors import INTERNAL_ERROR
from sessiond_protocol.registry import METHODS
from support.agents import Agents
from support.anyjson import spoiled
from support.client import Client, RpcError
from support.contract import taken
from support.gateways import CALLS, CONFIG, ENTRY, STORE, TRANSCRIPT
from support.jsonwire import JsonText, dumps

SENT = {
    "gateway/planMemoryFlush": {},
    "gateway/evaluateFreshness": {"resetType": "group", "now": 1},
    "gateway/list": {"storePath": "/nowhere/sessions.json"},
}
"""Methods that a client gives entries and configurations to."""


def test_every_method_is_called():
    called = {method for method, _ in CALLS} | set(SENT)
    assert called == {name for name in METHODS if name.startswith("gateway/")}


async def call(client: Client, method: str, params: dict[str, Any]) -> None:
    try:
        await client.request(method, params)
    except RpcError as error:
        assert error.code != INTERNAL_ERROR, f"{method}: {error.message}"


async def call_all(home: Path, store: str, transcript: list[str], config: str) -> None:
    agents = Agents(home / "state")
    agents.sessions().mkdir(parents=True)
    agents.store().write_text(store)
    for name in ("s1.jsonl", "s2.jsonl"):
        (agents.sessions() / name).write_text("".join(f"{line}\n" for line in transcript))
    (agents.state / "coderclaw.json").write_text(config)
    async with agents.daemon() as client:
        for method, params in CALLS:
            await call(client, method, params)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    numbers = iter(range(1_000_000))
    base = tmp_path_factory.mktemp("any")

    def home() -> Path:
        path = base / str(next(numbers))
        path.mkdir()
        return path

    return home


@settings(max_examples=20, phases=[Phase.reuse, Phase.generate])
@given(spoiled(STORE, 40), st.tuples(*map(spoiled, TRANSCRIPT)), spoiled(CONFIG, 12))
def test_no_value_anywhere_is_an_internal_error(
    homes: Any, store: str, transcript: tuple[str, ...], config: str
):
    asyncio.run(call_all(homes(), store, list(transcript), config))


@given(spoiled(ENTRY, 20), spoiled(CONFIG, 12))
def test_nor_is_one_that_a_client_sends(homes: Any, entry: str, config: str):
    async def ask() -> None:
        async with Agents(homes()).daemon() as client:
            for method, more in SENT.items():
                every = more | {"entry": JsonText(entry), "config": JsonText(config)}
                sent = dumps(taken(method, every))
                request = {"jsonrpc": "2.0", "id": f"{method} raw", "method": method}
                client.write(dumps(request | {"params": JsonText(sent)}).encode())
                answer = (await client.receive()).value
                assert answer.get("error", {}).get("code") != INTERNAL_ERROR, answer

    asyncio.run(ask())
