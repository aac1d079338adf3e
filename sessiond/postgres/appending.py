"""Send the appends to many sessions in few calls: each call is one round trip and one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, TypeAlias

import attrs

from sessiond.postgres import rows
from sessiond.postgres.database import Connection, Database, fetch
from sessiond.postgres.faults import StoreBusy
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import NewLine, Outcome, Revision

_CALLS = 2
"""Calls at the same time: one is prepared while the server commits the other."""

_MOST_LINES = 64
_LONG = 64 * 1024
"""Bytes of a line that is sent by itself, because it would delay others."""

StoredAppend: TypeAlias = tuple[Outcome, int, int, bool]
"""What `rows.append` returns."""


@attrs.frozen(eq=False)
class WaitingAppend:
    """A line that waits to be sent."""

    name: StoreName
    expected: Revision
    new: NewLine
    done: asyncio.Future[StoredAppend]


class AppendQueue:
    """Collects the appends of a daemon. One that meets no other is sent at once.

    Each session has its own result: an append that is refused, or has to wait for another host, has
    no effect on the others.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[WaitingAppend] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls = 0

    async def append(self, name: StoreName, expected: Revision, new: NewLine) -> StoredAppend:
        """Append a line to a session: see `rows.append`.

        A session may have only one append here at a time.
        """
        if new.renames or len(new.line) > _LONG:
            # A name changes the counts of its namespace, which other transactions wait for.
            return await rows.append(self._database, name, expected, new)
        done: asyncio.Future[StoredAppend] = asyncio.get_running_loop().create_future()
        self._waiting.append(WaitingAppend(name, expected, new, done))
        if self._calls < _CALLS:
            self._calls += 1
            self._start(self._send())
        return await done

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self) -> None:
        """Send what waits, until nothing does."""
        try:
            while self._waiting:
                taken, self._waiting = self._waiting[:_MOST_LINES], self._waiting[_MOST_LINES:]
                await self._send_together(taken)
        finally:
            self._calls -= 1

    async def _send_together(self, taken: Sequence[WaitingAppend]) -> None:
        try:
            results, repeated = await self._call(taken)
        except StoreBusy as error:
            for each in taken:
                _fail(each, error)
            return
        except Exception:  # noqa: BLE001 - each gets its own error when it is sent by itself
            for each in taken:
                self._start(self._send_alone(each, repeated=True))
            return
        for each, (outcome, size, changed) in zip(taken, results, strict=True):
            if outcome == "alone":
                self._start(self._send_alone(each, repeated=repeated))
            elif not each.done.done():
                each.done.set_result((outcome, size, changed, repeated))

    async def _call(self, taken: Sequence[WaitingAppend]) -> tuple[list[tuple[Any, ...]], bool]:
        columns = zip(*map(_values, taken), strict=True)
        values = (*map(list, columns), self._database.relaxed)

        async def work(connection: Connection) -> list[tuple[Any, ...]]:
            return await fetch(connection, _APPEND_ALL, values)

        found, attempts = await self._database.run(str(taken[0].name), work)
        return found, attempts > 1

    async def _send_alone(self, each: WaitingAppend, *, repeated: bool) -> None:
        try:
            outcome, size, changed, again = await rows.append(
                self._database, each.name, each.expected, each.new
            )
        except Exception as error:  # noqa: BLE001 - raised where the result is awaited
            _fail(each, error)
        else:
            if not each.done.done():
                each.done.set_result((outcome, size, changed, repeated or again))


_APPEND_ALL = "SELECT * FROM sessiond.append_all(%s, %s, %s, %s, %b, %s, %b, %s, %s, %s)"


def _values(each: WaitingAppend) -> tuple[Any, ...]:
    new, expected = each.new, each.expected
    return (
        each.name.session,
        expected.generation,
        expected.size,
        new.facts.entry,
        new.line,
        new.messages,
        new.first_message,
        new.latest,
        new.facts.body,
    )


def _fail(each: WaitingAppend, error: Exception) -> None:
    if not each.done.done():
        each.done.set_exception(error)
