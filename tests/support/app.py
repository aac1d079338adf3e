"""The whole daemon in this process, on real pipes, with a home directory of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from sessiond.daemon import build, connect, serve, serve_client
from sessiond.methods.client import Client as Served
from sessiond.runtime.config import ClientConfig, Config, EngineConfig
from sessiond.sessions.engine import Engine
from support.client import Client, connected


@asynccontextmanager
async def daemon(
    home: Path, *, env: Mapping[str, str] | None = None, framing: str = "header", **options: Any
) -> AsyncIterator[Client]:
    """A client of a daemon with these options of the command line (names of Config)."""
    served = build(Config(**options), {"HOME": str(home), **(env or {})})
    async with _connected(served, serve, framing) as client:
        yield client


@asynccontextmanager
async def engine(home: Path, **options: Any) -> AsyncIterator[Engine]:
    """An engine without clients, with these settings (names of EngineConfig)."""
    made = Engine(EngineConfig(**options), {"HOME": str(home)})
    try:
        yield made
    finally:
        await made.close()


@asynccontextmanager
async def client_of(
    made: Engine, env: Mapping[str, str], *, framing: str = "header", **options: Any
) -> AsyncIterator[Client]:
    """A client of an engine, with its own environment and settings (names of ClientConfig)."""
    served = connect(made, ClientConfig(**options), env)
    async with _connected(served, serve_client, framing) as client:
        yield client


def _connected(
    served: Served, serving: Callable[[Served, int, int], Awaitable[int]], framing: str
) -> AbstractAsyncContextManager[Client]:
    class Server:
        async def serve(self, input_fd: int, output_fd: int) -> int:
            return await serving(served, input_fd, output_fd)

    return connected(Server(), framing)  # type: ignore[arg-type]


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


USAGE: dict[str, Any] = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 3}
USAGE |= {"cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}}


def assistant(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    by = {"provider": "p", "model": "m", "usage": USAGE}
    return {"role": "assistant", "content": content, **by, **more}


def lines_of(path: str | Path) -> list[bytes]:
    return Path(path).read_bytes().splitlines()
