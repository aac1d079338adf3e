"""The entries in a gateway's database, as those of a store that is only read."""

from __future__ import annotations

from sessiond.agents.sessions import database_at
from sessiond.files import workers
from sessiond.gateway.store.snapshot import StoreSnapshot, of_sources


class DatabaseEntries:
    """Reads the entries of one database; an unchanged entry is the same object as before."""

    def __init__(self) -> None:
        self._known: dict[str, StoreSnapshot] = {}

    async def read(self, database: str) -> StoreSnapshot:
        """The present entries. Raises SessionNotFound, ReadFailed, Busy and Unsupported."""
        known = self._known.get(database, StoreSnapshot())
        snapshot = await workers.reading(workers.LONG, _read, database, known)
        self._known = {database: snapshot}
        return snapshot


def _read(database: str, known: StoreSnapshot) -> StoreSnapshot:
    return of_sources(database, database_at(database).entries(database), known)
