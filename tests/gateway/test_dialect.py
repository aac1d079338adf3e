"""Where OpenClaw's rules differ from CoderClaw's, each profile follows its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agents import Agents

from sessiond.agents.dialect import USUAL as CODERCLAW
from sessiond.agents.registry import AGENTS
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys import session_key
from sessiond.gateway.rules.freshness import ResetPolicy, Times, evaluate, reset_policy
from sessiond.gateway.rules.silence import could_become_silent, is_silent

OPENCLAW = AGENTS["openclaw"].dialect

BOTH = ["coderclaw", "openclaw"]


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


KEYS = [
    # As OpenClaw 2026.7.1 keeps them, and in CoderClaw's spelling.
    ("agent:main:signal:group:AbC=", "agent:main:signal:group:AbC="),
    ("Agent:Main:Signal:Group:AbC=", "agent:main:signal:group:AbC="),
    ("agent:main:signal:group:AbC=:Thread:X", "agent:main:signal:group:AbC=:thread:x"),
    ("signal:group:AbC=", "signal:group:AbC="),
    ("agent:main:matrix:channel:!Room:Example.org", "agent:main:matrix:channel:!Room:Example.org"),
    ("agent:main:matrix:group:!R:S:Thread:$Ev", "agent:main:matrix:group:!R:S:thread:$Ev"),
    ("agent:main:matrix:direct:@A:B", "agent:main:matrix:direct:@a:b"),
    ("agent:main:telegram:group:AbC", "agent:main:telegram:group:abc"),
    ("agent:main:Main", "agent:main:main"),
]


@pytest.mark.parametrize(("key", "openclaw"), KEYS)
def test_ids_whose_case_counts_keep_it(key: str, openclaw: str):
    assert session_key.folded(key, OPENCLAW) == openclaw
    assert session_key.folded(key, CODERCLAW) == key.lower()


SIGNAL = "agent:main:signal:group:AbC="


@pytest.mark.parametrize("profile", BOTH)
async def test_two_groups_that_differ_in_case_are_two_sessions(agents: Agents, profile: str):
    context = {"From": "signal:group:AbC=", "ChatType": "group", "Body": "hello"}
    async with agents.daemon(profile=profile) as client:
        begun = await client.request("gateway/begin", {"context": context})
        named = await client.request(
            "gateway/begin", {"context": {"SessionKey": SIGNAL, "Body": "again"}}
        )
        other = await client.request("gateway/get", {"sessionKey": SIGNAL.lower()})
        rows = (await client.request("gateway/list"))["sessions"]
        resolved = await client.request("gateway/resolveKey", {"key": SIGNAL})
    key = SIGNAL if profile == "openclaw" else SIGNAL.lower()
    assert begun["sessionKey"] == named["sessionKey"] == key
    assert begun["sessionId"] == named["sessionId"]
    assert resolved["sessionKey"] == key
    assert [row["key"] for row in rows] == [key]
    assert (other["entry"] is None) == (profile == "openclaw")


CHOSEN = {
    "modelOverride": "m",
    "providerOverride": "p",
    "queueMode": "steer",
    "thinkingLevel": "low",
}


@pytest.mark.parametrize("profile", BOTH)
async def test_a_model_chosen_for_a_conversation_and_new(agents: Agents, profile: str):
    agents.lay({"agent:main:x": {"sessionId": "s", "updatedAt": 1, **CHOSEN}})
    context = {"SessionKey": "agent:main:x", "Body": "/new hello"}
    async with agents.daemon(profile=profile) as client:
        entry = (await client.request("gateway/begin", {"context": context}))["entry"]
    kept = {name: entry[name] for name in CHOSEN if name in entry}
    if profile == "openclaw":
        assert kept == {"modelOverride": "m", "providerOverride": "p", "thinkingLevel": "low"}
    else:
        assert kept == {"thinkingLevel": "low"}


@pytest.mark.parametrize("profile", BOTH)
async def test_an_expired_session_loses_its_overrides(agents: Agents, profile: str):
    agents.lay({"agent:main:x": {"sessionId": "s", "updatedAt": 1, **CHOSEN}})
    context = {"SessionKey": "agent:main:x", "Body": "hello"}
    async with agents.daemon(profile=profile) as client:
        entry = (await client.request("gateway/begin", {"context": context}))["entry"]
    assert not CHOSEN.keys() & entry.keys()


NOON = 1_770_000_000_000  # 2026-02-02T02:40:00Z
HOUR = 3_600_000


def test_the_day_counts_from_the_start_and_idleness_from_the_last_use():
    daily, idle = ResetPolicy("daily", 2), ResetPolicy("idle", 4, 60)
    old, fresh = NOON - 30 * HOUR, NOON - 1000
    assert not evaluate(daily, fresh, NOON, None, Times(started=old, used=fresh)).fresh
    assert evaluate(idle, fresh, NOON, None, Times(started=old, used=fresh)).fresh
    assert not evaluate(idle, fresh, NOON, None, Times(started=fresh, used=old)).fresh
    # Where an entry lacks one, `updatedAt` counts.
    assert evaluate(daily, fresh, NOON, None, Times(used=old)).fresh
    assert not evaluate(idle, old, NOON, None, Times(started=fresh)).fresh


def test_idle_without_minutes_never_expires():
    config = Part.root({"session": {"reset": {"mode": "idle"}}})
    assert reset_policy(config, "direct", dialect=CODERCLAW).idle_minutes == 60
    assert reset_policy(config, "direct", dialect=OPENCLAW).idle_minutes is None
    given = Part.root({"session": {"reset": {"mode": "idle", "idleMinutes": 5}}})
    assert reset_policy(given, "direct", dialect=OPENCLAW).idle_minutes == 5


@pytest.mark.parametrize("profile", BOTH)
async def test_a_message_is_judged_by_the_times_of_its_session(agents: Agents, profile: str):
    times = {"sessionStartedAt": 1, "lastInteractionAt": 4_000_000_000_000}
    entry = {"sessionId": "s", "updatedAt": 4_000_000_000_000, **times}
    agents.lay({"agent:main:x": entry})
    params = {"context": {"SessionKey": "agent:main:x", "Body": "hi"}, "config": {}}
    async with agents.daemon(profile=profile) as client:
        found = await client.request("gateway/begin", params)
    assert found["isNewSession"] == (profile == "openclaw")
    stored = agents.stored("agent:main:x")
    if profile == "openclaw":
        # They are of the new session now.
        assert stored["sessionStartedAt"] == stored["lastInteractionAt"] == stored["updatedAt"]
    else:
        assert {name: stored[name] for name in times} == times


async def test_times_are_not_put_into_entries_without_them(agents: Agents):
    async with agents.daemon(profile="openclaw") as client:
        params = {"context": {"SessionKey": "agent:main:x", "Body": "hi"}}
        entry = (await client.request("gateway/begin", params))["entry"]
    assert not {"sessionStartedAt", "lastInteractionAt"} & entry.keys()


SILENT: list[tuple[str, bool, bool]] = [
    ("NO_REPLY", True, True),
    (" NO_REPLY\n", True, True),
    ("no_reply", False, True),
    ("No_Reply ", False, True),
    ("NO_REPLY.", True, False),
    ("NO_REPLY and more", True, False),
    ("Done. NO_REPLY", True, False),
    ("", False, False),
]


@pytest.mark.parametrize(("text", "coderclaw", "openclaw"), SILENT)
async def test_silence(agents: Agents, text: str, coderclaw: bool, openclaw: bool):
    assert (is_silent(text), is_silent(text, dialect=OPENCLAW)) == (coderclaw, openclaw)
    for profile, silent in (("coderclaw", coderclaw), ("openclaw", openclaw)):
        async with agents.daemon(profile=profile) as client:
            found = await client.request("gateway/isSilentReply", {"text": text})
        assert found["silent"] is silent


@pytest.mark.parametrize(
    ("text", "held"),
    [("no", True), (" NO_REP", True), ("", True), ("Done. NO_", False), ("x", False)],
)
def test_text_that_could_become_silent_is_held_back(text: str, held: bool):
    assert could_become_silent(text, dialect=OPENCLAW) is held
