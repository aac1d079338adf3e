"""A subscription: a snapshot, and the changes after it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from sessiond_client.encoding import Handle, encode
from sessiond_client.events import Lost, SubscriptionReconnected
from sessiond_client.exact import Json, read
from sessiond_client.failures import ClientClosed, ErrorAnswer, InvalidAnswer
from sessiond_client.feed import Feed, Stream

if TYPE_CHECKING:
    from sessiond_client.connection import Connection
    from sessiond_client.dispatch import Sender

Snapshot = TypeVar("Snapshot")
Change = TypeVar("Change")


class Subscription(Handle, Generic[Snapshot, Change]):
    """A subscription. Iterate over it for changes.

    After a restart of the daemon, iterating yields `SubscriptionReconnected` with a new snapshot in
    place of the changes that were missed; `snapshot` is then another object, too. If the client
    cannot subscribe again, iterating yields `Lost` and ends.
    """

    def __init__(
        self,
        sender: Sender,
        handle: str,
        begin: tuple[str, dict[str, Any]],
        kinds: tuple[type[Snapshot], type[Change]],
        ending: str,
    ) -> None:
        self._sender = sender
        self._handle = handle
        self._begin = begin
        self._snapshot_kind, self._change_kind = kinds
        self._ending = ending
        self._feed: Feed[Change | SubscriptionReconnected[Snapshot] | Lost] = Feed(home=sender.home)
        self._first = self._feed.stream()
        self.snapshot: Snapshot

    @property
    def handle(self) -> str:
        return self._handle

    def begun(self, result: bytes) -> Self:
        """Handle the answer with the snapshot."""
        self.snapshot = read(result, self._snapshot_kind)
        self._sender.followers[self.handle] = self
        return self

    def take(self, params: Json) -> None:
        self._feed.publish(read(params, self._change_kind))

    async def renew(self, connection: Connection) -> None:
        """Subscribe again in a new process of the daemon."""
        method, params = self._begin

        def begun(result: bytes) -> None:
            # Before a change in the next message, which is newer than the snapshot.
            self.begun(result)
            self._feed.publish(SubscriptionReconnected(self.snapshot))

        try:
            await connection.request(method, encode(params), begun)
        except (ErrorAnswer, InvalidAnswer) as error:
            self.end(error)

    @property
    def gone_file(self) -> str | None:
        return None

    def end(self, reason: Exception | None = None) -> None:
        """End the stream of changes: after `Lost`, if there is a reason."""
        if reason is not None:
            self._feed.publish(Lost(reason))
        self._feed.end()

    def __aiter__(self) -> Stream[Change | SubscriptionReconnected[Snapshot] | Lost]:
        """Return the stream of changes since the snapshot: always the same one."""
        return self._first

    async def close(self) -> None:
        """End the subscription."""
        if self._sender.followers.get(self.handle) is self:
            del self._sender.followers[self.handle]
            self.end()
            with suppress(ClientClosed):
                await self._sender.send(self._ending, {"subscription": self}, bytes, repeat=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
