"""One process of the daemon, with requests and answers over its pipes."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import shutil
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sessiond_client.encoding import encode
from sessiond_client.exact import Json, members, parse
from sessiond_client.failures import DaemonMissing, ErrorAnswer, SessiondError
from sessiond_client.framing import FramingError, framed, read_body
from sessiond_client.generated.errors import CODES, KINDS

logger = logging.getLogger("sessiond_client")
daemon_logger = logging.getLogger("sessiond_client.daemon")

_READ_BYTES = 1024 * 1024
_WORDS_KEPT = 20


class ConnectionLost(SessiondError):
    """The process ended. It is unknown whether requests in flight were carried out."""


@dataclass(frozen=True)
class _Waiting:
    answer: asyncio.Future[Any]
    accept: Callable[[bytes], Any]
    abandoned: Callable[[Any], None] | None


def find(path: str | None, environment: Mapping[str, str]) -> str:
    """Return the program to start.

    That is `path`, else the variable `SESSIOND`, else the one that is installed beside this Python,
    else the one on PATH. Raises `DaemonMissing`.
    """
    named = path or environment.get("SESSIOND")
    # Not resolved: the Python of a virtual environment is a link to that of the system.
    beside = None if named else shutil.which("sessiond", path=os.path.dirname(sys.executable))
    wanted = named or "sessiond"
    program = beside or shutil.which(wanted, path=environment.get("PATH"))
    if program is None:
        raise DaemonMissing(
            f"{wanted}: there is no such program. Install sessiond (`pip install .` in a checkout"
            " of it), or name the program with the environment variable SESSIOND or the argument"
            " `path`."
        )
    return program


class Connection:
    """A running daemon. Create it with `start`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        on_notification: Callable[[str, Json], None],
        on_lost: Callable[[Connection], None],
    ) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("the process needs three pipes")
        self._process = process
        self._input, self._output = process.stdin, process.stdout
        self._on_notification, self._on_lost = on_notification, on_lost
        self._ids = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._words: deque[str] = deque(maxlen=_WORDS_KEPT)
        self._tasks = [
            asyncio.create_task(self._read()),
            asyncio.create_task(self._read_words(process.stderr)),
        ]
        self.lost = False
        self._closing: asyncio.Task[None] | None = None
        self.cut = False
        """Whether the event loop ended before the process."""

    @classmethod
    async def start(
        cls,
        path: str | None,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        cwd: str | None = None,
        on_notification: Callable[[str, Json], None],
        on_lost: Callable[[Connection], None],
    ) -> Connection:
        """Start the daemon. Raises `DaemonMissing`."""
        program = find(path, os.environ if environment is None else environment)
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                cwd=cwd,
                limit=_READ_BYTES,
                # Ctrl-C in a terminal is for the program; the daemon ends with its input.
                start_new_session=True,
            )
        except OSError as error:
            raise DaemonMissing(f"{program} cannot be started: {error}") from error
        return cls(process, on_notification, on_lost)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def last_words(self) -> str:
        """The last lines that the process wrote to its standard error."""
        return "\n".join(self._words)

    async def request(
        self,
        method: str,
        params: bytes | None,
        accept: Callable[[bytes], Any] = bytes,
        abandoned: Callable[[Any], None] | None = None,
    ) -> Any:
        """Send a request, pass the JSON of its result to `accept`, and return its value.

        `accept` runs before any later message is handled. If the caller is cancelled, the request
        is cancelled, too. If it is answered nevertheless, `accept` runs and its value is passed to
        `abandoned`. Raises `ErrorAnswer`, `ConnectionLost`.
        """
        if self.lost:
            raise ConnectionLost("the daemon has ended")
        request_id = next(self._ids)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = _Waiting(answer, accept, abandoned)
        self._send(method, params, request_id)
        try:
            # Wait for the pipe, so that a caller in a loop cannot fill the memory.
            await self._drained()
            return await answer
        except asyncio.CancelledError:
            if request_id in self._waiting:
                self.notify("$/cancelRequest", b'{"id":%d}' % request_id)
            answer.cancel()
            raise

    def notify(self, method: str, params: bytes | None = None) -> None:
        """Send a notification. If the connection is lost, nothing happens."""
        self._send(method, params)

    async def close(self, patience: float) -> None:
        """Shut the process down. Kill it if it takes more than `patience` seconds."""
        with suppress(TimeoutError, ErrorAnswer, ConnectionLost):
            async with asyncio.timeout(patience):
                await self.request("shutdown", None)
                self.notify("exit")
                await self._process.wait()
        await self.ended(grace=0)

    def close_later(self, patience: float) -> None:
        """Shut the process down as `close` does, without a caller who waits for it."""
        if not self.lost:
            self._closing = asyncio.create_task(self.close(patience))

    async def wait(self) -> int:
        """Wait until the process ends by itself, and return its exit code."""
        code = await self._process.wait()
        await self.ended()
        return code

    async def ended(self, grace: float = 1.0) -> None:
        """Wait for the end of the process and of its pipes.

        Kill it after `grace` seconds, or if the caller is cancelled.
        """
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    # Killing a process that has ended would hide its exit code from asyncio.
                    await self._process.wait()
        finally:
            if self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
            self._input.close()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _send(self, method: str, params: bytes | None, request_id: int | None = None) -> None:
        parts = [b'{"jsonrpc":"2.0"']
        parts += [] if request_id is None else [b'"id":%d' % request_id]
        parts += [b'"method":' + encode(method)]
        parts += [] if params is None else [b'"params":' + params]
        if not self._input.is_closing():
            self._input.write(framed(b",".join(parts) + b"}"))

    async def _drained(self) -> None:
        # A broken pipe also ends the reading task, which handles it.
        with suppress(ConnectionError):
            await self._input.drain()

    async def _read(self) -> None:
        try:
            while (body := await read_body(self._output)) is not None:
                self._take(body)
        except (FramingError, OSError, ValueError, KeyError):
            logger.exception("the output of the daemon cannot be read")
        except asyncio.CancelledError:
            self.cut = True
            raise
        finally:
            self._lose()

    def _take(self, body: bytes) -> None:
        message = members(body)
        if "method" in message:
            try:
                self._on_notification(parse(message["method"]), message.get("params", b"{}"))
            except Exception as error:  # noqa: BLE001 - whatever was sent
                # One that does not fit is no reason to lose those that do.
                logger.warning("a notification is left out: %s: %.200r", error, body)
            return
        waiting = self._waiting.pop(parse(message.get("id", b"null")), None)
        if waiting is None:
            logger.warning("an answer to an unknown request: %.200r", body)
        elif "error" in message:
            if not waiting.answer.done():
                waiting.answer.set_exception(_error(message["error"]))
        else:
            self._accept(waiting, message["result"])

    def _accept(self, waiting: _Waiting, result: Json) -> None:
        try:
            value = waiting.accept(bytes(result))
        except Exception as error:  # noqa: BLE001 - raised in the caller
            if not waiting.answer.done():
                waiting.answer.set_exception(error)
            return
        if not waiting.answer.done():
            waiting.answer.set_result(value)
        elif waiting.abandoned is not None:
            waiting.abandoned(value)

    def _lose(self) -> None:
        self.lost = True
        self._input.close()
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(ConnectionLost("the daemon has ended"))
        self._waiting.clear()
        self._on_lost(self)

    async def _read_words(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stream.read(_READ_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._say(line)
        if rest:
            self._say(rest)

    def _say(self, line: bytes) -> None:
        text = line.decode(errors="replace")
        self._words.append(text)
        daemon_logger.info("%s", text)


def _error(text: Json) -> ErrorAnswer:
    error = parse(text)
    data = error.get("data")
    if not isinstance(data, dict):
        data = {}
    named = KINDS.get(str(data.get("kind")))
    kind = named or CODES.get(error["code"], ErrorAnswer)
    return kind(error["code"], error["message"], data)
