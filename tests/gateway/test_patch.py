"""Changing settings of a session: accepted values, stored values, and the order of the checks."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from support.agents import Agents
from support.client import RpcError

from sessiond.gateway.config import Part
from sessiond.gateway.entry import NonEntry, StoreEntry
from sessiond.gateway.settings import SETTINGS, ModelRef, changed_settings
from sessiond.runtime.errors import GatewayRejected

KEY = "agent:main:x"
GONE = object()


def after(
    patch: dict[str, Any], entry: dict[str, Any] | None = None, items: Any = None
) -> dict[str, Any]:
    old = StoreEntry.of({"sessionId": "s", "updatedAt": 1} if entry is None else entry)
    return json.loads(old.changed(changed_settings(patch, KEY, items or {})).text)


def refusal(patch: dict[str, Any], **more: Any) -> str:
    with pytest.raises(GatewayRejected) as caught:
        after(patch, **more)
    assert caught.value.data["rule"] in patch
    return caught.value.message


STORED: list[tuple[str, str, Any]] = [
    *(
        (
            name,
            value,
            GONE if name in {"reasoningLevel", "responseUsage"} and value == "off" else value,
        )
        for name, values in SETTINGS.items()
        for value in values
    ),
    ("execNode", " Box 1 ", "Box 1"),
    ("label", "  Mine  ", "Mine"),
    ("label", "x" * 64, "x" * 64),
]


@pytest.mark.parametrize(("name", "given", "stored"), STORED)
def test_each_value_is_stored_as_it_is(name: str, given: str, stored: Any):
    found = after({name: given}, {"sessionId": "s", "updatedAt": 1, name: "before"})
    assert found.get(name, GONE) == stored


@pytest.mark.parametrize("name", SETTINGS)
def test_null_removes_a_member(name: str):
    before = {"sessionId": "s", name: "before", "other": [1]}
    assert after({name: None}, before) == {"sessionId": "s", "other": [1]}
    assert after({name: None}) == {"sessionId": "s", "updatedAt": 1}


REFUSED: list[tuple[str, Any, str]] = [
    ("label", "", "invalid label: empty"),
    ("label", " \ufeff", "invalid label: empty"),
    ("label", "x" * 65, "invalid label: too long (max 64)"),
    ("label", "😀" * 33, "invalid label: too long (max 64)"),
    ("execNode", " ", "invalid execNode: empty"),
    ("model", " ", "invalid model: empty"),
    ("model", "p/", "invalid model: p/ (use provider/model)"),
    ("model", "/m", "invalid model: /m (use provider/model)"),
    *(
        (name, odd, f"invalid {name} (use {'|'.join(values)})")
        for name, values in SETTINGS.items()
        if values
        for odd in ("", "ultra", values[-1].upper(), f" {values[-1]}")
    ),
]


@pytest.mark.parametrize(("name", "given", "message"), REFUSED)
def test_invalid_values_are_refused_with_a_message(name: str, given: Any, message: str):
    assert refusal({name: given}) == message


def test_a_label_is_given_once_in_a_store():
    items = {
        "agent:main:y": StoreEntry.of({"label": "taken"}),
        KEY: StoreEntry.of({"label": "mine"}),
        "odd": NonEntry(b'{"label": "odd"}'),
        "number": StoreEntry.of({"label": 7}),
    }
    assert refusal({"label": " taken "}, items=items) == "label already in use: taken"
    for free in ("mine", "Taken", "odd", "7"):
        assert after({"label": free}, items=items)["label"] == free


def test_the_first_that_is_wrong_in_the_order_of_the_table_is_named():
    wrong: dict[str, str | None] = dict.fromkeys(SETTINGS, "")
    for name in SETTINGS:
        assert name in refusal(wrong)
        del wrong[name]


RUN = {
    "model": "m",
    "modelProvider": "p",
    "authProfileOverride": "a",
    "authProfileOverrideSource": "user",
    "authProfileOverrideCompactionCount": 1,
}


@pytest.mark.parametrize(
    ("given", "provider", "model"),
    [
        ("openai/gpt", "openai", "gpt"),
        (" OpenRouter/a/b ", "openrouter", "a/b"),
        ("middle", None, "middle"),
        (None, None, None),
    ],
)
def test_a_model_becomes_an_override(given: str | None, provider: str | None, model: str | None):
    before = {"sessionId": "s", **RUN, "providerOverride": "old", "modelOverride": "older", "k": 1}
    found = after({"model": given}, before)
    assert (found.get("providerOverride"), found.get("modelOverride")) == (provider, model)
    assert not found.keys() & RUN.keys()
    assert found["k"] == 1


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("p/m", ModelRef("p", "m")),
        ({"primary": "p/m", "fallbacks": []}, ModelRef("p", "m")),
        ("m", ModelRef(None, "m")),
        ({}, ModelRef()),
        (" ", ModelRef()),
        (None, ModelRef()),
        (3, ModelRef()),
    ],
)
def test_the_default_model_is_a_name_or_has_one(model: Any, expected: ModelRef):
    config = Part.root({"agents": {"defaults": {"model": model}}})
    assert ModelRef.default(config) == expected
    assert bool(config.problems) == (model == 3)


async def test_a_patch_is_stored_and_answered(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1, "unknown": {"a": [1.0]}}, "bad": [1]})
    before = time.time() * 1000
    async with agents.daemon() as client:
        found = await client.request("gateway/patch", {"key": "X", "label": "l", "model": "p/gpt"})
    stored = agents.stored(KEY)
    assert found["path"] == str(agents.store())
    assert found["key"] == KEY
    assert found["entry"] == stored
    assert [problem["kind"] for problem in found["problems"]] == ["notAnEntry"]
    assert before - 1 <= stored.pop("updatedAt") <= time.time() * 1000
    assert stored == {
        "sessionId": "s",
        "unknown": {"a": [1.0]},
        "label": "l",
        "providerOverride": "p",
        "modelOverride": "gpt",
    }
    assert agents.stored("bad") == [1]


async def test_an_unknown_session_is_created(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    async with agents.daemon() as client:
        found = await client.request("gateway/patch", {"key": "main", "label": "l"})
    assert found["key"] == "agent:main:main"
    assert agents.stored("agent:main:main") == found["entry"]
    assert len(found["entry"]["sessionId"]) == 36


async def test_a_refused_patch_stores_nothing(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"Main": {"sessionId": "s", "updatedAt": 5, "x": 1}, "MAIN": {"sessionId": "t"}})
    params = {"key": "main", "label": "ok", "thinkingLevel": "off", "sendPolicy": "?"}
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/patch", params)
    assert caught.value.message == "invalid sendPolicy (use allow|deny)"
    assert caught.value.data == {
        "kind": "GatewayRejected",
        "retryable": False,
        "rule": "sendPolicy",
    }
    assert json.loads(agents.store().read_text()) == {
        "Main": {"sessionId": "s", "updatedAt": 5, "x": 1},
        "MAIN": {"sessionId": "t"},
    }


async def test_a_refused_patch_makes_no_entry(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    async with agents.daemon() as client:
        with pytest.raises(RpcError):
            await client.request("gateway/patch", {"key": "x", "label": ""})
    assert not agents.store().exists()


@pytest.mark.parametrize("odd", [None, "text", 7, [1]])
async def test_a_value_that_is_not_an_entry_is_never_replaced(tmp_path: Path, odd: Any):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: odd, "x": {"sessionId": "s"}})
    text = agents.store().read_bytes()
    async with agents.daemon() as client:
        for method in ("gateway/patch", "gateway/reset", "gateway/delete"):
            with pytest.raises(RpcError) as caught:
                await client.request(method, {"key": "x"})
            assert caught.value.data["rule"] == "key"
    assert agents.store().read_bytes() == text


@pytest.mark.parametrize("key", ["", " ", "\ufeff"])
async def test_a_blank_key_is_refused(tmp_path: Path, key: str):
    async with Agents(tmp_path / "state").daemon() as client:
        for method in ("gateway/patch", "gateway/reset", "gateway/delete"):
            with pytest.raises(RpcError) as caught:
                await client.request(method, {"key": key})
            assert (caught.value.code, caught.value.message) == (-32602, "$.key: key required")
            assert caught.value.data["pointer"] == "/key"


async def test_a_daemon_that_only_reads_changes_nothing(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"x": {"sessionId": "s", "updatedAt": 1}})
    agents.transcript("s.jsonl", {"type": "session"})
    text = agents.store().read_bytes()
    async with agents.daemon(read_only=True) as client:
        for method in ("gateway/patch", "gateway/reset", "gateway/delete"):
            for key in ("x", "y"):
                with pytest.raises(RpcError) as caught:
                    await client.request(method, {"key": key})
                assert caught.value.kind == "ReadOnly"
        # What is found under an old key stays there.
        found = await client.request("gateway/get", {"sessionKey": "X"})
        assert (found["sessionKey"], found["entry"]["sessionId"]) == (KEY, "s")
    assert agents.store().read_bytes() == text
    assert sorted(path.name for path in agents.sessions().iterdir()) == ["s.jsonl", "sessions.json"]


ODD = ["\0", "\ud800", "a\nb", "agent:a:\ud83d", "../..", "é" * 300, "-" * 10_000, "İ", "😀\ud83d"]


@pytest.mark.parametrize("framing", ["header", "line"])
async def test_unusual_texts_are_stored_or_refused(tmp_path: Path, framing: str):
    agents = Agents(tmp_path / "state")
    agents.lay({KEY: {"sessionId": "s", "sessionFile": "\0", "label": "\ud800"}})
    async with agents.daemon(framing=framing) as client:
        for odd in ODD:
            calls: list[tuple[str, dict[str, Any]]] = [
                *(("gateway/patch", {"key": "x", name: odd}) for name in SETTINGS),
                ("gateway/patch", {"key": odd, "execNode": odd}),
                ("gateway/get", {"sessionKey": odd}),
                ("gateway/list", {"label": "l", "agentId": odd, "spawnedBy": odd}),
                ("gateway/list", {"search": odd, "includeDerivedTitles": True}),
                ("gateway/list", {"agentId": odd, "includeLastMessage": True}),
                ("gateway/reset", {"key": odd}),
                ("gateway/delete", {"key": odd, "agentId": odd}),
            ]
            for method, params in calls:
                try:
                    await client.request(method, params)
                except RpcError as error:
                    assert error.code in {-32602, 1016}, (method, params, error)
        found = await client.request("gateway/list", {})
    stored = json.loads(agents.store().read_text())
    assert KEY in stored
    assert found["count"] >= 1


async def test_only_one_of_two_daemons_sets_a_label_and_no_change_is_lost(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    async with agents.daemon() as one, agents.daemon() as two:
        patches = [
            client.request("gateway/patch", {"key": f"{name}{n}", "label": f"l{n}"})
            for n in range(10)
            for name, client in (("a", one), ("b", two))
        ]
        answers = await asyncio.gather(*patches, return_exceptions=True)
    refused = [str(answer) for answer in answers if isinstance(answer, RpcError)]
    assert sorted(refused) == [f"1016: label already in use: l{n}" for n in range(10)]
    stored = json.loads(agents.store().read_text())
    assert sorted(entry["label"] for entry in stored.values()) == [f"l{n}" for n in range(10)]
