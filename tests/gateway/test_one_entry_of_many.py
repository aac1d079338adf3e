"""A fault in one entry or transcript does not affect the answers about the others.

The fault is injected: the n-th time that the entry is looked at fails, for every n.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.agents import HEADER, Agents, message

from sessiond.gateway import titles as ends
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.snapshot import StoreProblem, StoreSnapshot, parse
from sessiond.isolation import Abandoned

NOW = 1_770_000_000_000
BAD = "agent:main:telegram:group:bad"
KEYS = ["agent:main:main", BAD, "agent:main:telegram:group:z"]
ENFORCED = {"session": {"maintenance": {"mode": "enforce", "pruneAfter": "1d", "maxEntries": 5}}}


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    agents = Agents(tmp_path / "state")
    entries = {}
    for key in KEYS:
        name = key.rpartition(":")[2]
        entries[key] = {"sessionId": name, "updatedAt": NOW, "label": name, "sendPolicy": "deny"}
        agents.transcript(f"{name}.jsonl", {**HEADER, "id": name}, message("u", None, "user"))
    agents.lay(entries)
    return agents


class Nth:
    """Raises the n-th time it is called, if it is ever called so often."""

    def __init__(self, n: int) -> None:
        self.left = n

    @property
    def has_raised(self) -> bool:
        return self.left <= 0

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("injected")


def fail(monkeypatch: pytest.MonkeyPatch, nth: Nth) -> None:
    """Let the n-th look at the bad entry raise."""
    for name in ("get", "compact", "__contains__"):
        real = getattr(StoreEntry, name)

        def wrapped(self: StoreEntry, *given: Any, real: Any = real) -> Any:
            if b'"bad"' in self.text:
                nth()
            return real(self, *given)

        monkeypatch.setattr(StoreEntry, name, wrapped)


def listed(answer: Any) -> list[str]:
    return [row["key"] for row in answer["sessions"]]


def followed(answer: Any) -> list[str]:
    return [one["sessionKey"] for one in answer["sessions"]]


Reading = tuple[str, dict[str, Any], Callable[[Any], list[str]]]
READINGS: list[Reading] = [
    ("gateway/list", {"includeDerivedTitles": True, "includeLastMessage": True}, listed),
    ("gateway/list", {"search": "agent", "agentId": "main"}, listed),
    ("gateway/subscribe", {}, followed),
]


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading[0])
async def test_a_fault_of_one_entry_is_that_entrys(
    agents: Agents,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    reading: Reading,
):
    method, params, keys = reading
    steps = 0
    while True:
        nth = Nth(steps + 1)
        async with agents.daemon() as client:
            await client.request("gateway/get", {"sessionKey": "main"})
            caplog.clear()
            with monkeypatch.context() as patching:
                fail(patching, nth)
                answer = await client.request(method, params)
        found = keys(answer)
        assert set(found) >= set(KEYS) - {BAD}
        if not nth.has_raised:
            break
        steps += 1
        problems = [(one["kind"], one["sessionKey"]) for one in answer["problems"]]
        assert problems == [("unreadableEntry", BAD)]
        assert str(agents.sessions()) in caplog.text
        assert "injected" in caplog.text
    assert steps > 0
    assert "problems" not in answer
    assert set(found) == set(KEYS)


@pytest.mark.parametrize(
    ("module", "name", "reading"),
    [
        (ends, "_bytes", READINGS[0]),
    ],
)
async def test_a_fault_of_one_transcript_is_that_sessions(
    agents: Agents,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    reading: Reading,
):
    method, params, keys = reading
    real, calls = getattr(module, name), Nth(2)

    def wrapped(*given: Any, **more: Any) -> Any:
        calls()
        return real(*given, **more)

    monkeypatch.setattr(module, name, wrapped)
    async with agents.daemon() as client:
        answer = await client.request(method, params)
    assert calls.has_raised
    assert len(set(keys(answer))) >= 2
    assert [problem["kind"] for problem in answer["problems"]] == ["unreadableEntry"]
    assert answer["problems"][0]["path"].startswith(str(agents.sessions()))


async def test_maintenance_keeps_an_entry_that_cannot_be_judged(
    agents: Agents, monkeypatch: pytest.MonkeyPatch
):
    steps = 0
    while True:
        nth = Nth(steps + 1)
        agents.lay(
            {key: {"sessionId": key[-3:], "updatedAt": 1, "label": key[-3:]} for key in KEYS}
        )
        async with agents.daemon() as client:
            await client.request("gateway/get", {"sessionKey": "main"})
            with monkeypatch.context() as patching:
                fail(patching, nth)
                params = {"config": ENFORCED, "dryRun": True}
                answer = await client.request("gateway/maintain", params)
        assert set(answer["pruned"]) >= set(KEYS) - {BAD}
        if not nth.has_raised:
            break
        steps += 1
        assert BAD in [problem.get("sessionKey") for problem in answer["problems"]]
    assert steps > 0


def test_an_entry_that_cannot_be_read_is_kept_as_it_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    text = json.dumps({"a": {"x": 1}, "bad": {"x": 2}, "z": {"x": 3}}).encode()
    real = StoreEntry.read

    def read(raw: bytes) -> StoreEntry:
        if b"2" in raw:
            raise RuntimeError("injected")
        return real(raw)

    monkeypatch.setattr(StoreEntry, "read", read)
    with caplog.at_level(logging.ERROR):
        found = parse("/s/sessions.json", text, StoreSnapshot())
    assert [key for key, item in found.items.items() if isinstance(item, StoreEntry)] == ["a", "z"]
    assert found.items["bad"].text == b'{"x": 2}'
    assert [problem.session_key for problem in found.problems] == ["bad"]
    assert "/s/sessions.json" in caplog.text


def test_a_cancelled_request_is_no_fault_of_an_entry():
    problems: list[StoreProblem] = []
    with pytest.raises(Abandoned), EntryFaults(problems).isolate("key", "/store"):
        raise Abandoned
    assert problems == []
