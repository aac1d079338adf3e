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

from sessiond.errors import GatewayRejected
from sessiond.gateway.config.models import ModelRef, Models
from sessiond.gateway.config.reader import Part
from sessiond.gateway.rules.patch import RULES, PatchSubject, patched
from sessiond.gateway.store.entry import NonEntry, StoreEntry

KEY = "agent:main:x"
CHILD = "agent:main:subagent:c"
NOW = 1_770_000_000_000
GONE = object()


def after(
    patch: dict[str, Any], entry: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    old = {"sessionId": "s", "updatedAt": 1} if entry is None else entry
    subject = PatchSubject(more.pop("key", KEY), StoreEntry.of(old), more.pop("items", {}), **more)
    return json.loads(patched(subject, patch, NOW, "new").text)


def refusal(patch: dict[str, Any], entry: dict[str, Any] | None = None, **more: Any) -> str:
    with pytest.raises(GatewayRejected) as caught:
        after(patch, entry, **more)
    assert caught.value.data["rule"] in patch
    return caught.value.message


STORED: list[tuple[str, str, Any]] = [
    ("thinkingLevel", "off", "off"),
    *(("thinkingLevel", word, "low") for word in ("on", "enable", "enabled", "ON")),
    *(("thinkingLevel", word, "minimal") for word in ("min", "minimal", "think")),
    *(("thinkingLevel", word, "low") for word in ("low", "thinkhard", "think-hard")),
    *(
        ("thinkingLevel", word, "medium")
        for word in ("mid", "med", "medium", "thinkharder", "harder")
    ),
    *(
        ("thinkingLevel", word, "high")
        for word in ("high", "ultra", "ultrathink", "thinkhardest", "highest", "max", "Max")
    ),
    *(("thinkingLevel", word, "xhigh") for word in ("xhigh", "x-high", "extra high", "X High")),
    *(("verboseLevel", word, "off") for word in ("off", "false", "no", "0")),
    *(("verboseLevel", word, "on") for word in ("on", "minimal", "true", "yes", "1", "Yes")),
    *(("verboseLevel", word, "full") for word in ("full", "all", "everything")),
    ("reasoningLevel", "on", "on"),
    ("reasoningLevel", "STREAM", "stream"),
    ("reasoningLevel", "off", GONE),
    ("responseUsage", "off", GONE),
    ("responseUsage", "on", "tokens"),
    ("responseUsage", "tokens", "tokens"),
    ("responseUsage", "full", "full"),
    ("responseUsage", "session", "full"),
    *(("elevatedLevel", word, "off") for word in ("off", "false", "no", "0")),
    *(("elevatedLevel", word, "full") for word in ("full", "auto")),
    *(("elevatedLevel", word, "ask") for word in ("ask", "prompt")),
    *(("elevatedLevel", word, "on") for word in ("on", "true", "yes", "1")),
    *(("execHost", word, word.lower()) for word in ("sandbox", "Gateway", "NODE")),
    *(("execSecurity", word, word.lower()) for word in ("deny", "AllowList", "full")),
    *(("execAsk", word, word.lower()) for word in ("off", "On-Miss", "always")),
    ("execNode", " Box 1 ", "Box 1"),
    ("label", "  Mine  ", "Mine"),
    ("label", "x" * 64, "x" * 64),
    ("sendPolicy", "Allow", "allow"),
    ("sendPolicy", "deny", "deny"),
    ("groupActivation", "mention", "mention"),
    ("groupActivation", "ALWAYS", "always"),
]


@pytest.mark.parametrize(("name", "given", "stored"), STORED)
def test_each_given_value_is_stored_in_its_normal_form(name: str, given: str, stored: Any):
    found = after({name: given}, {"sessionId": "s", "updatedAt": 1, name: "before"})
    assert found.get(name, GONE) == stored


@pytest.mark.parametrize("name", [name for name in RULES if not name.startswith("spawn")])
def test_null_removes_a_member(name: str):
    if name != "model":
        before = {"sessionId": "s", "updatedAt": 1, name: "before", "other": [1]}
        assert after({name: None}, before) == {"sessionId": "s", "updatedAt": NOW, "other": [1]}
    assert after({name: None}) == {"sessionId": "s", "updatedAt": NOW}


REFUSED: list[tuple[str, Any, str]] = [
    ("label", "", "invalid label: empty"),
    ("label", " \ufeff", "invalid label: empty"),
    ("label", "x" * 65, "invalid label: too long (max 64)"),
    ("label", "😀" * 33, "invalid label: too long (max 64)"),
    ("thinkingLevel", "", "invalid thinkingLevel (use off|minimal|low|medium|high)"),
    ("thinkingLevel", "hi gh", "invalid thinkingLevel (use off|minimal|low|medium|high)"),
    ("verboseLevel", "loud", 'invalid verboseLevel (use "on"|"off")'),
    ("reasoningLevel", "x", 'invalid reasoningLevel (use "on"|"off"|"stream")'),
    ("responseUsage", "x", 'invalid responseUsage (use "off"|"tokens"|"full")'),
    ("elevatedLevel", "x", 'invalid elevatedLevel (use "on"|"off"|"ask"|"full")'),
    ("execHost", "x", 'invalid execHost (use "sandbox"|"gateway"|"node")'),
    ("execSecurity", "x", 'invalid execSecurity (use "deny"|"allowlist"|"full")'),
    ("execAsk", "onmiss", 'invalid execAsk (use "off"|"on-miss"|"always")'),
    ("execNode", " ", "invalid execNode: empty"),
    ("model", " ", "invalid model: empty"),
    ("model", "p/", "invalid model: p/"),
    ("model", "/m", "invalid model: /m"),
    ("sendPolicy", "maybe", 'invalid sendPolicy (use "allow"|"deny")'),
    ("groupActivation", "", 'invalid groupActivation (use "mention"|"always")'),
]


@pytest.mark.parametrize(("name", "given", "message"), REFUSED)
def test_invalid_values_are_refused_with_a_message(name: str, given: Any, message: str):
    assert refusal({name: given}) == message


@pytest.mark.parametrize(
    ("patch", "entry", "message"),
    [
        ({"spawnedBy": None}, {"spawnedBy": "p"}, "spawnedBy cannot be cleared once set"),
        ({"spawnedBy": " "}, {}, "invalid spawnedBy: empty"),
        ({"spawnedBy": "q"}, {"spawnedBy": "p"}, "spawnedBy cannot be changed once set"),
        ({"spawnDepth": None}, {"spawnDepth": 0}, "spawnDepth cannot be cleared once set"),
        ({"spawnDepth": -1}, {}, "invalid spawnDepth (use an integer >= 0)"),
        ({"spawnDepth": 1.5}, {}, "invalid spawnDepth (use an integer >= 0)"),
        ({"spawnDepth": 2}, {"spawnDepth": 1}, "spawnDepth cannot be changed once set"),
    ],
)
def test_the_spawning_session_of_a_subagent_is_set_once(
    patch: dict[str, Any], entry: dict[str, Any], message: str
):
    assert refusal(patch, {"sessionId": "s", **entry}, key=CHILD) == message


@pytest.mark.parametrize("name", ["spawnedBy", "spawnDepth"])
def test_only_subagents_were_spawned(name: str):
    value: Any = "p" if name == "spawnedBy" else 0
    assert refusal({name: value}) == f"{name} is only supported for subagent:* sessions"
    assert after({name: None}) == {"sessionId": "s", "updatedAt": NOW}


def test_the_spawning_session_of_a_subagent_may_be_set_to_the_same_value():
    found = after({"spawnedBy": " p ", "spawnDepth": 2.0}, key=CHILD)
    assert (found["spawnedBy"], found["spawnDepth"]) == ("p", 2)
    assert after({"spawnedBy": "p", "spawnDepth": 2}, found, key=CHILD) == found


def test_a_depth_beyond_all_counting_is_spelled_as_javascript_spells_it():
    subject = PatchSubject(CHILD, None, {})
    assert b'"spawnDepth": 1e+308\n' in patched(subject, {"spawnDepth": 1e308}, NOW, "new").text
    assert b'"spawnDepth": 2\n' in patched(subject, {"spawnDepth": 2.0}, NOW, "new").text


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


ORDER = [
    "spawnedBy",
    "spawnDepth",
    "label",
    "thinkingLevel",
    "verboseLevel",
    "reasoningLevel",
    "responseUsage",
    "elevatedLevel",
    "execHost",
    "execSecurity",
    "execAsk",
    "execNode",
    "model",
    "sendPolicy",
    "groupActivation",
]


def test_the_first_that_is_wrong_in_the_order_of_the_table_is_named():
    wrong: dict[str, Any] = {name: -1 if name == "spawnDepth" else "" for name in reversed(ORDER)}
    for name in ORDER:
        assert name in refusal(wrong, key=CHILD)
        del wrong[name]


def test_the_time_never_decreases():
    assert after({})["updatedAt"] == NOW
    assert after({}, {"sessionId": "s", "updatedAt": NOW + 5})["updatedAt"] == NOW + 5
    assert after({}, {"sessionId": "s", "updatedAt": None})["updatedAt"] == NOW


def test_an_entry_that_does_not_exist_is_made():
    subject = PatchSubject(KEY, None, {})
    found = json.loads(patched(subject, {"label": "l"}, NOW, "new").text)
    assert found == {"sessionId": "new", "updatedAt": NOW, "label": "l"}


RUN = {
    "model": "m",
    "modelProvider": "p",
    "authProfileOverride": "a",
    "authProfileOverrideSource": "user",
    "authProfileOverrideCompactionCount": 1,
}
CONFIG = {
    "agents": {
        "defaults": {
            "model": {"primary": "Anthropic/big"},
            "models": {"openai/small": {"alias": "Tiny"}, "x/y": {}, "bad": 3},
        },
        "list": [{"id": "Ops", "model": "local/llama"}, {"id": "other"}],
    }
}


@pytest.mark.parametrize(
    ("given", "provider", "model"),
    [
        ("openai/gpt", "openai", "gpt"),
        (" OpenRouter/a/b ", "openrouter", "a/b"),
        ("middle", "anthropic", "middle"),
        ("tiny", "openai", "small"),
        ("anthropic/big", None, None),
        ("big", None, None),
        (None, None, None),
    ],
)
def test_a_model_becomes_an_override_unless_it_is_the_default(
    given: str | None, provider: str | None, model: str | None
):
    before = {"sessionId": "s", **RUN, "providerOverride": "old", "modelOverride": "older", "k": 1}
    found = after({"model": given}, before, models=Models.of(Part.root(CONFIG)))
    assert (found.get("providerOverride"), found.get("modelOverride")) == (provider, model)
    assert not found.keys() & RUN.keys()
    assert found["k"] == 1


def test_without_a_default_a_bare_model_has_no_provider():
    found = after({"model": "m"}, {"sessionId": "s", "providerOverride": "old"})
    assert found == {"sessionId": "s", "updatedAt": NOW, "modelOverride": "m"}


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
    assert Models.of(config).default == expected
    assert bool(config.problems) == (model == 3)


def test_an_agent_may_have_a_default_model_of_its_own():
    config = Part.root(CONFIG)
    assert Models.of(config, "ops").default == ModelRef("local", "llama")
    assert Models.of(config, "other").default == ModelRef("anthropic", "big")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({}, ("anthropic", "big")),
        ({"modelOverride": "o"}, ("anthropic", "o")),
        ({"modelOverride": "o", "providerOverride": "q"}, ("q", "o")),
        ({"modelOverride": "o", "model": "m", "modelProvider": "p"}, ("p", "m")),
        ({"model": "p/m"}, ("p", "m")),
        ({"model": "m"}, (None, "m")),
        ({"model": " ", "modelOverride": 3}, ("anthropic", "big")),
    ],
)
def test_the_model_is_that_of_the_last_run_else_the_chosen_one(
    entry: dict[str, Any], expected: tuple[str | None, str | None]
):
    used = Models.of(Part.root(CONFIG)).used_by(StoreEntry.of(entry))
    assert (used.provider, used.model) == expected


def test_xhigh_is_accepted_unless_the_client_denies_that_the_model_supports_it():
    high = {"sessionId": "s", "thinkingLevel": "xhigh"}
    assert after({"thinkingLevel": "xhigh"})["thinkingLevel"] == "xhigh"
    assert after({"thinkingLevel": "xhigh"}, xhigh=True)["thinkingLevel"] == "xhigh"
    message = refusal({"thinkingLevel": "xhigh", "sendPolicy": "x"}, xhigh=False)
    assert message.startswith('thinkingLevel "xhigh" is only supported for ')
    assert after({"model": "p/m"}, high, xhigh=False)["thinkingLevel"] == "high"
    assert after({"model": "p/m"}, high)["thinkingLevel"] == "xhigh"
    assert refusal({"model": "", "thinkingLevel": "xhigh"}, xhigh=False) == "invalid model: empty"
    hint = "invalid thinkingLevel (use off|minimal|low|medium|high|xhigh)"
    assert refusal({"thinkingLevel": "x"}, xhigh=True) == hint


async def test_a_patch_is_stored_and_answered(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.configure(agents={"defaults": {"model": "anthropic/big"}})
    agents.lay({KEY: {"sessionId": "s", "updatedAt": 1, "unknown": {"a": [1.0]}}, "bad": [1]})
    before = time.time() * 1000
    async with agents.daemon() as client:
        found = await client.request("gateway/patch", {"key": "X", "label": "l", "model": "gpt"})
    stored = agents.stored(KEY)
    assert found["path"] == str(agents.store())
    assert found["key"] == KEY
    assert found["entry"] == stored
    assert found["resolved"] == {"modelProvider": "anthropic", "model": "gpt"}
    assert [problem["kind"] for problem in found["problems"]] == ["notAnEntry"]
    assert before - 1 <= stored.pop("updatedAt") <= time.time() * 1000
    assert stored == {
        "sessionId": "s",
        "unknown": {"a": [1.0]},
        "label": "l",
        "providerOverride": "anthropic",
        "modelOverride": "gpt",
    }
    assert agents.stored("bad") == [1]


async def test_an_unknown_session_is_created(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    async with agents.daemon() as client:
        found = await client.request("gateway/patch", {"key": "main", "label": "l"})
    assert found["key"] == "agent:main:main"
    assert found["resolved"] == {"modelProvider": None, "model": None}
    assert agents.stored("agent:main:main") == found["entry"]
    assert len(found["entry"]["sessionId"]) == 36


async def test_a_refused_patch_stores_nothing(tmp_path: Path):
    agents = Agents(tmp_path / "state")
    agents.lay({"Main": {"sessionId": "s", "updatedAt": 5, "x": 1}, "MAIN": {"sessionId": "t"}})
    params = {"key": "main", "label": "ok", "thinkingLevel": "off", "sendPolicy": "?"}
    async with agents.daemon() as client:
        with pytest.raises(RpcError) as caught:
            await client.request("gateway/patch", params)
    assert caught.value.message == 'invalid sendPolicy (use "allow"|"deny")'
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
    members = [name for name in RULES if name != "spawnDepth"]
    async with agents.daemon(framing=framing) as client:
        for odd in ODD:
            calls: list[tuple[str, dict[str, Any]]] = [
                *(("gateway/patch", {"key": "x", name: odd}) for name in members),
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
