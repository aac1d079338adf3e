"""Clients of shared daemons: each with a front of its own, in one home."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

from support.client import DEADLINE, Client, spawned
from support.process import isolated_environment

SESSIOND = [sys.executable, "-m", "sessiond"]


@attrs.define
class Home:
    """A home directory with its runtime directory, and the daemons that were seen there."""

    path: Path
    daemons: set[int] = attrs.field(factory=set)

    @property
    def sockets(self) -> Path:
        return self.path / "run" / "sessiond"

    def env(self, **more: str) -> dict[str, str]:
        runtime = self.path / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        return isolated_environment(self.path, XDG_RUNTIME_DIR=str(runtime), **more)

    @asynccontextmanager
    async def front(
        self,
        *options: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        shared: bool = True,
    ) -> AsyncIterator[Front]:
        """A client whose daemon is shared, or not if so wished, which has answered once."""
        command = [*SESSIOND, *(("--shared",) if shared else ()), *options]
        async with spawned(command, env={**self.env(), **(env or {})}, cwd=cwd) as (
            client,
            process,
        ):
            status = await client.request("daemon/status")
            if status["pid"] != process.pid:
                self.daemons.add(status["pid"])
            yield Front(client, process, status["pid"])


@attrs.frozen
class Front:
    """A client, its front, and the process that answers it."""

    client: Client
    process: asyncio.subprocess.Process
    daemon: int

    @property
    def is_shared(self) -> bool:
        return self.daemon != self.process.pid


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something outside this process has happened."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "Z"
