"""The use of a store by commands, and by a daemon that makes sessions in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.app import daemon, user
from support.process import isolated_environment


def run(home: Path, url: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a store, and nobody at a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "sessiond", *words],
        env=isolated_environment(home, SESSIOND_STORE=url),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


async def create(home: Path, url: str, namespace: str) -> str:
    """The name of a new session with the message `needle`."""
    async with daemon(home, store=url, roots=[namespace]) as client:
        opened = await client.request("session/create", {"cwd": "/w"})
        params = {"session": opened["session"], "message": user("needle")}
        await client.request("session/appendMessage", params)
        path: str = opened["sessionFile"]
        return path
