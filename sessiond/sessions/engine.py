"""The engine: the resources that all clients of a process share."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sessiond.sessions.sources import FileSource, Report, Source

# Each part is imported and created on first use: a command that lists sessions needs neither the
# watcher nor the documents, and importing them takes longer than listing.
if TYPE_CHECKING:
    from sessiond.catalog.catalogue import Catalogue
    from sessiond.files.document_store import DocumentStore
    from sessiond.files.watching import Watching
    from sessiond.runtime.config import EngineConfig
    from sessiond.sessions.activities import Activities
    from sessiond.sessions.drafts import Drafts


class Engine:
    """The source of the sessions and its watchers, shared by all clients of the process.

    It does not know its clients, only the functions that they pass to `follow`.
    """

    def __init__(self, config: EngineConfig, env: Mapping[str, str]) -> None:
        self.config = config
        self.started = time.monotonic()
        self.connections: Callable[[], int] | None = None
        """Returns the number of clients that are served; None in a daemon for one client."""
        self.annexes: dict[str, Any] = {}
        """The state of annexes that all clients share, by the name of the annex."""
        self.written: list[Report] = []
        """Called with session files that a client has just written, before the watcher reports
        them, and with those whose activity has changed. Unlike `report`, this refreshes no
        document, because documents know their own writes.
        """
        self._env = env
        self._followers: dict[Report, contextvars.Context] = {}

    @cached_property
    def source(self) -> Source:
        """Where the sessions come from. Raises Unsupported and InvalidParams for a store."""
        if self.config.store is None:
            return FileSource(self.config, self._env, self.report)
        # The store is an annex, which nobody else in the core knows.
        annex = import_module("sessiond.postgres.source")
        source: Source = annex.StoreSource(self.config, self.config.store, self.report)
        return source

    @cached_property
    def drafts(self) -> Drafts:
        """The answers in progress of all clients."""
        from sessiond.sessions.drafts import Drafts

        return Drafts()

    @cached_property
    def activities(self) -> Activities:
        """The activities that clients have set for their handles."""
        from sessiond.sessions.activities import Activities

        def report(path: str) -> None:
            for each in tuple(self.written):
                each((path,))

        return Activities(report)

    @property
    def documents(self) -> DocumentStore:
        """Opens and creates sessions."""
        return self.source.documents

    @property
    def catalogue(self) -> Catalogue:
        """Finds sessions and looks after them."""
        return self.source.catalogue

    def watcher(self) -> Watching:
        """Return the watcher for the confinement of this context."""
        return self.source.watcher()

    def follow(self, report: Report) -> None:
        """Call `report` for every change from now on, in the context of this call.

        The context carries the client's confinement, so that `report` reads changed files only
        inside the `--root` of its client.
        """
        self._followers[report] = contextvars.copy_context()

    def unfollow(self, report: Report) -> None:
        """Undo `follow`; a function that does not follow is ignored."""
        self._followers.pop(report, None)

    def report(self, paths: Collection[str]) -> None:
        """Tell every client that these paths may have changed."""
        for report, context in tuple(self._followers.items()):
            # A copy, because a context cannot be entered twice at the same time.
            context.copy().run(report, paths)

    async def close(self) -> None:
        """Stop watching, indexing and searching. Close all clients before."""
        if "source" in vars(self):
            await self.source.close()
