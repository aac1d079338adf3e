"""The source of sessions that are rows of a store in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import UnsetType

from sessiond.agents.directories import Directories, directories
from sessiond.agents.registry import AGENTS
from sessiond.files import disk
from sessiond.postgres.locations import Namespaces, StorePlaces
from sessiond.runtime.errors import Unsupported, how_to_install

if TYPE_CHECKING:
    from sessiond_protocol.connection.lifecycle import StoreStatus

    from sessiond.agents.agent import Agent
    from sessiond.catalog.catalogue import Catalogue
    from sessiond.catalog.marks import MarkStore
    from sessiond.files.document_store import DocumentStore
    from sessiond.files.watching import Watching
    from sessiond.postgres.store import DatabaseStore
    from sessiond.runtime.config import ClientConfig, EngineConfig
    from sessiond.sessions.places import Places
    from sessiond.sessions.sources import OfFiles, Report


class StoreSource:
    """A store in PostgreSQL. Imports the driver.

    Raises Unsupported if that is not installed, and InvalidParams for a bad URL.
    """

    in_store = True

    def __init__(self, config: EngineConfig, url: str, report: Report) -> None:
        try:
            from sessiond.postgres.store import DatabaseStore
        except ModuleNotFoundError as error:
            how = how_to_install("psycopg[binary]", "postgres")
            message = f"The driver for PostgreSQL is not installed; {how}"
            raise Unsupported(message, error.name or "", how) from None
        self.store: DatabaseStore = DatabaseStore(
            url,
            report,
            timeout=config.lock_timeout,
            durability=config.store_durability,
            cache_bytes=config.cache_bytes,
        )

    @property
    def documents(self) -> DocumentStore:
        return self.store.documents

    @property
    def catalogue(self) -> Catalogue:
        return self.store.catalogue

    @cached_property
    def marks(self) -> MarkStore:
        from sessiond.catalog.marks import NoMarks

        return NoMarks()

    def watcher(self) -> Watching:
        return self.store.bell

    def places(self, config: ClientConfig, env: Mapping[str, str]) -> Places:
        where = directories(AGENTS[config.profile], env, config.agent_dir, config.agent_id)
        namespaces = Namespaces(config.roots)
        # No file of a session can be reached.
        disk.confine(None if namespaces.real is None else ())
        return StorePlaces(where, namespaces, env)

    def others(self, agent: Agent, env: Mapping[str, str]) -> Sequence[Directories]:
        del agent, env
        return ()

    def refuse(self, work: OfFiles, path: str) -> None:
        message, how = _REFUSED[work]
        raise Unsupported(message, path, how)

    def status(self) -> StoreStatus | UnsetType:
        return self.store.status()

    async def tidy(self, where: Directories) -> None:
        """There is nothing to remove: the database ends what was given up."""

    async def close(self) -> None:
        await self.store.close()


_REFUSED: dict[OfFiles, tuple[str, str]] = {
    "repair": (
        "Sessions in the store are not repaired",
        "export the session, repair the file, and bring it back under another name",
    ),
    "gateway": (
        "Gateways keep their sessions in files; a daemon with --store does not serve them",
        "start a daemon without --store for gateway/ methods",
    ),
    "sync": ("A store has the sessions of all its hosts already", "sync files, without --store"),
    "import": ("A store gets files by `sessiond push`", "use `sessiond push`"),
    "copy": (
        "Every host that has the store has its sessions; `sessiond pull` makes a file of one",
        "use `sessiond pull`",
    ),
    "marks": ("Sessions in a store have no marks yet", "mark the files, without --store"),
    "relink": (
        "Sessions in a store are not relinked; relink their files and mirror these",
        "relink their files and mirror these",
    ),
}
