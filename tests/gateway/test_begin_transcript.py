"""Transcripts that a message begins with open everywhere, under the id the store has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reference.pi import Pi
from support.agents import HEADER, Agents, entry, message
from support.app import assistant, user

KEY = "agent:main:main"
CHILD = "agent:main:main:thread:5"
FRESH = {"sessionId": "old1", "updatedAt": 9_000_000_000_000}
EXPIRED = {"sessionId": "old1", "updatedAt": 1}
OWN = {**HEADER, "id": "old1"}
USER, ASSISTANT = message("u1", None, "user"), message("a1", "u1", "assistant")
THREAD = {"SessionKey": CHILD, "ParentSessionKey": KEY}
BRANCHED = [
    USER,
    ASSISTANT,
    message("u2", "a1", "user"),
    entry("l1", "u2", "label", targetId="a1", label="here"),
    message("u3", "a1", "user"),
    entry("c1", "u3", "compaction", summary="s", firstKeptEntryId="a1", tokensBefore=9),
    message("u4", "c1", "user"),
]
V1 = [
    {name: value for name, value in OWN.items() if name != "version"},
    {"type": "message", "timestamp": OWN["timestamp"], "message": user("u1")},
    {"type": "message", "timestamp": OWN["timestamp"], "message": assistant("a1")},
]

CASES: dict[str, tuple[Any, list[Any] | None, Any, list[str]]] = {
    "new": ({}, None, {"Body": "hello"}, []),
    "new, of a topic": ({}, None, {"MessageThreadId": "a/b"}, []),
    "started over": ({KEY: FRESH}, [OWN, USER], {"Body": "/new"}, []),
    "expired": ({KEY: EXPIRED}, [OWN, USER], {"Body": "hello"}, []),
    "going on": ({KEY: FRESH}, [OWN, USER, ASSISTANT], {}, ["u1", "a1"]),
    "going on, with nothing but a question": ({KEY: FRESH}, [OWN, USER], {}, ["u1"]),
    "going on, of an older version": ({KEY: FRESH}, V1, {}, ["u1", "a1"]),
    "going on, without its file": ({KEY: FRESH}, None, {}, []),
    "a thread": ({KEY: FRESH}, [OWN, USER, ASSISTANT], THREAD, ["u1", "a1"]),
    "a thread of a question": ({KEY: FRESH}, [OWN, USER], THREAD, ["u1"]),
    "a thread of nothing": ({KEY: FRESH}, [OWN], THREAD, []),
    "a thread of an older version": ({KEY: FRESH}, V1, THREAD, ["u1", "a1"]),
    "a thread of one branch": ({KEY: FRESH}, [OWN, *BRANCHED], THREAD, ["a1", "u3", "u4"]),
}


@pytest.fixture
def agents(tmp_path: Path) -> Agents:
    return Agents(tmp_path / "state")


def lay(agents: Agents, name: str) -> tuple[Any, list[str]]:
    """Return the message's context, and the texts of its session's messages."""
    stored, transcript, context, said = CASES[name]
    agents.lay(stored)
    if transcript is not None:
        agents.transcript("old1.jsonl", *transcript)
    return context, said


def texts(messages: list[Any]) -> list[str]:
    """The texts of the messages, without summaries."""
    contents = [m["content"] for m in messages if m["role"] in {"user", "assistant"}]
    return [c if isinstance(c, str) else c[0]["text"] for c in contents]


@pytest.mark.parametrize("name", CASES)
async def test_sessiond_opens_it_and_continues(agents: Agents, name: str):
    context, said = lay(agents, name)
    async with agents.daemon() as client:
        begun = await client.request("gateway/begin", {"context": context})
        stored = agents.stored(begun["sessionKey"])
        assert stored["sessionId"] == begun["sessionId"]
        state = await client.request("session/open", {"path": begun["sessionFile"]})
        assert state["header"]["id"] == begun["sessionId"]
        assert state["diagnostics"] == []
        session = {"session": state["session"]}
        found = await client.request("session/buildSessionContext", session)
        assert texts(found["messages"]) == said
        for added in (user("on", timestamp=1), assistant("yes", timestamp=2)):
            await client.request("session/appendMessage", {**session, "message": added})
    again = {name: value for name, value in context.items() if name != "Body"}
    async with agents.daemon() as client:
        goes_on = await client.request("gateway/begin", {"context": again})
        assert goes_on["sessionFile"] == begun["sessionFile"]
        assert (goes_on["sessionId"], goes_on["isNewSession"]) == (begun["sessionId"], False)
        state = await client.request("session/open", {"path": begun["sessionFile"]})
        session = {"session": state["session"]}
        found = await client.request("session/buildSessionContext", session)
        assert texts(found["messages"]) == [*said, "on", "yes"]


@pytest.mark.node
@pytest.mark.parametrize("name", CASES)
async def test_pi_opens_it_and_continues(agents: Agents, pi: Pi, name: str):
    context, said = lay(agents, name)
    async with agents.daemon() as client:
        begun = await client.request("gateway/begin", {"context": context})
    path = Path(begun["sessionFile"])
    data = path.read_bytes()
    handle = pi.do("open", path=str(path))
    found = pi.do("snapshot", handle=handle)
    if "older version" not in name or begun.get("forkedFrom"):
        assert path.read_bytes() == data
    assert found["sessionId"] == found["header"]["id"] == begun["sessionId"]
    assert found["sessionFile"] == str(path)
    assert texts(found["context"]["messages"]) == said
    data = path.read_bytes()
    pi.call(handle, "appendMessage", user("on", timestamp=1))
    pi.call(handle, "appendMessage", assistant("yes", timestamp=2))
    assert path.read_bytes().startswith(data)
    assert len(path.read_bytes().splitlines()) == len(data.splitlines()) + 2
    async with agents.daemon() as client:
        state = await client.request("session/open", {"path": str(path)})
        session = {"session": state["session"]}
        context_now = await client.request("session/buildSessionContext", session)
    assert texts(context_now["messages"]) == [*said, "on", "yes"]


@pytest.mark.node
@pytest.mark.parametrize("entries", [[USER, ASSISTANT], BRANCHED], ids=["plain", "branched"])
async def test_a_thread_is_the_branched_session_that_pi_makes(
    agents: Agents, pi: Pi, entries: list[Any]
):
    agents.lay({KEY: FRESH})
    answered = [*entries, message("z", entries[-1]["id"], "assistant")]
    parent = agents.transcript("old1.jsonl", OWN, *answered)
    async with agents.daemon() as client:
        begun = await client.request("gateway/begin", {"context": THREAD})
    handle = pi.do("open", path=str(parent))
    theirs = pi.call(handle, "createBranchedSession", "z")
    ours, wanted = (
        [json.loads(text) for text in Path(path).read_bytes().splitlines()]
        for path in (begun["sessionFile"], theirs)
    )
    assert Path(theirs).parent == Path(begun["sessionFile"]).parent
    assert list(ours[0]) == list(wanted[0])
    for lines in (ours, wanted):
        for name in ("id", "timestamp"):
            del lines[0][name]
    # Labels get new ids and times.
    assert [_timeless(each) for each in ours] == [_timeless(each) for each in wanted]


def _timeless(found: Any) -> Any:
    new = {"id", "timestamp"} if found["type"] == "label" else set()
    return {name: value for name, value in found.items() if name not in new}
