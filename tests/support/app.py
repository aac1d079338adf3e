"""The whole daemon in this process, on real pipes, with a home directory of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sessiond.config import Config
from sessiond.daemon import build, serve
from support.client import Client, connected


@asynccontextmanager
async def daemon(
    home: Path, *, env: Mapping[str, str] | None = None, framing: str = "header", **options: Any
) -> AsyncIterator[Client]:
    """A client of a daemon with these options of the command line (names of Config)."""
    app = build(Config(**options), {"HOME": str(home), **(env or {})})

    class Served:
        async def serve(self, input_fd: int, output_fd: int) -> int:
            return await serve(app, input_fd, output_fd)

    async with connected(Served(), framing) as client:  # type: ignore[arg-type]
        yield client


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def assistant(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"role": "assistant", "content": content, "provider": "p", "model": "m", **more}


def lines_of(path: str | Path) -> list[bytes]:
    return Path(path).read_bytes().splitlines()
