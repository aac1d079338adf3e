"""Check all answers of a daemon: no internal error, no missing answer, no slow small request."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
from sessiond_protocol.errors import INTERNAL_ERROR
from support.client import Client, RpcError, spawned
from support.process import isolated_environment

from torture.campaigns import Settings, Violation

SILENCE_SECONDS = 60.0
"""Maximum duration of a request."""
SMALL_REQUEST_SECONDS = 0.25
"""Maximum waiting time of a small request under any load."""
_PROBE_EVERY_SECONDS = 0.02


class Late(Violation):
    """A small request has waited too long."""


@attrs.define
class Watched:
    """A client of a daemon in another process."""

    client: Client
    pid: int
    requests: int = 0
    slowest: float = 0.0
    """Seconds that the slowest small request waited for the daemon."""

    async def ask(self, method: str, params: Any = None) -> Any:
        """Return the decoded result; raises RpcError, or Violation for a forbidden answer."""
        self.requests += 1
        answer = self.client.start(method, params)
        return result_of(await self.awaited(answer, method), (method, params))

    async def attempt(self, method: str, params: Any = None) -> Any:
        """Return the decoded result, or the RpcError if the daemon refuses."""
        try:
            return await self.ask(method, params)
        except RpcError as error:
            return error

    async def awaited(self, answer: asyncio.Future[Any], what: object = "") -> Any:
        """Return the whole answer to a request that was sent; raises Violation if there is none."""
        # Not `wait_for`, which loses a cancellation that comes together with the answer.
        if not (await asyncio.wait([answer], timeout=SILENCE_SECONDS))[0]:
            raise Violation(f"no answer within {SILENCE_SECONDS} s: {what}")
        return answer.result().value

    @asynccontextmanager
    async def probed(self, limit: float = SMALL_REQUEST_SECONDS) -> AsyncIterator[None]:
        """Send a small request every 20 ms in the block; raises Late if one waits too long."""
        probing = asyncio.create_task(self._probe(limit))
        try:
            yield
        finally:
            probing.cancel()
            results = await asyncio.gather(probing, return_exceptions=True)
        if isinstance(results[0], Violation):
            raise results[0]

    async def unhindered(self, work: Callable[[], Awaitable[None]]) -> None:
        """Call `work` while small requests are sent, and again if one of them waits too long.

        On a busy machine one may by chance. Raises Late if one does each of three times.
        """
        for is_last in (False, False, True):
            try:
                async with self.probed():
                    await work()
            except Late:
                if is_last:
                    raise
            else:
                return

    async def _probe(self, limit: float) -> None:
        while True:
            # Subtract time that the daemon is not responsible for: in which the machine ran other
            # processes, or this process decoded a large answer.
            spent = _waited(self.pid) + _waited(os.getpid()) + time.thread_time()
            began = time.perf_counter()
            await self.awaited(self.client.start("daemon/status"), "daemon/status")
            took = time.perf_counter() - began
            took -= _waited(self.pid) + _waited(os.getpid()) + time.thread_time() - spent
            self.slowest = max(self.slowest, took)
            if took > limit:
                raise Late(f"a small request waited {took * 1000:.0f} ms")
            await asyncio.sleep(_PROBE_EVERY_SECONDS)


def result_of(answer: Any, request: object) -> Any:
    """Return the result of an answer; raises RpcError, or Violation for an internal error."""
    if "error" not in answer:
        return answer["result"]
    if answer["error"]["code"] == INTERNAL_ERROR:
        raise Violation(f"internal error: {answer['error']} for {repr(request)[:2000]}")
    raise RpcError(answer["error"])


class _Tracebacks(logging.Handler):
    """Collects what is logged with a traceback."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.records.append(logging.Formatter().format(record))


@contextmanager
def no_tracebacks() -> Iterator[None]:
    """Raise Violation if a daemon in this process logs a traceback in the block."""
    handler = _Tracebacks()
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
    if handler.records:
        raise Violation(f"logged: {handler.records[0]}")


def expect_no_traceback(log: Path) -> None:
    """Raise Violation if this log of a daemon has a traceback."""
    text = log.read_text(errors="replace") if log.exists() else ""
    if "Traceback" in text:
        raise Violation(f"logged: {text[max(0, text.index('Traceback') - 500) :][:4000]}")


def _waited(pid: int) -> float:
    """Return the seconds for which threads of a process were ready to run but had no processor.

    Of all threads, because the one that holds the interpreter's lock keeps the others waiting.
    """
    waited = 0
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            waited += int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[1])
    return waited / 1e9


@asynccontextmanager
async def watched(
    settings: Settings,
    home: Path,
    *arguments: str,
    framing: str = "line",
    within: Sequence[str] = (),
    **env: str,
) -> AsyncIterator[Watched]:
    """Start a daemon with `home` as home directory, without the rights of root.

    `within` is a command that runs the command given to it in the same process.
    """
    command = [*within, *settings.unprivileged(sys.executable, "-m", "sessiond", *arguments)]
    environment = isolated_environment(home, **env)
    # A traceback is a fault, too, if the answer is none.
    with tempfile.NamedTemporaryFile() as log:
        streams: dict[str, Any] = {"stderr": log.file}
        async with spawned(command, framing, env=environment, cwd=home, **streams) as (
            client,
            process,
        ):
            yield Watched(client, process.pid)
        expect_no_traceback(Path(log.name))


def digest(paths: Sequence[Path]) -> dict[str, str]:
    """Return digests of kind, mode and content of everything below `paths`."""
    seen: dict[str, str] = {}
    for top in paths:
        for path in (top, *sorted(top.rglob("*"))):
            status = path.lstat()
            content = b""
            if path.is_symlink():
                content = os.fsencode(path.readlink())
            elif path.is_file():
                content = path.read_bytes()
            described = json.dumps([status.st_mode, status.st_nlink])
            seen[str(path)] = described + hashlib.sha256(content).hexdigest()
    return seen


def expect_unchanged(before: dict[str, str], paths: Sequence[Path], action: object) -> None:
    """Raise Violation if anything below `paths` differs from `before`, a `digest`."""
    now = digest(paths)
    if now != before:
        changed = sorted(name for name in {*now, *before} if now.get(name) != before.get(name))
        raise Violation(f"changed by {action}: {changed[:10]}")
