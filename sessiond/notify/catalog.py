"""`catalog/didChange`: notify subscribers of changed session files, open or not."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog.subscribe import CatalogChange, CatalogDidChangeParams
from sessiond_protocol.session.state import SessionInfo

from sessiond.catalog.index.indexer import Indexer
from sessiond.catalog.listing import Changed, Listing
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary
from sessiond.isolation import Faults
from sessiond.notify.pacing import Channel, Pacer

logger = logging.getLogger(__name__)

METHOD = "catalog/didChange"


@attrs.define(eq=False)
class CatalogSubscription:
    """A subscription to one scope.

    `told` is the listing that the client knows; `reported` are paths that may have changed since.
    """

    name: str
    told: Listing
    pacer: Pacer
    with_subagents: bool
    sequence: int = 0
    has_snapshot: bool = False
    reported: set[str] = attrs.field(factory=set)
    reading: asyncio.Task[None] | None = None
    has_failed: bool = False
    """Whether the last reading failed."""

    def shows(self, summary: Summary) -> bool:
        """Whether the client is told of a session."""
        return self.with_subagents or summary.header.subagent is None


class CatalogNotices:
    """All catalogue subscriptions of one connection."""

    def __init__(
        self,
        channel: Channel,
        notify: Callable[[str, Any], None],
        info: Callable[[Summary], SessionInfo],
        indexer: Indexer,
        read: Callable[..., Awaitable[Listing]],
    ) -> None:
        self._indexer = indexer
        self._read_again = read
        """Reads a listing again: see `Catalogue.read`."""
        self._channel = channel
        self._notify = notify
        self._info = info
        self._subscriptions: dict[str, CatalogSubscription] = {}
        self._numbers = itertools.count(1)

    async def subscribe(self, scope: SessionScope, *, with_subagents: bool) -> CatalogSubscription:
        """Read a snapshot; later reports are compared with it."""
        name = f"c{next(self._numbers)}"
        subscription = CatalogSubscription(
            name,
            Listing(scope),
            Pacer(self._channel, partial(self._begin, name)),
            with_subagents,
        )
        self._subscriptions[name] = subscription
        try:
            subscription.told = await self._read_again(subscription.told)
        except BaseException:
            self.unsubscribe(name)
            raise
        subscription.has_snapshot = True
        # A client that shows a list will probably search it: index these sessions now.
        self._indexer.want(subscription.told.newest_first())
        if subscription.reported:
            subscription.pacer.due()
        return subscription

    def unsubscribe(self, name: str) -> SessionScope | None:
        """End a subscription; returns its scope, or None if the name is unknown."""
        subscription = self._subscriptions.pop(name, None)
        if subscription is None:
            return None
        subscription.pacer.stop()
        if subscription.reading is not None:
            subscription.reading.cancel()
        return subscription.told.scope

    def report(self, paths: Collection[str]) -> None:
        """Check these paths for changes: files, or directories with all their files."""
        for subscription in self._subscriptions.values():
            scope = subscription.told.scope
            places = [place for place, _ in scope.watched]
            of_interest = {
                path
                for path in paths
                if scope.holds(path) or any(_meets(path, place) for place in places)
            }
            if of_interest:
                subscription.reported |= of_interest
                subscription.pacer.due()

    def stop(self) -> None:
        for name in list(self._subscriptions):
            self.unsubscribe(name)

    def _begin(self, name: str) -> None:
        subscription = self._subscriptions.get(name)
        if subscription is None or not subscription.has_snapshot or not subscription.reported:
            return
        # Paths reported during a scan are kept for the next one.
        if subscription.reading is None:
            subscription.reading = asyncio.create_task(self._read(subscription))

    async def _read(self, subscription: CatalogSubscription) -> None:
        reported, subscription.reported = subscription.reported, set()
        before = subscription.told
        had_failed, subscription.has_failed = subscription.has_failed, True
        try:
            subscription.told = await self._read_again(before, reported)
            subscription.has_failed = False
        except Exception:
            logger.exception("%s cannot be read", before.scope.directory)
        finally:
            subscription.reading = None
        if subscription.has_failed:
            # Try once more, and what was reported meanwhile, too; then the next report does.
            if subscription.reported or not had_failed:
                subscription.pacer.due()
            subscription.reported |= reported
            return
        faults = Faults()
        changes = [
            change
            for change in subscription.told.since(before)
            if subscription.shows(change.summary or before.sessions[change.path])
        ]
        told = faults.each(changes, lambda change: change.path, _told(self._info))
        if faults:
            # A session that cannot be encoded counts as removed until the next attempt.
            subscription.told = subscription.told.without(faults)
            gone = (fault.path for fault in faults if fault.path in before.sessions)
            told += [CatalogChange(kind="removed", path=path) for path in gone]
        self._indexer.want([change.summary for change in changes if change.summary])
        if told:
            self._indexer.tidy(again=any(change.kind == "removed" for change in changes))
            subscription.sequence += 1
            self._notify(
                METHOD,
                CatalogDidChangeParams(
                    subscription=subscription.name,
                    sequence=subscription.sequence,
                    changes=told,
                ),
            )
        if subscription.reported:
            subscription.pacer.due()


def _told(info: Callable[[Summary], SessionInfo]) -> Callable[[Changed], CatalogChange]:
    """Return a function that converts a change to the form of the contract."""
    return lambda change: CatalogChange(
        kind=change.kind,
        path=change.path,
        info=info(change.summary) if change.summary else UNSET,
    )


def _meets(path: str, directory: str) -> bool:
    """Whether a reported directory is the one of the scope, or above it, or below it."""
    if path.endswith(".jsonl"):
        return False
    return (
        path == directory
        or directory.startswith(path.rstrip("/") + "/")
        or path.startswith(directory + "/")
    )
