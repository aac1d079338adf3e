"""pi itself, with a test model: sessiond reports its changes, and pi reads those of sessiond."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from reference.agent import Agent, Home
from reference.pi import missing
from support.beside_agents import Ear, asked, said, spoken
from support.model_server import ModelServer, text_of
from support.process import DEADLINE, Daemon

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(missing() is not None, reason=str(missing())),
    pytest.mark.timeout(180),  # agents start slowly on a busy machine
]

KEEP_LITTLE = {"enabled": False, "reserveTokens": 16_384, "keepRecentTokens": 20}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, model: ModelServer) -> Home:
    # Without retries an error is one message; compactions happen when the test asks for one.
    return Home.make(tmp_path / "home", model.url, retry={"enabled": False}, compaction=KEEP_LITTLE)


@pytest.fixture
def daemon(home: Home) -> Iterator[Daemon]:
    with Daemon(home.path, framing="header") as process:
        yield process


def prompt(text: str) -> Callable[[Agent, ModelServer], None]:
    return lambda agent, _: agent.prompt(text)


def call(command: str, /, **members: Any) -> Callable[[Agent, ModelServer], None]:
    return lambda agent, _: agent.call(command, **members)


def abort(agent: Agent, model: ModelServer) -> None:
    agent.call("prompt", message="wait")
    assert model.waiting.wait(DEADLINE)
    agent.call("abort")
    agent.until("agent_settled")


STEPS = {
    "an answer": prompt("hello again"),
    "a call of a tool": prompt("run printf 'one\\ntwo' > made; cat made"),
    "an error": prompt("refuse"),
    "an abort": abort,
    "an answer after them": prompt("go on"),
    "line separators and emoji": prompt("a \u2028 b \u2029 c 😀 \x85 d"),
    "a name": call("set_session_name", name="Named by pi"),
    "a command of the user": call("bash", command="echo out"),
    "a compaction": call("compact"),
    "an answer after the compaction": prompt("and now?"),
    "another compaction": call("compact", customInstructions="the files"),
    "a level of thinking": call("set_thinking_level", level="off"),
    "the end": prompt("goodbye"),
}


def agent_s_entries(agent: Agent) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = agent.call("get_entries")["entries"]
    return entries


def test_all_changes_by_an_agent_are_notified_and_read_as_in_the_agent(
    home: Home, model: ModelServer, daemon: Daemon
) -> None:
    daemon.request("catalog/subscribe")
    with Agent(home) as agent:
        agent.prompt("hello")
        path = agent.call("get_state")["sessionFile"]
        assert changed_files(daemon, until=path)
        ear = Ear(daemon, path)
        for name, step in STEPS.items():
            before = len(ear.ids)
            step(agent, model)
            entries = agent_s_entries(agent)
            assert len(entries) > before or name == "a level of thinking", name
            ear.hear([entry["id"] for entry in entries])
            assert ear.ask("getEntries")["entries"] == entries, name
            context = ear.ask("buildSessionContext")
            assert context["messages"] == agent.call("get_messages")["messages"], name
        roles = [entry["message"]["role"] for entry in entries if entry["type"] == "message"]
        assert {"system", "user", "assistant", "toolResult", "bashExecution"} <= set(roles)
        reasons = {entry.get("message", {}).get("stopReason") for entry in entries}
        assert {"stop", "toolUse", "error", "aborted"} <= reasons
        assert [entry["type"] for entry in entries].count("compaction") == 2
        assert ear.ask("getState")["name"] == "Named by pi"

        before = Path(path).read_bytes()
        question = agent.call("get_fork_messages")["messages"][1]["entryId"]
        agent.call("fork", entryId=question)
        agent.prompt("another way")
        fork = agent.call("get_state")["sessionFile"]
        assert changed_files(daemon, until=fork)
        opened = Ear(daemon, fork)
        assert opened.ask("getEntries")["entries"] == agent_s_entries(agent)
        assert opened.ask("getHeader")["header"]["parentSession"] == path
        assert Path(path).read_bytes() == before
    listed = daemon.request("session/list", cwd=str(home.work))["sessions"]
    assert {info["path"] for info in listed} == {path, fork}


def changed_files(daemon: Daemon, until: str) -> set[str]:
    """Files that the catalogue reported, up to the expected one."""
    found: set[str] = set()
    while until not in found:
        told = daemon.notification("catalog/didChange")
        found |= {change["path"] for change in told["changes"]}
    return found


def begun_by_pi(home: Home, daemon: Daemon) -> str:
    assert home.ask("hello") == "heard: hello"
    (info,) = daemon.request("session/list", cwd=str(home.work))["sessions"]
    assert (info["messageCount"], info["firstMessage"]) == (3, "hello")
    path: str = info["path"]
    return path


def begun_by_sessiond(home: Home, daemon: Daemon) -> str:
    state = daemon.request("session/create", cwd=str(home.work))
    for message in (asked("hello"), said("heard: hello")):
        daemon.request("session/appendMessage", session=state["session"], message=message)
    path: str = state["sessionFile"]
    return path


@pytest.mark.parametrize("begin", [begun_by_pi, begun_by_sessiond])
def test_an_agent_continues_a_session_that_sessiond_wrote(
    begin: Callable[[Home, Daemon], str], home: Home, model: ModelServer, daemon: Daemon
) -> None:
    path = begin(home, daemon)
    ear = Ear(daemon, path)
    session = {"session": ear.session}

    def goes_on(text: str, expected: list[tuple[str, str]]) -> None:
        """pi's next request has the expected content, which is that of the daemon's answer."""
        planned = daemon.request("context/toLlm", **session)["messages"]
        leaf = ear.ask("getLeafId")["leafId"]
        assert home.ask(text, "--session", path) == f"heard: {text}"
        assert spoken(model.last) == [*expected, ("user", text)]
        assert spoken(planned) == expected
        lines = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
        added = [entry for entry in lines if entry.get("parentId") == leaf]
        assert added, "pi did not go on below the leaf"
        assert ear.ask("getEntries")["entries"] == lines[1:]

    edited = ear.ask("appendMessage", message=asked("more of it"))["id"]
    ear.ask("appendMessage", message=said("as you wish"))
    replacement = {"content": "less of it"}
    ear.ask("appendContextEdit", targetId=edited, replacement=replacement)
    ear.ask("appendSessionInfo", name="Named by sessiond")
    before = [("user", "hello"), ("assistant", "heard: hello")]
    before += [("user", "less of it"), ("assistant", "as you wish")]
    goes_on("first", before)

    # The last answer weighs 3 tokens: it is kept, and its question belongs to what is summarised.
    keep = {"keepRecentTokens": 3}
    plan = daemon.request("context/prepareCompaction", **session, settings=keep)
    preparation = plan["preparation"]
    assert preparation["isSplitTurn"]
    made = {"historySummary": "What was said", "prefixSummary": "How it began"}
    daemon.request("context/finishCompaction", **session, preparation=preparation, **made)
    messages = daemon.request("context/toLlm", **session)["messages"]
    (_, summary), (_, kept) = spoken(messages)
    assert summary.index("What was said") < summary.index("How it began")
    assert kept == "heard: first"
    goes_on("second", [("user", summary), ("assistant", kept)])

    ear.ask("branchWithSummary", entryId=edited, summary="A way that was left")
    messages = daemon.request("context/toLlm", **session)["messages"]
    last = text_of(messages[-1])
    assert "A way that was left" in last
    # The edit was made on the other branch.
    goes_on("third", [*before[:2], ("user", "more of it"), ("user", last)])
