"""The store of one agent: its file, unless OpenClaw's database has replaced it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import attrs

from sessiond.gateway.config.layout import Layout
from sessiond.gateway.store.database import check_in_use, database_of, places, replaced
from sessiond.gateway.store.snapshot import StoreSnapshot
from sessiond.gateway.store.store import Draft, StoreFile


@attrs.frozen
class AgentStore:
    """A store as requests use it: beside a database, reading reports it and writing is refused."""

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
        """The current content; a replaced store says so in `problems`. Raises ReadFailed."""
        snapshot = await self.file.read()
        database = database_of(self.layout, self.agent_id, self.path)
        if database is None:
            return snapshot
        problem = replaced(database, self.path)
        return attrs.evolve(snapshot, problems=(problem, *snapshot.problems))

    def changing(self) -> AbstractAsyncContextManager[Draft]:
        """The store under its lock: see `StoreFile.changing`. Raises Unsupported as well.

        The database is searched for before anything is created, after the lock is held, and right
        before the rename.
        """
        return self.file.changing(self.check_in_use, self.layout.rules.dialect)

    def check_in_use(self) -> None:
        """Raise Unsupported if a database has replaced the store."""
        check_in_use(self.layout, self.agent_id, self.path)
