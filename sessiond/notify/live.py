"""Keeps open sessions and subscriptions current: where something moved, somebody looks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection
from typing import Any, Protocol

from sessiond_protocol.session.state import SessionInfo

from sessiond.catalog.index.indexer import Indexer
from sessiond.catalog.listing import session_info
from sessiond.catalog.scope import Scope
from sessiond.catalog.summaries import Summary
from sessiond.files import disk
from sessiond.files.followed_file import DocumentChange, FollowedFile
from sessiond.files.locks.presence import Presence
from sessiond.files.watch.watch_round import Mode
from sessiond.files.watch.watcher import Watcher
from sessiond.notify.catalog import CatalogNotices, Subscription
from sessiond.notify.holding import Holding
from sessiond.notify.pacing import Channel
from sessiond.notify.sessions import SessionNotices
from sessiond.session.view import View


class Notices(Protocol):
    """Somebody who looks where something may have changed."""

    def report(self, paths: Collection[str]) -> None:
        """Files, or directories in which anything may have changed."""

    def stop(self) -> None:
        """Say nothing more."""


class Live:
    """One watcher for everything; it says where to look, documents and scopes say what changed."""

    def __init__(
        self,
        channel: Channel,
        notify: Callable[[str, Any], None],
        mode: Mode,
        in_use: Presence,
        indexer: Indexer,
    ) -> None:
        self.watcher = Watcher(self.look_at, mode=mode)
        self.sessions = SessionNotices(channel, notify)
        self.catalog = CatalogNotices(channel, notify, self.info, indexer)
        self.others: list[Notices] = []
        """Who else wants to hear where something may have changed."""
        self._in_use = in_use
        self._watched: dict[View, tuple[FollowedFile, list[str]]] = {}
        self._followed: dict[FollowedFile, set[View]] = {}
        self._holding = Holding(in_use)
        self._looking: dict[FollowedFile, asyncio.Task[None]] = {}

    def follow(self, view: View) -> None:
        """A handle was opened, or turned to another document."""
        self._let_go(view)
        self.sessions.follow(view)
        document = view.document
        directories = _directories(document.path) if document.path else ()
        # Noted one by one: if a step fails, `_let_go` undoes exactly what was done before it.
        watched: list[str] = []
        self._watched[view] = document, watched
        if document not in self._followed:
            self._followed[document] = set()
            document.listeners.append(self._hear)
        self._followed[document].add(view)
        for directory in directories:
            self.watcher.watch(directory)
            watched.append(directory)
        self._holding.update(view)

    def forget(self, view: View) -> None:
        """A handle was closed, or could not be opened: whatever is kept for it goes."""
        self._let_go(view)
        self._holding.drop(view)
        self.sessions.forget(view)

    def _let_go(self, view: View) -> None:
        if view not in self._watched:
            return
        document, directories = self._watched.pop(view)
        for directory in directories:
            self.watcher.unwatch(directory)
        self._followed[document].discard(view)
        if not self._followed[document]:
            del self._followed[document]
            document.listeners.remove(self._hear)

    def _hear(self, change: DocumentChange, _cause: object) -> None:
        for view in self._followed.get(change.document, ()):
            self._holding.update(view)
        # Own writes change the catalogue as well, and are in it before any watcher tells of them.
        self.catalog.report((change.document.path,))

    def info(self, summary: Summary) -> SessionInfo:
        """A session as subscribers see it, with who else has it open."""
        return session_info(summary, self._in_use.others(summary.state.key))

    async def subscribe(self, scope: Scope) -> Subscription:
        """Watch first, then look: so nothing that happens in between is missed."""
        self.watcher.watch(scope.directory, recursive=scope.below)
        try:
            return await self.catalog.subscribe(scope)
        except BaseException:
            self.watcher.unwatch(scope.directory, recursive=scope.below)
            raise

    def unsubscribe(self, name: str) -> None:
        scope = self.catalog.unsubscribe(name)
        if scope is not None:
            self.watcher.unwatch(scope.directory, recursive=scope.below)

    def look_at(self, paths: Collection[str]) -> None:
        """What the watcher reports: files, or directories in which anything may have changed."""
        for document in self._followed:
            if document not in self._looking and _concerns(document, paths):
                task = asyncio.create_task(self._refresh(document))
                self._looking[document] = task
        self.catalog.report(paths)
        for other in self.others:
            other.report(paths)

    async def _refresh(self, document: FollowedFile) -> None:
        try:
            async with document.turn:
                # From here on a further report is about something this look may not see.
                del self._looking[document]
                await document.refresh()
        finally:
            if self._looking.get(document) is asyncio.current_task():
                del self._looking[document]

    async def close(self) -> None:
        """End watching and everything that waits for something to say."""
        self.catalog.stop()
        for other in self.others:
            other.stop()
        for view in list(self._watched):
            self.forget(view)
        await self.watcher.close()
        for task in list(self._looking.values()):
            task.cancel()


def _directories(path: str) -> tuple[str, ...]:
    """Where changes to a file show: the directory of its name, and that of a link's target."""
    return tuple(dict.fromkeys((os.path.dirname(path), os.path.dirname(disk.realname(path)))))


def _concerns(document: FollowedFile, paths: Collection[str]) -> bool:
    if not document.path:
        # It is in memory alone.
        return False
    names = {document.path, disk.realname(document.path)}
    return any(
        name == path or name.startswith(path.rstrip("/") + "/") for path in paths for name in names
    )
