"""Older releases of pi (0.73.1 and 0.58.3) and sessiond work on the same sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from reference.agent import Agent, Home
from reference.pi import OLDER, Release, missing
from support.beside_agents import Ear, asked, said, spoken
from support.model_server import ModelServer
from support.process import Daemon

from real_agents.conversation import converse
from real_agents.where import installed

OLDEST = Release("0.58.3", str(installed("pi-0.58.3", "@mariozechner/pi-coding-agent")), OLDER.node)
RELEASES = [
    pytest.param(
        release,
        id=release.version,
        marks=pytest.mark.skipif(missing(release) is not None, reason=str(missing(release))),
    )
    for release in (OLDER, OLDEST)
]
pytestmark = [pytest.mark.node, pytest.mark.timeout(300)]


@pytest.mark.parametrize("release", RELEASES)
def test_an_older_agent_and_sessiond_work_on_one_session(release: Release, tmp_path: Path) -> None:
    with ModelServer() as model:
        compaction = {"enabled": False, "keepRecentTokens": 3}
        retry = {"enabled": False}
        home = Home.make(tmp_path / "home", model.url, release, retry=retry, compaction=compaction)
        with Daemon(home.path, framing="header") as daemon:
            assert home.ask("hello") == "heard: hello"
            (info,) = daemon.request("session/list", cwd=str(home.work))["sessions"]
            path = info["path"]
            ear = Ear(daemon, path)
            session = {"session": ear.session}
            with Agent(home, "--session", path) as agent:
                converse(agent, model)
            entries = ear.lines()
            ear.hear([entry["id"] for entry in entries])
            assert ear.ask("getEntries")["entries"] == entries
            kinds = [entry.get("message", {}).get("stopReason") for entry in entries]
            assert {"stop", "toolUse", "error", "aborted"} <= set(kinds)
            assert [entry["type"] for entry in entries].count("compaction") == 1

            ear.ask("appendMessage", message=asked("one more"))
            ear.ask("appendMessage", message=said("as you wish"))
            planned = spoken(daemon.request("context/toLlm", **session)["messages"])
            assert planned[-2:] == [("user", "one more"), ("assistant", "as you wish")]
            assert home.ask("next", "--session", path) == "heard: next"
            assert spoken(model.last) == [*planned, ("user", "next")]

            plan = daemon.request(
                "context/prepareCompaction", **session, settings={"keepRecentTokens": 3}
            )["preparation"]
            made = {"historySummary": "What was said", "prefixSummary": "How it began"}
            daemon.request("context/finishCompaction", **session, preparation=plan, **made)
            planned = spoken(daemon.request("context/toLlm", **session)["messages"])
            assert [role for role, _ in planned] == ["user", "assistant"]
            assert home.ask("last", "--session", path) == "heard: last"
            assert spoken(model.last) == [*planned, ("user", "last")]
            assert ear.ask("getEntries")["entries"] == ear.lines()
