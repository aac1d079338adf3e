"""sessiond beside running gateways of OpenClaw, which keep their sessions in SQLite.

`SESSIOND_MINUTES` is how long the mixed load lasts; half a minute by default.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from support.beside_agents import spoken
from support.model_server import ModelServer
from support.process import Daemon, isolated_environment

from real_agents.openclaw_home import answer, configure
from real_agents.where import ROOT, installed

NEWEST = "2026.9.6"
VERSIONS = (NEWEST, "2026.8.1")
NODE = next(
    iter((ROOT / f"openclaw-{NEWEST}" / "node_modules").glob("node-*/bin/node")), Path("node")
)
KEY = "agent:main:main"
START_SECONDS = 180
MINUTES = float(os.environ.get("SESSIOND_MINUTES", "0.5"))
REFUSED = ("SQLITE_BUSY", "database is locked", "SQLITE_LOCKED")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.node,
    pytest.mark.timeout(1200),
]


@attrs.define(eq=False)
class Gateway:
    """A gateway that answers over HTTP, and OpenClaw's commands."""

    home: Path
    model: ModelServer
    port: int
    version: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def program(self) -> Path:
        return installed(f"openclaw-{self.version}", "openclaw") / "openclaw.mjs"

    @property
    def log(self) -> Path:
        return self.home / "gateway.log"

    @property
    def database(self) -> Path:
        return self.home / ".openclaw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"

    def configure(self) -> None:
        gateway = {
            "mode": "local",
            "bind": "loopback",
            "port": self.port,
            "auth": {"mode": "token", "token": "token"},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        }
        configure(self.home, self.model.url, gateway=gateway)

    def start(self) -> None:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(NODE), str(self.program), "gateway", "run"],
                env=isolated_environment(self.home),
                cwd=self.home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + START_SECONDS
        while not self.log.read_bytes().count(b"[gateway] ready"):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.2)

    def stop(self) -> None:
        """End the gateway and the processes that it started."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(60)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def turn(self, text: str, key: str = KEY) -> str:
        """Run a turn and return the agent's answer."""
        message = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        headers = {
            "authorization": "Bearer token",
            "content-type": "application/json",
            "x-openclaw-session-key": key,
        }
        url = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=300) as answered:  # noqa: S310
            said: str = json.load(answered)["choices"][0]["message"]["content"]
        return said

    def sessions(self) -> list[dict[str, Any]]:
        """What `openclaw sessions` lists of all agents."""
        command = ("sessions", "--all-agents", "--limit", "all")
        found = answer(self.home, str(NODE), self.program, *command)
        listed: list[dict[str, Any]] = found["sessions"]
        return listed


@pytest.fixture(scope="module", params=VERSIONS)
def gateway(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Gateway]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ModelServer() as model:
        made = Gateway(tmp_path_factory.mktemp("openclaw"), model, port, request.param)
        if not made.program.exists():
            pytest.skip(f"OpenClaw {request.param} is not installed")
        made.configure()
        try:
            made.start()
            yield made
        finally:
            made.stop()


def test_what_both_list_agrees_member_by_member(gateway: Gateway) -> None:
    gateway.turn("hello")
    gateway.turn("in another", "agent:main:other")
    gateway.turn("in a group", "agent:main:telegram:group:-1001")
    with Daemon(gateway.home, "--profile", "openclaw", framing="header") as daemon:
        ours = {row["key"]: row for row in daemon.request("gateway/list")["sessions"]}
    theirs = {row["key"]: row for row in gateway.sessions()}
    assert ours.keys() == theirs.keys()
    for key, row in ours.items():
        both = row.keys() & theirs[key].keys()
        assert both >= {"sessionId", "updatedAt", "kind", "totalTokens", "model", "modelProvider"}
        assert {name: row[name] for name in both} == {name: theirs[key][name] for name in both}


def test_a_conversation_is_followed_while_it_is_held(gateway: Gateway) -> None:
    gateway.turn("hello")
    with Daemon(gateway.home, "--profile", "openclaw", framing="header") as daemon:
        daemon.request("gateway/subscribe")
        path = daemon.request("gateway/get", sessionKey=KEY)["transcript"]
        state = daemon.request("session/open", path=path, readOnly=True, follow=True)
        waiting = threading.Thread(target=gateway.turn, args=("run printf 'one\\ntwo'",))
        waiting.start()
        told = daemon.notification("session/didChange")
        # The message of the user is told before the turn has ended.
        assert told["kind"] == "appended"
        assert waiting.is_alive()
        waiting.join()
        assert KEY in [
            change["sessionKey"] for change in daemon.notification("gateway/didChange")["changes"]
        ]
        context = daemon.request("session/buildSessionContext", session=state["session"])
    said = spoken(context["messages"])
    assert [text for role, text in said if role == "user"][-1] == "run printf 'one\\ntwo'"


def test_neither_refuses_the_other_under_mixed_load(gateway: Gateway) -> None:
    until = time.monotonic() + MINUTES * 60
    failed: list[BaseException] = []

    def talk(number: int) -> None:
        count = 0
        while time.monotonic() < until:
            count += 1
            try:
                gateway.turn(
                    f"turn {count} " + "long " * (300 * (count % 2)), f"agent:main:l{number}"
                )
            except (urllib.error.URLError, TimeoutError) as error:
                failed.append(error)

    for number in (1, 2):
        gateway.turn("begin", f"agent:main:l{number}")
    talking = [threading.Thread(target=talk, args=(number,)) for number in (1, 2)]
    with Daemon(gateway.home, "--profile", "openclaw", framing="header") as daemon:
        found = daemon.request("gateway/get", sessionKey="agent:main:l1")["entry"]
        transcript = f"{gateway.database}/{found['sessionId']}.jsonl"
        state = daemon.request("session/open", path=transcript, readOnly=True)
        daemon.request("gateway/subscribe")
        daemon.request("catalog/subscribe")
        for thread in talking:
            thread.start()
        while time.monotonic() < until:
            daemon.request("session/listAll")
            daemon.request("gateway/list", includeDerivedTitles=True, includeLastMessage=True)
            daemon.request("catalog/search", query="long")
            daemon.request("session/buildSessionContext", session=state["session"])
            daemon.request("catalog/usage", by="session")
        for thread in talking:
            thread.join()
        shown = daemon.request("session/getEntries", session=state["session"])["entries"]
    assert not failed
    assert len(shown) > state["entryCount"]
    log = gateway.log.read_text()
    assert not [refusal for refusal in REFUSED if refusal in log]
