"""Where sessions come from: the files of agents, or a store in PostgreSQL.

The engine makes one source from its settings; nobody else asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import UNSET, UnsetType

from sessiond.errors import Unsupported, how_to_install
from sessiond.files import disk, workers
from sessiond.session import confining

if TYPE_CHECKING:
    from sessiond_protocol.connection.lifecycle import StoreStatus

    from sessiond.agents.agent import Agent
    from sessiond.agents.directories import Directories
    from sessiond.agents.documents import AgentDocuments
    from sessiond.catalog.catalogue import Catalogue
    from sessiond.catalog.file_catalogue import Parts
    from sessiond.config import ClientConfig, EngineConfig
    from sessiond.files.document_store import DocumentStore
    from sessiond.files.watcher import Watcher
    from sessiond.files.watching import Watching
    from sessiond.postgres.store import DatabaseStore
    from sessiond.session.places import Places

Report = Callable[[Collection[str]], None]
"""Called with paths that may have changed: files, or directories with all their files."""

OfFiles = Literal["repair", "gateway", "import", "copy", "relink"]
"""Work that only the files of sessions allow, and a store does not."""


class Source(Protocol):
    """The documents, catalogue and watcher of one kind of sessions: files, or rows of a store."""

    in_store: bool
    """Whether the sessions are rows of a database, not files."""

    @property
    def documents(self) -> DocumentStore:
        """Opens and creates sessions."""

    @property
    def catalogue(self) -> Catalogue:
        """Finds sessions and looks after them."""

    def watcher(self) -> Watching:
        """The watcher for the confinement of this context."""

    def places(self, config: ClientConfig, env: Mapping[str, str]) -> Places:
        """Confine the current context, and return what resolves the paths of its client."""

    def others(self, agent: Agent, env: Mapping[str, str]) -> Sequence[Directories]:
        """The directories of all other agents, whose sessions a client may ask for, too."""

    def refuse(self, work: OfFiles, path: str) -> None:
        """Raise Unsupported if these sessions do not allow it."""

    def status(self) -> StoreStatus | UnsetType:
        """Figures for `daemon/status`."""

    async def tidy(self, where: Directories) -> None:
        """Remove what killed processes have left in the directories of a client."""

    async def close(self) -> None:
        """Stop watching, and finish what has begun."""


class FileSource:
    """The session files of agents."""

    in_store = False

    def __init__(self, config: EngineConfig, parts: Parts, report: Report) -> None:
        self._config = config
        self._parts = parts
        self._report = report
        self._watchers: dict[tuple[str, ...] | None, Watcher] = {}

    @cached_property
    def documents(self) -> AgentDocuments:
        from sessiond.agents.documents import AgentDocuments  # noqa: PLC0415

        return AgentDocuments(
            limit=self._config.cache_bytes, lock_timeout=self._config.lock_timeout
        )

    @cached_property
    def catalogue(self) -> Catalogue:
        from sessiond.catalog.file_catalogue import FileCatalogue  # noqa: PLC0415

        return FileCatalogue(self._parts, self._config.lock_timeout)

    def watcher(self) -> Watching:
        """The watcher for the confinement of this context.

        Clients with the same `--root` share one. Other clients have another one, which reads only
        directories inside their roots.
        """
        roots = disk.roots()
        if roots not in self._watchers:
            from sessiond.agents.sessions import is_place, suffixes  # noqa: PLC0415
            from sessiond.files.watcher import SUFFIXES, Watcher  # noqa: PLC0415

            self._watchers[roots] = Watcher(
                self._report,
                mode=self._config.watch,
                suffixes=(*SUFFIXES, *suffixes()),
                is_place=is_place,
            )
        return self._watchers[roots]

    def places(self, config: ClientConfig, env: Mapping[str, str]) -> Places:
        return confining.places_of(config, env)

    def others(self, agent: Agent, env: Mapping[str, str]) -> Sequence[Directories]:
        return confining.others_than(agent, env)

    def refuse(self, work: OfFiles, path: str) -> None:
        """Refuse nothing."""

    def status(self) -> StoreStatus | UnsetType:
        return UNSET

    async def tidy(self, where: Directories) -> None:
        from sessiond.files.temporary import sweep  # noqa: PLC0415

        await workers.scanning(sweep, where.sessions_dir, below=where.depth)

    async def close(self) -> None:
        if "documents" in vars(self):
            self.documents.comparisons.close()
        for watcher in self._watchers.values():
            await watcher.close()


class StoreSource:
    """A store in PostgreSQL. Imports the driver.

    Raises Unsupported if that is not installed, and InvalidParams for a bad URL.
    """

    in_store = True

    def __init__(self, config: EngineConfig, url: str, report: Report) -> None:
        try:
            from sessiond.postgres.store import DatabaseStore  # noqa: PLC0415
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

    def watcher(self) -> Watching:
        return self.store.bell

    def places(self, config: ClientConfig, env: Mapping[str, str]) -> Places:
        return confining.stored_places_of(config, env)

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
    "import": ("A store gets files by `sessiond push`", "use `sessiond push`"),
    "copy": (
        "Every host that has the store has its sessions; `sessiond pull` makes a file of one",
        "use `sessiond pull`",
    ),
    "relink": (
        "Sessions in a store are not relinked; relink their files and mirror these",
        "relink their files and mirror these",
    ),
}
