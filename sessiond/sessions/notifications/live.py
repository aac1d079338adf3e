"""Notify one client's handles and subscriptions when files change.

Theory of operation. The watcher only says which paths to compare, and may say it late, twice or not
at all. `_compare` runs on the loop for every report. It looks up the documents with handles and
starts a task for each, unless `stat` shows that nothing has changed or a task already waits for the
document's turn (`_looking`). The task refreshes the document in its turn, and the document calls
`_hear` with the change, as it does after appends of this client. `SessionNotices` merges changes
until the client has read the last one. Subscriptions get the same paths and read their lists again,
paced in the same way. Own writes reach the lists of all clients at once (`Engine.written`).
"""

from __future__ import annotations

import asyncio
import logging
import os
from bisect import bisect
from collections.abc import Callable, Collection
from typing import Any

import attrs
from sessiond_protocol.session.state import SessionInfo

from sessiond.catalog.kinds import Kinds
from sessiond.catalog.marks import MarkFilter
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary
from sessiond.files import disk
from sessiond.files.identity import Key, key_of
from sessiond.files.presence import Presence
from sessiond.files.session_document import DocumentChange, SessionDocument
from sessiond.runtime.errors import Busy
from sessiond.sessions.engine import Engine
from sessiond.sessions.notifications.catalog import Activity, CatalogNotices, CatalogSubscription
from sessiond.sessions.notifications.pacing import Channel
from sessiond.sessions.notifications.sessions import SessionNotices
from sessiond.sessions.notifications.subscriptions import Subscriptions
from sessiond.sessions.view import View

logger = logging.getLogger(__name__)


@attrs.define(eq=False)
class _Followed:
    """The state kept for a document that has handles."""

    views: set[View] = attrs.field(factory=set)
    key: Key | None = None
    """The identity of its file when its names were resolved."""
    names: list[str] = attrs.field(factory=list)
    """Its path, and the resolved path if it is a link or below one."""


class Live:
    """The handles and subscriptions of one client, over the engine's watcher.

    The watcher says which paths to compare; documents and scopes say what changed.
    """

    def __init__(
        self,
        channel: Channel,
        notify: Callable[[str, Any], None],
        engine: Engine,
        in_use: Presence,
        infos: Callable[[], Callable[[Summary], SessionInfo]],
        *,
        activities: Callable[[], Activity],
    ) -> None:
        """`infos` makes what gives sessions the form of the contract, `activities` what says the
        activity of one.
        """
        self.watcher = engine.watcher()
        self.sessions = SessionNotices(channel, notify, engine.drafts)
        self.catalog = CatalogNotices(channel, notify, infos, engine, activities=activities)
        self.subscriptions: list[Subscriptions[Any]] = []
        """The kinds of subscriptions in use; each gets the paths that may have changed."""
        self._engine = engine
        self._watched: dict[View, SessionDocument] = {}
        self._followed: dict[SessionDocument, _Followed] = {}
        self._named: dict[str, set[SessionDocument]] = {}
        """The documents with handles by the names of their files."""
        self._in_use = in_use
        self._marked: dict[View, Key] = {}
        """The file that each handle for writing marks as in use."""
        self._looking: dict[SessionDocument, asyncio.Task[None]] = {}
        engine.follow(self._compare)

    def follow(self, view: View) -> None:
        """Watch the file of a handle that was opened or switched to another document."""
        self._unwatch(view)
        self.sessions.follow(view)
        document = self._watched[view] = view.document
        if document not in self._followed:
            self._followed[document] = _Followed()
            document.listeners.append(self._hear)
            self._resolve(document)
        self._followed[document].views.add(view)
        self._mark(view)

    def _resolve(self, document: SessionDocument) -> None:
        """Watch where changes of the file show: the directory of its name, and a link's target."""
        followed = self._followed[document]
        was_missing, followed.key = followed.key is None, key_of(document.state)
        path = document.path
        names = list(self.watcher.names(path)) if path else []
        if names == followed.names and not was_missing:
            return
        # Also if only its file is new: its directory may be, for which the watcher looks at once.
        self._unname(document, followed)
        for name in names:
            # Recorded one by one: if a step fails, `_unname` undoes exactly the steps before it.
            self.watcher.watch(os.path.dirname(name))
            followed.names.append(name)
            self._named.setdefault(name, set()).add(document)

    def forget(self, view: View) -> None:
        """Remove everything kept for a handle that was closed or could not be opened."""
        self._unwatch(view)
        self._unmark(view)
        self.sessions.forget(view)
        self._engine.activities.end(view)

    def _unwatch(self, view: View) -> None:
        if view not in self._watched:
            return
        document = self._watched.pop(view)
        followed = self._followed[document]
        followed.views.discard(view)
        if not followed.views:
            del self._followed[document]
            document.listeners.remove(self._hear)
            self._unname(document, followed)

    def _unname(self, document: SessionDocument, followed: _Followed) -> None:
        while followed.names:
            name = followed.names.pop()
            self.watcher.unwatch(os.path.dirname(name))
            named = self._named.get(name, set())
            named.discard(document)
            if not named:
                self._named.pop(name, None)

    def _mark(self, view: View) -> None:
        """Mark the present file of a handle for writing as in use, instead of an earlier one."""
        state = view.document.state if view.persisted and not view.read_only else None
        key = key_of(state)
        if key != self._marked.get(view):
            self._unmark(view)
            if key is not None:
                self._in_use.hold(key)
                self._marked[view] = key

    def _unmark(self, view: View) -> None:
        if view in self._marked:
            self._in_use.release(self._marked.pop(view))

    def _hear(self, change: DocumentChange, cause: object) -> None:
        followed = self._followed[change.document]
        for view in followed.views:
            self._mark(view)
        if followed.key is None and change.document.state is not None:
            self._resolve(change.document)
        # The catalogue subscriptions do not wait for the watcher: after this client's own writes
        # those of every client are notified, after other changes those of this client.
        if cause in self._watched:
            for report in tuple(self._engine.written):
                report((change.document.path,))
        elif self.catalog in self.subscriptions:
            self.catalog.report((change.document.path,))

    async def subscribe(
        self, scope: SessionScope, name: str | None, kinds: Kinds, marked: MarkFilter
    ) -> CatalogSubscription:
        """Watch first, then read the snapshot, so that no change in between is missed."""
        if self.catalog not in self.subscriptions:
            self.subscriptions.append(self.catalog)
            self._engine.written.append(self.catalog.report)
        for directory, recursive in self._watched_for(scope):
            self.watcher.watch(directory, recursive=recursive)
        try:
            return await self.catalog.subscribe(scope, name, kinds, marked)
        except BaseException:
            self._unwatch_scope(scope)
            raise

    def _unwatch_scope(self, scope: SessionScope) -> None:
        for directory, recursive in self._watched_for(scope):
            self.watcher.unwatch(directory, recursive=recursive)

    def _watched_for(self, scope: SessionScope) -> list[tuple[str, bool]]:
        """Return the directories to watch for a scope, and for the marks of its sessions.

        A confined client reads changed marks only with the next change of a session.
        """
        marks = self._engine.source.marks.path
        own = [] if marks is None or disk.is_confined() else [(os.path.dirname(marks), False)]
        return [*scope.watched, *own]

    def unsubscribe(self, name: str) -> None:
        subscription = self.catalog.unsubscribe(name)
        if subscription is not None:
            self._unwatch_scope(subscription.listing.scope)

    def look_at(self, paths: Collection[str]) -> None:
        """Make every client check files that this client has changed."""
        self._engine.report(paths)

    def _compare(self, paths: Collection[str]) -> None:
        """Check files, and directories with all their files, for changes to notify."""
        for document in self._concerned(paths) - self._looking.keys():
            is_resolved = self._followed[document].key == key_of(document.state)
            # Most reports are about own writes, or about everything: a task each costs much.
            if not is_resolved or not document.is_current:
                self._looking[document] = asyncio.create_task(self._refresh(document))
        for each in self.subscriptions:
            each.report(paths)

    def _concerned(self, paths: Collection[str]) -> set[SessionDocument]:
        """The documents of these files, and of all files below these directories."""
        documents = set().union(*(self._named.get(path, ()) for path in paths))
        above = [path.rstrip("/") + "/" for path in paths if not path.endswith(".jsonl")]
        names = sorted(self._named) if above else []
        for path in above:
            for name in names[bisect(names, path) :]:
                if not name.startswith(path):
                    break
                documents |= self._named[name]
        return documents

    async def _refresh(self, document: SessionDocument) -> None:
        try:
            async with document.turn:
                # Later reports may be about a change that this refresh does not see.
                del self._looking[document]
                try:
                    await document.refresh()
                except Busy as error:
                    # The next report or request tries again.
                    logger.info("%s", error)
                    return
                except Exception:
                    logger.exception("%s cannot be compared", document.path)
                    return
                followed = self._followed.get(document)
                if followed and document.state and key_of(document.state) != followed.key:
                    # The name leads to another file; a link may have another target.
                    self._resolve(document)
        finally:
            if self._looking.get(document) is asyncio.current_task():
                del self._looking[document]

    def close(self) -> None:
        """End all subscriptions and stop following files; the engine keeps watching."""
        self._engine.unfollow(self._compare)
        if self.catalog.report in self._engine.written:
            self._engine.written.remove(self.catalog.report)
        for each in self.subscriptions:
            each.stop()
        for view in list(self._watched):
            self.forget(view)
        for task in list(self._looking.values()):
            task.cancel()
