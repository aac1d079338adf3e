"""Append lines to sessions in few calls: each call is one round trip and one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import attrs

from sessiond.postgres import rows
from sessiond.postgres.database import Connection, Database, fetch
from sessiond.postgres.facts import RowFacts
from sessiond.postgres.faults import StoreBusy
from sessiond.postgres.names import StoreName
from sessiond.postgres.rows import Revision

_CALLS = 2
"""Calls at the same time: one is prepared while the server commits the other."""

_MOST_LINES = 64
_LONG = 64 * 1024
"""Bytes of a line that is sent by itself, because it would delay others."""

Outcome = Literal["written", "existed", "moved", "deleted", "elsewhere"]


@attrs.frozen
class NewLine:
    """A line to append, and its facts."""

    line: bytes
    facts: RowFacts
    messages: int
    first_message: bytes | None
    latest: float
    renames: bool
    name: bytes | None
    fields: str

    @property
    def is_sent_alone(self) -> bool:
        """Whether it would delay other lines of the same call."""
        # A name changes the counts of its namespace, which other transactions wait for.
        return self.renames or len(self.line) > _LONG


@attrs.frozen
class StoredLine:
    """What became of a line: the length of the session and the time of the change with it."""

    outcome: Outcome
    size: int
    changed: int
    """Microseconds since the epoch."""
    repeated: bool
    """Whether it may have been written by an earlier attempt, whose answer was lost."""


APPEND = "SELECT * FROM sessiond.append(%s, %s, %s, %s, %b, %s, %b, %s, %s, %b, %s, %s, %s)"
_APPEND_ALL = "SELECT * FROM sessiond.append_all(%s, %s, %s, %s, %b, %s, %b, %s, %s, %s)"


def append_values(
    database: Database, name: StoreName, expected: Revision, new: NewLine
) -> tuple[Any, ...]:
    """The values for APPEND."""
    named = (new.renames, new.name, new.fields)
    return (*_common(name, expected, new), *named, new.facts.texts, database.relaxed)


def _common(name: StoreName, expected: Revision, new: NewLine) -> tuple[Any, ...]:
    """The values with which both functions begin."""
    return (
        name.session,
        expected.generation,
        expected.size,
        new.facts.entry,
        new.line,
        new.messages,
        new.first_message,
        new.latest,
    )


async def append(
    database: Database, name: StoreName, expected: Revision, new: NewLine
) -> StoredLine:
    """Append a line if the session has this generation and length."""
    values = append_values(database, name, expected, new)

    async def work(connection: Connection) -> list[tuple[Any, ...]]:
        return await fetch(connection, APPEND, values)

    limit = rows.write_limit(database, len(new.line))
    found, attempts = await database.run(str(name), work, limit=limit)
    return _stored(found[0], repeated=attempts > 1)


def _stored(row: tuple[Any, ...], *, repeated: bool) -> StoredLine:
    outcome, size, changed = row
    return StoredLine(outcome, size, changed, repeated)


@attrs.frozen(eq=False)
class _Waiting:
    """Lines of one session that wait to be sent."""

    name: StoreName
    expected: Revision
    new: Sequence[NewLine]
    done: asyncio.Future[list[StoredLine]]

    def values(self) -> Iterator[tuple[Any, ...]]:
        """The columns of `append_all`, for each line."""
        expected = self.expected
        for new in self.new:
            yield (*_common(self.name, expected, new), new.facts.texts)
            expected = Revision(expected.generation, expected.size + len(new.line) + 1)

    def succeed(self, results: list[StoredLine]) -> None:
        if not self.done.done():
            self.done.set_result(results)

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class AppendQueue:
    """Collects the appends of a daemon. One that meets no other is sent at once.

    Each session has its own result: an append that is refused, or has to wait for another host, has
    no effect on the others.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._calls = 0

    async def append(
        self, name: StoreName, expected: Revision, new: Sequence[NewLine]
    ) -> list[StoredLine]:
        """Append lines, one after another, if the session has this generation and length.

        Its last line must have a newline if there are several. After one that is not written none
        is written. A session may have only one append here at a time. Raises what `Database.run`
        raises; it is then unknown whether the lines were written.
        """
        if any(each.is_sent_alone for each in new):
            assert len(new) == 1, "such a line is sent alone"  # noqa: S101
            return [await append(self._database, name, expected, new[0])]
        done: asyncio.Future[list[StoredLine]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(name, expected, new, done))
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
                await self._send_together(self._take())
        finally:
            self._calls -= 1

    def _take(self) -> list[_Waiting]:
        """Remove and return what is sent in one call."""
        count = lines = 0
        while count < len(self._waiting) and lines < _MOST_LINES:
            lines += len(self._waiting[count].new)
            count += 1
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

    async def _send_together(self, taken: Sequence[_Waiting]) -> None:
        try:
            results = await self._call(taken)
        except StoreBusy as error:
            for each in taken:
                each.fail(error)
            return
        except Exception:  # noqa: BLE001 - each gets its own error when it is sent by itself
            for each in taken:
                self._start(self._send_alone(each, repeated=True))
            return
        for each in taken:
            own, results = results[: len(each.new)], results[len(each.new) :]
            if own[0] is None:
                self._start(self._send_alone(each, repeated=False))
            else:
                each.succeed([one for one in own if one is not None])

    async def _call(self, taken: Sequence[_Waiting]) -> list[StoredLine | None]:
        """What became of each line; None: it must be sent by itself."""
        columns = zip(*(values for each in taken for values in each.values()), strict=True)
        values = (*map(list, columns), self._database.relaxed)

        async def work(connection: Connection) -> list[tuple[Any, ...]]:
            return await fetch(connection, _APPEND_ALL, values)

        size = sum(len(new.line) for each in taken for new in each.new)
        limit = rows.write_limit(self._database, size)
        found, attempts = await self._database.run(str(taken[0].name), work, limit=limit)
        repeated = attempts > 1
        return [None if row[0] == "alone" else _stored(row, repeated=repeated) for row in found]

    async def _send_alone(self, each: _Waiting, *, repeated: bool) -> None:
        """Send the first line by itself, so that the others have to be sent again.

        `repeated`: an earlier attempt may have written it.
        """
        try:
            done = await append(self._database, each.name, each.expected, each.new[0])
        except Exception as error:  # noqa: BLE001 - raised where the result is awaited
            each.fail(error)
        else:
            each.succeed([attrs.evolve(done, repeated=repeated or done.repeated)])
