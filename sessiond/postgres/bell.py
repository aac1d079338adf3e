"""Tell other hosts of changes, and hear of theirs.

After its commits a host sends one notification for all sessions it has changed meanwhile, on a
connection that appends nothing: a notification inside their transactions would let only one of them
commit at a time. A bell only says which sessions to compare with the database, so a lost one costs
time and no entry, and a doubled one does nothing.

Every role of the database can hear notifications and send some. So they name sessions by digests,
under a seal that only `sessiond.ring` can make, with the time, and the database says which of them
this role may know.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import uuid
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from typing import Literal

import psycopg

from sessiond.postgres.database import Connection, Database
from sessiond.postgres.faults import reason_of
from sessiond.postgres.names import PREFIX, StoreName
from sessiond.runtime.errors import SessiondError

_CHANNEL = "sessiond"
_MOST_SESSIONS = 200
"""In one notification, of 37 bytes each; PostgreSQL's limit is 8000 bytes."""

_SHAPE = re.compile(r"[0-9a-f-]{36}(?: [0-9a-f-]{36})+ [0-9]{13} [0-9a-f]{64}")
"""A host, sessions, a time and a seal."""

_MOST_SEALS = 20_000
"""Seals that are remembered, so that a notification that anybody sends again is not looked up
again. One that is older than a minute counts no more for the database."""

_MOST_HEARD = 1000
"""Notifications that wait to be looked up; of more, the oldest are lost."""

_APART_SECONDS = 0.005
"""Pause between two bells of a host, which every other host has to hear."""

_ECHO_SECONDS = 3.0
"""A bell that is not heard back within this time is not delivered: there is a pooler between."""

_COMPARE_SECONDS = 60.0
_POLL_SECONDS = 1.0
_COMPARE_POLLING_SECONDS = 600.0
"""Polling misses only what was committed later than `_COMMIT_SECONDS` after it was written."""

_COMMIT_SECONDS = 30.0
_PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Bell:
    """Reports sessions that other hosts have changed; has the interface of a watcher.

    It connects when something is first watched. Whenever it has connected again, and once a minute,
    it reports everything that is watched, so that a lost bell is made up for. Where notifications
    do not arrive (a pooler in transaction mode) it asks every second which sessions have changed.
    """

    def __init__(self, database: Database, report: Callable[[Collection[str]], None]) -> None:
        self.mode: Literal["native", "polling", "off"] = "native"
        self.events = 0
        self._database = database
        self._report = report
        self._origin = uuid.uuid4()
        self._watched: Counter[str] = Counter()
        self._changed: dict[uuid.UUID, None] = {}
        self._heard: deque[str] = deque(maxlen=_MOST_HEARD)
        self._seals: dict[str, None] = {}
        self._listening: asyncio.Task[None] | None = None
        self._ringing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._echo = asyncio.Event()

    @property
    def directories(self) -> int:
        return len(self._watched)

    @property
    def untold(self) -> int:
        """How many changed sessions other hosts are still to hear of."""
        return len(self._changed)

    def names(self, path: str) -> list[str]:
        return [path]

    def watch(self, directory: str, *, recursive: bool = False) -> None:
        del recursive
        self._watched[directory] += 1
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())

    def unwatch(self, directory: str, *, recursive: bool = False) -> None:
        del recursive
        self._watched[directory] -= 1
        if self._watched[directory] <= 0:
            del self._watched[directory]

    def ring(self, name: StoreName) -> None:
        """Tell the other hosts that a session has changed; returns at once."""
        self._changed[name.session] = None
        if self._ringing is None:
            self._ringing = asyncio.create_task(self._ring())

    async def _ring(self) -> None:
        try:
            while self._changed:
                # What changes while a bell is sent goes into the next one.
                sessions, self._changed = list(self._changed), {}
                for start in range(0, len(sessions), _MOST_SESSIONS):
                    some = sessions[start : start + _MOST_SESSIONS]
                    await self._send("SELECT sessiond.ring(%s, %s)", self._origin, some)
                await asyncio.sleep(_APART_SECONDS)
        finally:
            self._ringing = None

    async def _send(self, statement: str, *values: object) -> None:
        try:
            await self._database.rows(PREFIX, statement, values)
        except SessiondError as error:
            _log.warning("Other hosts are not told of a change: %s", error)

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection = await self._database.connect(loop.time() + self._database.timeout)
                try:
                    await self._listen_on(connection)
                finally:
                    await connection.close()
            except psycopg.Error as error:
                _log.info("Cannot listen for changes: %s", reason_of(error))
            except (TimeoutError, SessiondError) as error:
                _log.info("Cannot listen for changes: %s", error)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _listen_on(self, connection: Connection) -> None:
        """Listen until the connection is lost. Raises psycopg.Error and TimeoutError."""
        async with asyncio.timeout(self._database.timeout):
            await connection.execute(f"LISTEN {_CHANNEL}".encode())
        comparing = asyncio.create_task(self._compare())
        try:
            await self._hear(connection)
        finally:
            comparing.cancel()
            await asyncio.wait([comparing])

    async def _hear(self, connection: Connection) -> None:
        async for notification in connection.notifies():
            if notification.payload.startswith(str(self._origin)):
                self._echo.set()
            elif self._is_new(notification.payload):
                self._heard.append(notification.payload)
                if self._looking is None:
                    self._looking = asyncio.create_task(self._look_up())
        raise psycopg.OperationalError("the connection was closed")

    def _is_new(self, payload: str) -> bool:
        """Whether this may be a bell that was not heard yet. Every role can send anything."""
        seal = payload[-64:]
        if not _SHAPE.fullmatch(payload) or seal in self._seals:
            return False
        self._seals[seal] = None
        if len(self._seals) > _MOST_SEALS:
            del self._seals[next(iter(self._seals))]
        return True

    async def _look_up(self) -> None:
        """Report the sessions that notifications are about, as far as they may be known."""
        try:
            while self._heard:
                payloads = list(self._heard)
                self._heard.clear()
                rows = await self._database.rows(
                    PREFIX, "SELECT * FROM sessiond.heard(%s)", (payloads,)
                )
                self.events += len(rows)
                self._tell(rows)
                await asyncio.sleep(_APART_SECONDS)
        except SessiondError as error:
            _log.warning("Changes by other hosts are noticed late: %s", error)
        finally:
            self._looking = None

    def _tell(self, rows: Sequence[tuple[str | None, str | None]]) -> None:
        names = [str(StoreName(space, key)) for space, key in rows if space and key]
        if len(names) < len(rows):
            self._report_all()
        elif names:
            self._report(names)

    async def _compare(self) -> None:
        """Report everything now, and regularly from then on."""
        self._echo.clear()
        self._report_all()
        await self._send("SELECT pg_notify(%s, %s)", _CHANNEL, str(self._origin))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ECHO_SECONDS):
                await self._echo.wait()
        while True:
            # A bell that arrives later than expected ends the polling.
            if self._echo.is_set():
                self.mode = "native"
                await asyncio.sleep(_COMPARE_SECONDS)
            else:
                self.mode = "polling"
                await self._poll()
            self._report_all()

    async def _poll(self) -> None:
        """Report what changes, with one statement a second, until everything is to be compared."""
        now = asyncio.get_running_loop().time
        started = ends = now()
        ends += _COMPARE_POLLING_SECONDS
        revisions: dict[str, int] = {}
        removals: int | None = None
        while now() < ends and not self._echo.is_set():
            await asyncio.sleep(_POLL_SECONDS)
            if not self._watched:
                continue
            began = now()
            try:
                rows = await self._database.rows(
                    PREFIX,
                    "SELECT * FROM sessiond.poll(%s, %s)",
                    (self._namespaces(), began - started + _COMMIT_SECONDS),
                )
            except SessiondError as error:
                _log.warning("Changes by other hosts are noticed late: %s", error)
                continue
            started = began
            before, revisions = (
                revisions,
                {str(StoreName(*row[:2])): row[2] for row in rows if row[1]},
            )
            if removals != (removals := rows[0][3]):
                self._report_all()
            changed = [name for name, at in revisions.items() if before.get(name) != at]
            if changed:
                self.events += len(changed)
                self._report(changed)

    def _namespaces(self) -> list[str] | None:
        """The namespaces that are watched; None: all."""
        if PREFIX in self._watched:
            return None
        names = (name.removeprefix(PREFIX).partition("/")[0] for name in self._watched)
        return list(dict.fromkeys(names))

    def _report_all(self) -> None:
        if self._watched:
            self._report(list(self._watched))

    async def close(self) -> None:
        """Send what has not been sent, and stop listening."""
        if self._ringing is not None:
            await self._ringing
        for task in (self._listening, self._looking):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
