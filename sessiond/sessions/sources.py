"""Where sessions come from: the files of agents, or a store in PostgreSQL.

The engine makes one source from its settings; nobody else asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import UNSET, UnsetType

from sessiond.agents.directories import Directories, directories
from sessiond.agents.registry import AGENTS
from sessiond.agents.sessions import further_places, is_place
from sessiond.files import disk, workers
from sessiond.runtime.home import absolute, data_directory
from sessiond.sessions.places import Places, Roots

if TYPE_CHECKING:
    from sessiond_protocol.connection.lifecycle import StoreStatus

    from sessiond.agents.agent import Agent
    from sessiond.agents.documents import AgentDocuments
    from sessiond.catalog.catalogue import Catalogue
    from sessiond.catalog.marks import MarkStore
    from sessiond.files.document_store import DocumentStore
    from sessiond.files.watcher import Watcher
    from sessiond.files.watching import Watching
    from sessiond.runtime.config import ClientConfig, EngineConfig

Report = Callable[[Collection[str]], None]
"""Called with paths that may have changed: files, or directories with all their files."""

OfFiles = Literal["repair", "gateway", "import", "copy", "relink", "sync", "marks"]
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

    @property
    def marks(self) -> MarkStore:
        """The marks of the sessions."""

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

    def __init__(self, config: EngineConfig, env: Mapping[str, str], report: Report) -> None:
        self._config = config
        self._env = env
        self._report = report
        self._watchers: dict[tuple[str, ...] | None, Watcher] = {}

    @cached_property
    def documents(self) -> AgentDocuments:
        from sessiond.agents.documents import AgentDocuments

        return AgentDocuments(
            limit=self._config.cache_bytes, lock_timeout=self._config.lock_timeout
        )

    @cached_property
    def catalogue(self) -> Catalogue:
        from sessiond.catalog.file_catalogue import FileCatalogue

        return FileCatalogue(self._config, self._env)

    @cached_property
    def marks(self) -> MarkStore:
        from sessiond.catalog.mark_file import FileMarks

        path = f"{data_directory(self._env)}/marks.jsonl"
        return FileMarks(path, self._config.lock_timeout)

    def watcher(self) -> Watching:
        """The watcher for the confinement of this context.

        Clients with the same `--root` share one. Other clients have another one, which reads only
        directories inside their roots.
        """
        roots = disk.roots()
        if roots not in self._watchers:
            from sessiond.agents.sessions import suffixes
            from sessiond.files.watcher import SUFFIXES, Watcher

            self._watchers[roots] = Watcher(
                self._report,
                mode=self._config.watch,
                suffixes=(*SUFFIXES, *suffixes()),
                is_place=is_place,
            )
        return self._watchers[roots]

    def places(self, config: ClientConfig, env: Mapping[str, str]) -> Places:
        where = directories(AGENTS[config.profile], env, config.agent_dir, config.agent_id)
        given = None if config.roots is None else [absolute(root, env) for root in config.roots]
        roots = Roots(given)
        disk.confine(roots.real)
        places = Places(where, roots, env)
        if config.all_agents:
            places.others = self.others(where.agent, env)
        return places

    def others(self, agent: Agent, env: Mapping[str, str]) -> Sequence[Directories]:
        every = (directories(each, env) for each in AGENTS.values() if each is not agent)
        return [where for where in every if _is_there(where.listed_dir)]

    def refuse(self, work: OfFiles, path: str) -> None:
        """Refuse nothing."""

    def status(self) -> StoreStatus | UnsetType:
        return UNSET

    async def tidy(self, where: Directories) -> None:
        from sessiond.files.temporary import sweep

        await workers.scanning(sweep, where.sessions_dir, below=where.depth)

    async def close(self) -> None:
        if "catalogue" in vars(self):
            await self.catalogue.close()
        if "documents" in vars(self):
            self.documents.comparisons.close()
        for watcher in self._watchers.values():
            await watcher.close()


def _is_there(listed_dir: str) -> bool:
    """Return whether an agent has sessions, perhaps only beside its usual database."""
    if disk.exists(listed_dir):
        return True
    return is_place(listed_dir) and bool(further_places(listed_dir))
