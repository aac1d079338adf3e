"""The common part of all subscriptions: paths are reported, and soon something is read again."""

from __future__ import annotations

import asyncio
import itertools
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Generic, TypeVar

import attrs

from sessiond.runtime.errors import InvalidParams
from sessiond.sessions.notifications.pacing import Channel, Pacer

logger = logging.getLogger(__name__)


@attrs.define(eq=False)
class Subscription:
    """A subscription of one client; `reported` are paths that may have changed."""

    name: str
    pacer: Pacer
    sequence: int = 0
    has_snapshot: bool = False
    """Whether the client knows what it is told the changes of."""
    reported: set[str] = attrs.field(factory=set)
    reading: asyncio.Task[None] | None = None
    has_failed: bool = False
    """Whether the last reading raised an exception."""


_S = TypeVar("_S", bound=Subscription)


class Subscriptions(ABC, Generic[_S]):
    """All subscriptions of one kind of a connection."""

    prefix: str
    """The beginning of the names."""

    def __init__(self, channel: Channel, notify: Callable[[str, Any], None]) -> None:
        self._channel = channel
        self._notify = notify
        self._subscriptions: dict[str, _S] = {}
        self._numbers = itertools.count(1)

    def _add(self, name: str | None, make: Callable[[str, Pacer], _S]) -> _S:
        """Make a subscription known; `start` begins to notify the client.

        Raises InvalidParams if the name is taken; without one, the next free one is used.
        """
        if name is None:
            names = (f"{self.prefix}{number}" for number in self._numbers)
            name = next(each for each in names if each not in self._subscriptions)
        elif name in self._subscriptions:
            raise InvalidParams(f"{name} is another subscription", "$.subscription")
        subscription = make(name, Pacer(self._channel, partial(self._begin, name)))
        self._subscriptions[name] = subscription
        return subscription

    def start(self, subscription: _S) -> None:
        """Notify the client from now on; right before the snapshot is answered."""
        subscription.has_snapshot = True
        if subscription.reported:
            subscription.pacer.due()

    def unsubscribe(self, name: str) -> _S | None:
        """End a subscription; returns it, or None if the name is unknown."""
        subscription = self._subscriptions.pop(name, None)
        if subscription is not None:
            subscription.pacer.stop()
            if subscription.reading is not None:
                subscription.reading.cancel()
        return subscription

    def stop(self) -> None:
        """End all subscriptions; no more messages are sent."""
        for name in list(self._subscriptions):
            self.unsubscribe(name)

    def report(self, paths: Collection[str]) -> None:
        """Check these files, and directories with all their files, for changes to send."""
        for subscription in self._subscriptions.values():
            of_interest = self._of_interest(subscription, paths)
            if of_interest:
                subscription.reported |= of_interest
                subscription.pacer.due()

    @abstractmethod
    def _of_interest(self, subscription: _S, paths: Collection[str]) -> set[str]:
        """The paths that may concern a subscription."""

    @abstractmethod
    async def _read(self, subscription: _S, reported: set[str]) -> bool:
        """Read what was reported, and notify the client; returns whether to do so once more."""

    def _begin(self, name: str) -> None:
        subscription = self._subscriptions.get(name)
        if subscription is None or not subscription.has_snapshot:
            return
        # Paths reported during a reading are kept for the next one.
        if subscription.reading is None:
            subscription.reading = asyncio.create_task(self._read_reported(subscription))

    async def _read_reported(self, subscription: _S) -> None:
        reported, subscription.reported = subscription.reported, set()
        had_failed, subscription.has_failed = subscription.has_failed, False
        again = False
        try:
            again = await self._read(subscription, reported)
        except Exception:
            logger.exception("the changes for subscription %s cannot be read", subscription.name)
            subscription.has_failed = True
            # Try once more, and what was reported meanwhile, too; then the next report does.
            again = not had_failed
        finally:
            subscription.reading = None
        if subscription.reported or again:
            subscription.pacer.due()
        if subscription.has_failed:
            subscription.reported |= reported
