"""Fill the index: one file, or many in a few transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apsw
import attrs

from sessiond.agents.sessions import opened_session
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.index.file_rows import is_settled
from sessiond.catalog.index.reader import SHIFT
from sessiond.catalog.index.words import BlockBuilder
from sessiond.catalog.index.writer import Step, next_step, write_step
from sessiond.catalog.message_text import Alive
from sessiond.isolation import Faults

_TOGETHER = 64
"""Segments written in one transaction: few enough that others do not wait long."""


def fill(store: Store, path: str, alive: Alive, builder: BlockBuilder | None = None) -> bool:
    """Index the current text of a file; whether the index can be trusted to have all of it.

    New segments are also added to `builder`. Raises Unavailable, ReadFailed, SessionNotFound,
    OSError, and whatever `alive` raises; text indexed before the error stays.
    """
    with opened_session(path) as opened:
        while True:
            with store.connection() as connection:
                step = next_step(connection, opened)
            if step is None:
                break
            if not _write(store, [(path, step)], builder) and step.is_complete:
                break
            alive()
        return is_settled(opened.state)


@attrs.define(eq=False)
class Filling:
    """Indexes many files, several in one transaction."""

    store: Store
    alive: Alive
    builder: BlockBuilder | None = None
    """Gets all new segments."""
    moving: list[str] = attrs.field(factory=list)
    """Files that changed too recently to be trusted."""

    def add(self, paths: Iterable[str], faults: Faults) -> None:
        """Index these files. Raises Unavailable, and whatever `alive` raises."""
        for group in self._read_groups(paths, faults):
            unfinished = _write(self.store, group, self.builder)
            unfinished += [path for path, step in group if not step.is_complete]
            for path in unfinished:
                with faults.isolate(path, Unavailable):
                    fill(self.store, path, self.alive, self.builder)

    def _read_groups(
        self, paths: Iterable[str], faults: Faults
    ) -> Iterator[list[tuple[str, Step]]]:
        """Read the files, and yield what is to be written in one transaction."""
        left = iter(paths)
        is_left = True
        while is_left:
            group: list[tuple[str, Step]] = []
            with self.store.connection() as connection:
                is_left = False
                for path in left:
                    with faults.isolate(path, apsw.Error):
                        self._read(connection, path, group)
                    if sum(len(step.segments) for _, step in group) >= _TOGETHER:
                        is_left = True
                        break
            if group:
                yield group

    def _read(self, connection: apsw.Connection, path: str, group: list[tuple[str, Step]]) -> None:
        with opened_session(path) as opened:
            step = next_step(connection, opened)
        self.alive()
        if step is not None:
            group.append((path, step))
        if not is_settled(opened.state):
            self.moving.append(path)


def _write(store: Store, steps: list[tuple[str, Step]], builder: BlockBuilder | None) -> list[str]:
    """Write steps in one transaction; returns files whose index has changed meanwhile."""
    changed = []
    with store.connection(writing=True) as connection:
        numbers = [write_step(connection, path, step) for path, step in steps]
    for number, (path, step) in zip(numbers, steps, strict=True):
        if number is None:
            changed.append(path)
        elif builder is not None:
            for segment in step.segments:
                builder.add(number << SHIFT | segment.number, segment.body)
    return changed
