"""A store in PostgreSQL: its connections, documents, catalogue and bell."""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec import UNSET
from sessiond_protocol.connection.lifecycle import StoreStatus

from sessiond.postgres.bell import Bell
from sessiond.postgres.catalog.catalogue import StoredCatalogue
from sessiond.postgres.database import Database, Durability
from sessiond.postgres.documents import StoredDocuments


class DatabaseStore:
    """All parts of one store, which share its connections.

    `report` is called with the names of sessions that other hosts have changed.
    """

    def __init__(
        self,
        url: str,
        report: Callable[[Collection[str]], None],
        *,
        timeout: float,
        durability: Durability,
        cache_bytes: int,
    ) -> None:
        self.database = Database(url, timeout=timeout, durability=durability)
        self.bell = Bell(self.database, report)
        self.documents = StoredDocuments(self.database, limit=cache_bytes, stored=self.bell.ring)
        self.catalogue = StoredCatalogue(self.database, self.documents, self.bell.ring)

    def status(self) -> StoreStatus:
        database, error = self.database, self.database.last_error
        return StoreStatus(
            server=database.name,
            requests=database.requests,
            untold=self.bell.untold,
            lastError=UNSET if error is None else error.reason,
            lastErrorAt=UNSET if error is None else error.at,
        )

    async def close(self) -> None:
        """Finish what has begun, then close all connections."""
        await self.bell.close()
        await self.database.close()
