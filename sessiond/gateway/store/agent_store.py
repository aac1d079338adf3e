"""The store of one agent: its file, unless a database has replaced it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import attrs

from sessiond.errors import Busy, PathNotAllowed, ReadFailed, SessionNotFound, Unsupported
from sessiond.gateway.config.layout import Layout
from sessiond.gateway.store.database import check_in_use, database_of, places, replaced
from sessiond.gateway.store.snapshot import StoreSnapshot
from sessiond.gateway.store.store import Draft, StoreFile

UNREADABLE = (ReadFailed, PathNotAllowed, Busy)
"""Why one store cannot be read, while those of other agents can."""


@attrs.frozen
class AgentStore:
    """A store as requests use it: if a database has replaced it, only for reading."""

    file: StoreFile
    layout: Layout
    agent_id: str

    @property
    def path(self) -> str:
        return self.file.path

    def databases(self) -> frozenset[str]:
        """The paths at which the database may appear that replaces the store."""
        return frozenset(places(self.layout, self.agent_id, self.path))

    async def read(self) -> StoreSnapshot:
        """The current content: of the database, if there is one. Raises ReadFailed and Busy.

        If the database cannot be read, this is the store as it was before, and `problems` say so.
        """
        database = database_of(self.layout, self.agent_id, self.path)
        if database is None:
            return await self.file.read()
        try:
            return await self.file.replacement.read(database)
        except (ReadFailed, Unsupported, SessionNotFound, PathNotAllowed) as error:
            snapshot = await self.file.read()
            problem = replaced(database, self.path, error.message)
            return attrs.evolve(snapshot, problems=(problem, *snapshot.problems), database=database)

    def changing(self) -> AbstractAsyncContextManager[Draft]:
        """The store under its lock: see `StoreFile.changing`. Raises Unsupported as well.

        The database is searched for before anything is created, after the lock is held, and right
        before the rename.
        """
        return self.file.changing(self.check_in_use, self.layout.rules.dialect)

    def check_in_use(self) -> None:
        """Raise Unsupported if a database has replaced the store."""
        check_in_use(self.layout, self.agent_id, self.path)
