"""`gateway/didChange`: notify subscribers of changed sessions in a gateway's stores."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Literal

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway.subscribe import GatewayDidChangeParams, StoreChange

from sessiond.errors import PathNotAllowed, ReadFailed
from sessiond.files import disk
from sessiond.files.watch.plan import Asked
from sessiond.files.watch.watcher import Watcher
from sessiond.gateway.store.agent_store import AgentStore
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.scope import StoreScope
from sessiond.gateway.store.snapshot import Items, StoreProblem
from sessiond.gateway.store.store import Stores
from sessiond.notify.pacing import Channel, Pacer

METHOD = "gateway/didChange"


@attrs.define(eq=False)
class Followed:
    """One store of a subscription; `told` are the items that the client knows."""

    agent_id: str
    path: str
    store: AgentStore
    told: Items = attrs.field(factory=dict)
    names: frozenset[str] = frozenset()
    """The paths under which changes of the file may be reported."""
    is_doubtful: bool = False
    """Whether all entries were missing in the last reading."""

    def entries(self) -> dict[str, StoreEntry]:
        return {key: item for key, item in self.told.items() if isinstance(item, StoreEntry)}

    async def look(self) -> list[StoreChange]:
        """Read the store and return its changes; a store that cannot be read has none.

        If all entries are missing, the store is read once more before the removals are reported:
        while a gateway rotates the store or an editor saves it, the file is missing, empty or
        incomplete for a moment.
        """
        try:
            items = (await self.store.read()).items
        except (ReadFailed, PathNotAllowed):
            self.is_doubtful = False
            return []
        before = self.entries()
        is_empty = not any(isinstance(item, StoreEntry) for item in items.values())
        self.is_doubtful = bool(before) and is_empty and not self.is_doubtful
        if self.is_doubtful:
            return []
        self.told = items
        return _changes(self.path, before, self.entries())


@attrs.define(eq=False)
class GatewaySubscription:
    """A subscription to some stores; `reported` are paths that may have changed."""

    name: str
    scope: StoreScope
    pacer: Pacer
    stores: dict[str, Followed] = attrs.field(factory=dict)
    watched: set[Asked] = attrs.field(factory=set)
    sequence: int = 0
    has_snapshot: bool = False
    reported: set[str] = attrs.field(factory=set)
    reading: asyncio.Task[None] | None = None
    problems: list[StoreProblem] = attrs.field(factory=list)
    """The problems of the stores when the snapshot was read."""

    def is_of_interest(self, path: str) -> bool:
        return self.is_directory(path) or any(path in one.names for one in self.stores.values())

    def has_moved(self, reported: set[str]) -> bool:
        """Whether a reported store has become a symbolic link, or a link with another target."""
        return any(
            disk.realname(one.path) not in one.names
            for one in self.stores.values()
            if one.path in reported
        )

    def is_directory(self, path: str) -> bool:
        """Whether the path is a watched directory, in which stores may appear."""
        return any(path == directory for directory, _ in self.watched)


class GatewayNotices:
    """All gateway subscriptions of one connection."""

    def __init__(
        self,
        channel: Channel,
        notify: Callable[[str, Any], None],
        stores: Stores,
        watcher: Watcher,
    ) -> None:
        self._channel = channel
        self._notify = notify
        self._stores = stores
        self._watcher = watcher
        self._subscriptions: dict[str, GatewaySubscription] = {}
        self._numbers = itertools.count(1)
        stores.listeners.append(self.saved)

    async def subscribe(self, scope: StoreScope) -> GatewaySubscription:
        """Watch first, then read the snapshot, so that no change in between is missed."""
        name = f"g{next(self._numbers)}"
        subscription = GatewaySubscription(
            name, scope, Pacer(self._channel, partial(self._begin, name))
        )
        self._subscriptions[name] = subscription
        try:
            self._find_stores(subscription)
            for followed in subscription.stores.values():
                await _take_snapshot(followed, subscription.problems)
        except BaseException:
            self.unsubscribe(name)
            raise
        subscription.has_snapshot = True
        if subscription.reported:
            subscription.pacer.due()
        return subscription

    def unsubscribe(self, name: str) -> None:
        """End a subscription; an unknown name is ignored."""
        subscription = self._subscriptions.pop(name, None)
        if subscription is None:
            return
        subscription.pacer.stop()
        if subscription.reading is not None:
            subscription.reading.cancel()
        for directory, recursive in subscription.watched:
            self._watcher.unwatch(directory, recursive=recursive)

    def report(self, paths: Collection[str]) -> None:
        """Check these paths for changes: stores, or directories with all their files."""
        for subscription in self._subscriptions.values():
            of_interest = {path for path in paths if subscription.is_of_interest(path)}
            if of_interest:
                subscription.reported |= of_interest
                subscription.pacer.due()

    def saved(self, path: str) -> None:
        """Report a store that this process has saved."""
        self.report((path,))

    def stop(self) -> None:
        """End all subscriptions."""
        if self.saved in self._stores.listeners:
            self._stores.listeners.remove(self.saved)
        for name in list(self._subscriptions):
            self.unsubscribe(name)

    def _find_stores(self, subscription: GatewaySubscription) -> None:
        """Add new stores to the subscription, and watch their directories."""
        known = subscription.stores
        for path, agent_id in subscription.scope.stores().items():
            if path not in known:
                store = AgentStore(self._stores.get(path), subscription.scope.layout, agent_id)
                known[path] = Followed(agent_id, path, store)
        for path, followed in known.items():
            followed.names = frozenset((path, followed.store.path, disk.realname(path)))
        watched = subscription.scope.watched(known)
        for directory, recursive in watched - subscription.watched:
            self._watcher.watch(directory, recursive=recursive)
        for directory, recursive in subscription.watched - watched:
            self._watcher.unwatch(directory, recursive=recursive)
        subscription.watched = watched

    def _begin(self, name: str) -> None:
        subscription = self._subscriptions.get(name)
        if subscription is None or not subscription.has_snapshot:
            return
        # Paths reported during a reading are kept for the next one.
        if subscription.reading is None:
            subscription.reading = asyncio.create_task(self._look(subscription))

    async def _look(self, subscription: GatewaySubscription) -> None:
        reported, subscription.reported = subscription.reported, set()
        try:
            everywhere = any(map(subscription.is_directory, reported))
            if everywhere or subscription.has_moved(reported):
                self._find_stores(subscription)
            for followed in list(subscription.stores.values()):
                if everywhere or followed.is_doubtful or not reported.isdisjoint(followed.names):
                    self._tell(subscription, followed, await followed.look())
        finally:
            subscription.reading = None
        if subscription.reported or any(one.is_doubtful for one in subscription.stores.values()):
            subscription.pacer.due()

    def _tell(
        self, subscription: GatewaySubscription, followed: Followed, changes: list[StoreChange]
    ) -> None:
        if not changes:
            return
        subscription.sequence += 1
        self._notify(
            METHOD,
            GatewayDidChangeParams(
                subscription=subscription.name,
                sequence=subscription.sequence,
                agentId=followed.agent_id,
                storePath=followed.path,
                changes=changes,
            ),
        )


async def _take_snapshot(followed: Followed, problems: list[StoreProblem]) -> None:
    try:
        snapshot = await followed.store.read()
    except (ReadFailed, PathNotAllowed) as error:
        problems.append(StoreProblem("unreadableStore", error.message, path=followed.path))
    else:
        followed.told = snapshot.items
        problems += snapshot.problems


def _changes(
    path: str, before: dict[str, StoreEntry], after: dict[str, StoreEntry]
) -> list[StoreChange]:
    faults = EntryFaults([])
    changes = []
    for key, entry in after.items():
        with faults.isolate(key, path):
            if key not in before or before[key].text != entry.text:
                kind: Literal["changed", "added"] = "changed" if key in before else "added"
                changes.append(StoreChange(kind=kind, sessionKey=key, entry=entry.compact()))
    gone = [key for key in before if key not in after]
    return changes + [StoreChange(kind="removed", sessionKey=key, entry=UNSET) for key in gone]
