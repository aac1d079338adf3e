"""Mirror the sessions of a client of a daemon."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Collection
from typing import Protocol

from sessiond.agents.directories import Directories
from sessiond.catalog.scope import SessionScope
from sessiond.config import ClientConfig
from sessiond.files import disk
from sessiond.files.watching import Watching
from sessiond.postgres.mirror.copies import Copies
from sessiond.postgres.mirror.mirror import Mirror
from sessiond.postgres.mirror.origin import Origin, checked, clean_namespace
from sessiond.postgres.store import DatabaseStore

_LOOK_SECONDS = 1.0
"""Interval for checking whether `initialize` has changed the directories."""


def mirror_of(
    store: DatabaseStore,
    directory: str,
    host: str,
    namespace: str | None,
    *,
    below: int,
    masks: bool,
) -> Mirror:
    """A mirror of a session directory; `namespace`: by default that of the host.

    Raises InvalidParams for a text that is no namespace.
    """
    chosen = clean_namespace(host) if namespace is None else checked(namespace)
    origin = Origin(chosen, host, disk.realname(directory))
    scope = SessionScope(origin.directory, below=below)
    copies = Copies(store.database, origin)
    return Mirror(copies, origin, scope, store.bell.ring, masks=masks)


class MirrorEngine(Protocol):
    """What a mirror needs of the engine, which is a layer above."""

    def watcher(self) -> Watching: ...
    def follow(self, report: Callable[[Collection[str]], None]) -> None: ...
    def unfollow(self, report: Callable[[Collection[str]], None]) -> None: ...


async def mirror_client(
    engine: MirrorEngine,
    store: DatabaseStore,
    config: ClientConfig,
    directories: Callable[[], Directories],
) -> None:
    """Mirror the sessions in a client's directories until cancelled.

    Raises InvalidParams for a text that is no namespace.
    """
    while True:
        where = directories()
        made = mirror_of(
            store,
            where.sessions_dir,
            config.mirror_host or socket.gethostname(),
            config.mirror_namespace,
            below=where.depth,
            masks=config.mirror_mask,
        )
        engine.follow(made.report)
        task = asyncio.create_task(made.run(engine.watcher()))
        try:
            while directories() == where and not task.done():
                await asyncio.wait([task], timeout=_LOOK_SECONDS)
            if task.done():
                task.result()
        finally:
            engine.unfollow(made.report)
            task.cancel()
            await asyncio.wait([task])
