"""Report the progress of work in a worker thread."""

from __future__ import annotations

import asyncio
import time

from sessiond.mcp.server import PROGRESS_SECONDS, McpRequest


class WorkerProgress:
    """Called in a worker with numbers done and in all; each time they begin again counts on."""

    def __init__(self, request: McpRequest, message: str) -> None:
        self._request = request
        self._message = message
        self._loop = asyncio.get_running_loop()
        self._before = self._done = 0
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        if done < self._done:
            self._before += self._done
        self._done = done
        now = time.monotonic()
        # Also here, so that many small steps do not wake the event loop.
        if self._request.token is None or now < self._next:
            return
        self._next = now + PROGRESS_SECONDS
        self._loop.call_soon_threadsafe(
            self._request.progress, self._before + done, self._before + total, self._message
        )
