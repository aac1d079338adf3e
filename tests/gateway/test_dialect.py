"""Where OpenClaw's rules differ from CoderClaw's, each profile follows its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.agents import Agents

from sessiond.agents.dialect import USUAL as CODERCLAW
from sessiond.agents.registry import AGENTS
from sessiond.gateway import keys
from sessiond.gateway.silence import could_become_silent, is_silent

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
    assert keys.folded(key, OPENCLAW) == openclaw
    assert keys.folded(key, CODERCLAW) == key.lower()


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
