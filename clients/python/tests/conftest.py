from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from sessiond_client import Sessiond, blocking

DAEMON = os.environ.setdefault("SESSIOND", str(Path(sys.executable).with_name("sessiond")))
FAKE = Path(__file__).with_name("fake_daemon.py")
PROXY = Path(__file__).parents[3] / "tests/two_clients/proxy.py"
OTHER_VERSION = PROXY.with_name("other_version.py")


@pytest.fixture
def agent_dir(tmp_path, monkeypatch):
    """An empty agent directory for the daemon that the test starts."""
    monkeypatch.setenv("SESSIOND_AGENT_DIR", str(tmp_path / "agent"))
    return tmp_path / "agent"


@pytest.fixture
async def client(agent_dir):
    async with Sessiond() as client:
        yield client


@pytest.fixture
def blocked(agent_dir):
    with blocking.Sessiond() as client:
        yield client


@pytest.fixture
async def fake(tmp_path):
    """A client of the scripted daemon; see fake_daemon.py."""
    async with Sessiond(sys.executable, arguments=[str(FAKE), str(tmp_path / "log")]) as client:
        yield client


@pytest.fixture
async def interrupted(agent_dir, tmp_path):
    """Make clients that receive a change right behind each answer to a method; see proxy.py."""
    async with AsyncExitStack() as clients:

        async def start(method: str) -> Sessiond:
            arguments = [
                str(PROXY),
                str(tmp_path / "log"),
                "-",
                method,
                "change",
                "0",
                "--",
                DAEMON,
            ]
            return await clients.enter_async_context(Sessiond(sys.executable, arguments=arguments))

        yield start


def crashing(method: str, moment: str, tmp_path: Path) -> Sessiond:
    """Return a client whose daemon crashes once, `before` or `after` a method; see proxy.py."""
    arguments = [PROXY, tmp_path / "log", tmp_path / "fuse", method, moment, "1"]
    command = [*map(str, arguments), "--", DAEMON]
    return Sessiond(sys.executable, arguments=command)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that happens in another process."""
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text, "timestamp": 1733234567891}


def assistant(text: str) -> dict[str, object]:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
    return {
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "api": "anthropic-messages",
        "provider": "p",
        "model": "m",
        "usage": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "cost": cost},
        "stopReason": "stop",
        "timestamp": 1733234567892,
    }


async def crash(client: Sessiond) -> int:
    """Kill the daemon; returns its process id."""
    pid = await client.pid()
    os.kill(pid, 9)
    return pid
