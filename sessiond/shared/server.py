"""Run a shared daemon: take connections, and end after some time without any."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import resource
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sessiond import __version__
from sessiond.runtime.config import Config
from sessiond.runtime.processes import prepare_process, resident_bytes
from sessiond.sessions.engine import Engine
from sessiond.shared import connection as connections
from sessiond.shared.connection import FrontConnection
from sessiond.shared.connection_logs import Logs
from sessiond.shared.front import sight, wire
from sessiond.shared.front.place import Place

_PAUSE_SECONDS = 0.1

_CHECK_SECONDS = 5.0
"""How often a daemon examines whether its socket is still there."""

logger = logging.getLogger(__name__)


Parse = Callable[[Sequence[str], Mapping[str, str]], Config]
"""Reads the command line and environment of a connection. Raises WrongUsage."""


class WrongUsage(Exception):
    """The command line cannot be read; the text explains it as the command itself would."""


class SharedDaemon:
    """Serves fronts over one engine.

    `lock` is the descriptor of the locked file: while it is open no other daemon is started here.
    `idle_seconds`: how long it stays without connections.
    """

    def __init__(
        self, place: Place, listener: socket.socket, lock: int, parse: Parse, idle_seconds: float
    ) -> None:
        self._place = place
        self._listener = listener
        self._lock: int | None = lock
        self._file = _identity(place.socket)
        self._parse = parse
        self._idle_seconds = idle_seconds
        self._logs = Logs(place.log)
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections: set[FrontConnection] = set()
        self._stopping = asyncio.Event()
        self._idle: asyncio.TimerHandle | None = None
        self._check: asyncio.TimerHandle | None = None
        self._engine: Engine | None = None

    async def run(self) -> None:
        """Serve until it is idle for long enough, or until a signal or a request ends it."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        self._listener.setblocking(False)
        self._listen()
        self._wait_idle()
        self._check_later()
        logger.info("Sharing as process %d at %s", os.getpid(), self._place.socket)
        try:
            await self._stopping.wait()
        finally:
            self._retire()
            await self._finish()
            if self._engine is not None:
                await self._engine.close()
        logger.info("Ended")

    def _listen(self) -> None:
        if self._lock is not None:
            asyncio.get_running_loop().add_reader(self._listener, self._take)

    def _take(self) -> None:
        """Accept what has arrived."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                taken, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                # Too many open files, most likely: look again when some may have been closed.
                logger.warning("Cannot take a connection: %s", error)
                loop.remove_reader(self._listener)
                loop.call_later(_PAUSE_SECONDS, self._listen)
                return
            taken.setblocking(False)
            task = asyncio.create_task(self._serve(taken))
            self._tasks.add(task)
            task.add_done_callback(self._done)
            self._wait_idle()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._wait_idle()

    async def _serve(self, taken: socket.socket) -> None:
        connection = await connections.greeted(taken)
        if connection is None:
            return
        self._connections.add(connection)
        try:
            await self._answer(connection)
        except OSError as error:
            logger.info("Process %d is gone: %s", connection.greeting.pid, error)
        except Exception:
            # A fault in one connection ends that one only.
            logger.exception("The connection of process %d failed", connection.greeting.pid)
        finally:
            self._connections.discard(connection)
            connection.close()

    async def _answer(self, connection: FrontConnection) -> None:
        greeting = connection.greeting
        if greeting.wish in (wire.STATUS, wire.END):
            await connection.tell(wire.ANSWER, json.dumps(self._status()))
            if greeting.wish == wire.END:
                logger.info("Process %d asks for the end", greeting.pid)
                self._stopping.set()
        elif greeting.agreement != self._place.agreement:
            await connection.tell(wire.REFUSED, "the running daemon has other settings")
        elif not sight.may_look(wire.peer_process(connection.socket)):
            await connection.tell(wire.REFUSED, "the running daemon is in another sandbox")
        else:
            greeting.env["PWD"] = greeting.directory
            try:
                config = self._parse(greeting.arguments, greeting.env)
            except WrongUsage as error:
                await connections.end(connection, 2, str(error))
            else:
                engine = self._engine_for(config, greeting.env)
                await connections.serve(connection, config, engine, self._logs)

    def _engine_for(self, config: Config, env: Mapping[str, str]) -> Engine:
        """Return the engine, made for the first client; all clients agree on its settings."""
        if self._engine is None:
            self._engine = Engine(config, env)
            self._engine.connections = self._serving
        return self._engine

    def _serving(self) -> int:
        return sum(1 for each in self._connections if each.client is not None)

    def _wait_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if not self._tasks:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._idle_seconds, self._leave)

    def _leave(self) -> None:
        logger.info("Idle for %g s", self._idle_seconds)
        self._stopping.set()

    def _check_later(self) -> None:
        self._check = asyncio.get_running_loop().call_later(_CHECK_SECONDS, self._check_socket)

    def _check_socket(self) -> None:
        """Let another daemon start if the socket was removed, for example with its directory.

        No front would find this daemon any more, and its lock would keep them from starting one.
        """
        if _identity(self._place.socket) == self._file:
            self._check_later()
            return
        logger.warning("%s was removed: ending with the last client", self._place.socket)
        self._retire()
        self._idle_seconds = 0
        self._wait_idle()

    def _retire(self) -> None:
        """Take no more fronts; those that have connected before are served until they end.

        First the name goes, so that no further front can connect. Then the lock, so that the next
        one starts another daemon. Then those who had connected before are taken.
        """
        for timer in (self._idle, self._check):
            if timer is not None:
                timer.cancel()
        if self._lock is None:
            return
        # Not that of another daemon, which was started because this one's was removed.
        if _identity(self._place.socket) == self._file:
            try:
                os.unlink(self._place.socket)
            except OSError as error:
                logger.warning("%s: %s", self._place.socket, error)
        os.close(self._lock)
        self._lock = None
        self._take()
        asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()

    async def _finish(self) -> None:
        for connection in self._connections:
            if connection.client is not None:
                connection.client.stop(0)
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _status(self) -> dict[str, Any]:
        """Describe the daemon and its connections; sizes in bytes, times in milliseconds."""
        now = asyncio.get_running_loop().time()
        engine = self._engine
        cache = engine.documents.stats() if engine else None
        return {
            "version": __version__,
            "pid": os.getpid(),
            "socket": self._place.socket,
            "log": self._place.log,
            "uptimeMs": int((time.monotonic() - engine.started) * 1000) if engine else 0,
            "memoryBytes": resident_bytes(),
            "documents": cache.documents if cache else 0,
            "cacheBytes": cache.bytes if cache else 0,
            "connections": [
                {
                    "pid": connections.greeting.pid,
                    "cwd": connections.greeting.directory,
                    "profile": connections.client.directories.agent.name,
                    "client": connections.client.name,
                    "openSessions": len(connections.client.sessions),
                    "connectedMs": int((now - connections.since) * 1000),
                }
                for connections in self._connections
                if connections.client is not None
            ],
        }


def _identity(path: str) -> tuple[int, ...] | None:
    """Return what tells a file from others that had or get its name; None if there is none."""
    try:
        state = os.lstat(path)
    except OSError:
        return None
    # The number of an inode is soon used again.
    return state.st_dev, state.st_ino, state.st_mtime_ns


def _allow_all_descriptors() -> None:
    """Raise the number of open files to what the system allows: every connection needs four."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run(words: Sequence[str], parse: Parse) -> int:
    """Run a daemon that a front has started; `words` are those that `front.main` gives."""
    lock, listening, directory, idle = int(words[0]), int(words[1]), words[2], float(words[3])
    for descriptor in (lock, listening):
        os.set_inheritable(descriptor, False)
    os.umask(0o077)
    _allow_all_descriptors()
    place = Place(directory, os.environ.pop("SESSIOND_SHARED_AGREEMENT"))
    prepare_process()

    async def main() -> None:
        listener = socket.socket(fileno=listening)
        await SharedDaemon(place, listener, lock, parse, idle).run()

    asyncio.run(main())
    return 0
