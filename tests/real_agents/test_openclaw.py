"""OpenClaw 2026.2.21 and sessiond work on the same store and transcript.

Its embedded agent (`openclaw agent --local`) reads and writes them as its gateway does; of later
versions nothing is run here.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from reference.pi import node
from support.beside_agents import Ear, asked, said, spoken
from support.model_server import ModelServer
from support.process import Daemon

from real_agents.openclaw_home import answer, configure
from real_agents.where import installed

PROGRAM = installed("openclaw-2026.2.21", "openclaw") / "openclaw.mjs"
KEY = "agent:main:main"
pytestmark = [
    pytest.mark.node,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not PROGRAM.exists(), reason="OpenClaw 2026.2.21 is not installed"),
]


@attrs.frozen
class OpenClaw:
    home: Path
    model: ModelServer

    @property
    def store(self) -> Path:
        return self.home / ".openclaw" / "agents" / "main" / "sessions" / "sessions.json"

    def run(self, *arguments: str) -> Any:
        """Return the answer of one of its commands with `--json`."""
        return answer(self.home, node() or "node", PROGRAM, *arguments)

    def turn(self, text: str) -> str:
        """Run a turn of the main conversation and return the agent's answer."""
        run = self.run("agent", "--local", "--agent", "main", "--message", text)
        said: str = run["payloads"][0]["text"]
        return said


@pytest.fixture
def openclaw(tmp_path: Path) -> Iterator[OpenClaw]:
    with ModelServer() as model:
        made = OpenClaw(tmp_path, model)
        configure(tmp_path, model.url)
        yield made


def test_a_gateway_and_sessiond_share_a_conversation(openclaw: OpenClaw) -> None:
    with Daemon(openclaw.home, "--profile", "openclaw", framing="header") as daemon:
        daemon.request("gateway/subscribe")
        assert openclaw.turn("hello") == "heard: hello"
        told = daemon.notification("gateway/didChange")
        assert KEY in [change["sessionKey"] for change in told["changes"]]
        transcript = daemon.request("gateway/get", sessionKey=KEY)["entry"]["sessionFile"]
        ear = Ear(daemon, transcript)
        assert openclaw.turn("run printf 'one\\ntwo'") == "ran: one\ntwo"
        ear.hear([entry["id"] for entry in ear.lines()])
        assert ear.ask("getEntries")["entries"] == ear.lines()
        listed(openclaw, daemon)

        ear.ask("appendMessage", message=asked("said to sessiond"))
        ear.ask("appendMessage", message=said("and answered"))
        planned = spoken(daemon.request("context/toLlm", session=ear.session)["messages"])
        assert planned[-2:] == [("user", "said to sessiond"), ("assistant", "and answered")]
        assert openclaw.turn("next") == "heard: next"
        sent = [text for role, text in spoken(openclaw.model.last) if role == "user"]
        assert sent == [*(text for role, text in planned if role == "user"), "next"]
        assert ear.ask("getEntries")["entries"] == ear.lines()


def listed(openclaw: OpenClaw, daemon: Daemon) -> None:
    """Both list the same conversation with the same counts."""
    (theirs,) = openclaw.run("sessions")["sessions"]
    (ours,) = daemon.request("gateway/list")["sessions"]
    names = ("key", "sessionId", "updatedAt", "totalTokens", "model", "modelProvider")
    assert {name: ours[name] for name in names} == {name: theirs[name] for name in names}


def test_patches_during_a_turn_are_kept(openclaw: OpenClaw) -> None:
    """Both write the store while a turn runs, and neither loses what the other wrote."""
    assert openclaw.turn("hello") == "heard: hello"
    before = json.loads(openclaw.store.read_text())[KEY]
    with Daemon(openclaw.home, "--profile", "openclaw", framing="header") as daemon:
        turn = threading.Thread(target=openclaw.turn, args=("go on",))
        turn.start()
        count = 0
        while turn.is_alive():
            daemon.request("gateway/patch", key=f"agent:main:other{count % 20}", label=f"l{count}")
            count += 1
        turn.join()
    after = json.loads(openclaw.store.read_text())
    assert count > 20
    for number in range(20):
        latest = max(n for n in range(count) if n % 20 == number)
        assert after[f"agent:main:other{number}"]["label"] == f"l{latest}"
    assert after[KEY]["sessionId"] == before["sessionId"]
    assert after[KEY]["updatedAt"] > before["updatedAt"]
