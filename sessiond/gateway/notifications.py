"""`gateway/didChange`: notify subscribers of changed sessions in a gateway's stores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.gateway.subscribe import GatewayDidChangeParams

from sessiond.files import disk
from sessiond.files.watching import WatchedPath, Watching
from sessiond.gateway.followed_store import Followed, StoreNews
from sessiond.gateway.places import StoreScope
from sessiond.gateway.store import Store, Stores
from sessiond.sessions.notifications.pacing import Channel
from sessiond.sessions.notifications.subscriptions import Subscription, Subscriptions

METHOD = "gateway/didChange"

_MOST_CHANGES = 256
"""Changes in one notification: encoding more at once would block the event loop."""


@attrs.define(eq=False, kw_only=True)
class GatewaySubscription(Subscription):
    """A subscription to some stores."""

    scope: StoreScope
    stores: dict[str, Followed] = attrs.field(factory=dict)
    watched: set[WatchedPath] = attrs.field(factory=set)
    problems: list[StoreProblem] = attrs.field(factory=list)
    """The problems of the stores when the snapshot was read."""

    @property
    def size(self) -> int:
        """Total size of the stores in bytes."""
        return sum(followed.size for followed in self.stores.values())

    @property
    def paths(self) -> set[str]:
        """The paths whose changes concern it: stores, what may replace them, and directories."""
        directories = {directory for directory, _ in self.watched}
        return directories.union(*(one.names for one in self.stores.values()))

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


class GatewayNotices(Subscriptions[GatewaySubscription]):
    """All gateway subscriptions of one connection."""

    prefix = "g"

    def __init__(
        self,
        channel: Channel,
        notify: Callable[[str, Any], None],
        stores: Stores,
        watcher: Watching,
    ) -> None:
        super().__init__(channel, notify)
        self._stores = stores
        self._watcher = watcher
        stores.listeners.append(self.saved)

    async def subscribe(self, scope: StoreScope, name: str | None = None) -> GatewaySubscription:
        """Watch first, then read the snapshot, so that no change in between is missed.

        Changes are kept until `start`. Raises InvalidParams if the name is taken.
        """
        subscription = self._add(
            name, lambda name, pacer: GatewaySubscription(name, pacer, scope=scope)
        )
        try:
            self._find_stores(subscription)
            for followed in subscription.stores.values():
                subscription.problems += await followed.take_snapshot()
        except BaseException:
            self.unsubscribe(subscription.name)
            raise
        return subscription

    def unsubscribe(self, name: str) -> GatewaySubscription | None:
        subscription = super().unsubscribe(name)
        if subscription is not None:
            for directory, recursive in subscription.watched:
                self._watcher.unwatch(directory, recursive=recursive)
        return subscription

    def _of_interest(self, subscription: GatewaySubscription, paths: Collection[str]) -> set[str]:
        return subscription.paths.intersection(paths)

    def saved(self, path: str) -> None:
        """Report a store that this process has saved."""
        self.report((path,))

    def stop(self) -> None:
        if self.saved in self._stores.listeners:
            self._stores.listeners.remove(self.saved)
        super().stop()

    def _find_stores(self, subscription: GatewaySubscription) -> None:
        """Add new stores to the subscription, and watch their directories."""
        followed_stores = subscription.stores
        for path, agent_id in subscription.scope.stores().items():
            if path not in followed_stores:
                store = Store(path, subscription.scope.layout, agent_id, self._stores)
                followed_stores[path] = Followed(agent_id, path, store)
        places: set[str] = set()
        for path, followed in followed_stores.items():
            databases = followed.store.databases()
            followed.names = databases.union((path, followed.store.path, disk.realname(path)))
            places.update(databases)
        watched = subscription.scope.watched([*followed_stores, *places])
        for directory, recursive in watched - subscription.watched:
            self._watcher.watch(directory, recursive=recursive)
        for directory, recursive in subscription.watched - watched:
            self._watcher.unwatch(directory, recursive=recursive)
        subscription.watched = watched

    async def _read(self, subscription: GatewaySubscription, reported: set[str]) -> bool:
        everywhere = any(map(subscription.is_directory, reported))
        if everywhere or subscription.has_moved(reported):
            self._find_stores(subscription)
        for followed in list(subscription.stores.values()):
            is_reported = not reported.isdisjoint(followed.names)
            if everywhere or followed.is_doubtful or followed.failures or is_reported:
                await self._tell(subscription, followed, await followed.look())
        # A store that could not be read is tried once more at once, and then with the next report.
        return any(one.is_doubtful or one.failures == 1 for one in subscription.stores.values())

    async def _tell(
        self, subscription: GatewaySubscription, followed: Followed, news: StoreNews
    ) -> None:
        """Send the news, of many changes in several notifications."""
        changes, problems = news.changes, news.problems
        while changes or problems is not None:
            subscription.sequence += 1
            self._notify(
                METHOD,
                GatewayDidChangeParams(
                    subscription=subscription.name,
                    sequence=subscription.sequence,
                    agentId=followed.agent_id,
                    storePath=followed.path,
                    changes=changes[:_MOST_CHANGES],
                    problems=UNSET if problems is None else list(problems),
                ),
            )
            changes, problems = changes[_MOST_CHANGES:], None
            if changes:
                # Other requests come between.
                await asyncio.sleep(0)
