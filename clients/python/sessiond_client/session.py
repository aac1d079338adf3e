"""An open session. It stays usable when the daemon crashes and is started again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from msgspec import UNSET

from sessiond_client.encoding import Handle, encode
from sessiond_client.events import Lost, SessionChange, SessionReconnected
from sessiond_client.exact import Json, read
from sessiond_client.failures import ClientClosed, ErrorAnswer, InvalidAnswer, SessionLost
from sessiond_client.feed import Feed, Stream
from sessiond_client.generated.contract import (
    AppendResult,
    Entry,
    SessionDidChangeParams,
    SessionState,
)
from sessiond_client.generated.errors import UnknownSession
from sessiond_client.generated.session_calls import GetEntriesOptions, SessionCalls
from sessiond_client.pages import pages

if TYPE_CHECKING:
    from sessiond_client.connection import Connection
    from sessiond_client.dispatch import Sender

T = TypeVar("T")

_CHANGE: Any = SessionDidChangeParams
"""A union, which is no class for a type checker."""


class Session(SessionCalls, Handle):
    """An open session, with its own leaf.

    `state` is the last state that the daemon reported, on opening or in answer to `get_state`.
    `leaf_id` and `tip_id` are kept current with the changes of this client and of others: where the
    handle stands, and the last entry of the file.
    """

    def __init__(self, sender: Sender, handle: str, *, follow: bool) -> None:
        self._sender = sender
        self._handle = handle
        self._follow = follow
        self._changes: Feed[SessionChange] = Feed(keep=True, home=sender.home)
        self._gone: Exception | None = None
        self.tip_id: str | None = None
        self.leaf_id: str | None = None
        self.state: SessionState

    @property
    def handle(self) -> str:
        return self._handle

    def changes(self) -> Stream[SessionChange]:
        """Return a stream of the changes that were not made with this handle.

        The first stream begins with the opening of the session, or with the last 1,024 changes if
        there were more; later ones begin now. After a restart of the daemon a stream yields
        `SessionReconnected`: changes made in between are not reported one by one. If the session
        cannot be opened again, it yields `Lost` and ends.
        """
        return self._changes.stream()

    async def entries(
        self, *, page_size: int = 500, **options: Unpack[GetEntriesOptions]
    ) -> AsyncIterator[Entry]:
        """Yield all entries of the file, which are read page by page.

        The options are the arguments of `get_entries`.
        """
        async for entry in pages(
            lambda cursor: self.get_entries(cursor=cursor, limit=page_size, **options),
            lambda page: page.entries,
        ):
            yield entry

    def on_change(self, callback: Callable[[SessionChange], object]) -> Callable[[], None]:
        """Call `callback` with every change. Return a function that stops this.

        The first callback, if there is no stream, is also called with the changes since the
        opening of the session.
        """
        return self._changes.listen(callback)

    async def close(self) -> None:
        """Close the session. Its file stays."""
        if self._gone is None:
            with suppress(UnknownSession, ClientClosed):
                await super().close()
        self.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Session {self.state.session_id} in {self.state.session_file or 'memory'}>"

    async def _request(
        self, method: str, params: dict[str, Any], result: type[T], *, repeat: bool
    ) -> T:
        def accept(text: bytes) -> T:
            value = read(text, result)
            self._follow_result(value)
            return value

        self._check()
        return await self._sender.send(
            method, {"session": self, **params}, accept, repeat=repeat, check=self._check
        )

    # Called by the client and by the `Sender`.

    def opened(self, result: bytes) -> Self:
        """Handle the answer to the request that opened the session."""
        self._follow_result(read(result, SessionState))
        self._sender.followers[self.handle] = self
        return self

    def take(self, params: Json) -> None:
        """Handle the params of `session/didChange`."""
        change: SessionDidChangeParams = read(params, _CHANGE)
        self.leaf_id, self.tip_id = change.leaf_id, change.tip_id
        self._changes.publish(change)

    async def renew(self, connection: Connection) -> None:
        """Open the session again in a new process of the daemon."""
        before = self.state
        if before.session_file is None:
            self.end(SessionLost("the session was in the memory of a daemon that crashed"))
            return
        # An empty session need not have a file.
        filled = self.tip_id is not None
        followed = self._follow and self.leaf_id == self.tip_id
        params = {
            "path": before.session_file,
            "sessionDir": before.session_dir or UNSET,
            "cwd": before.cwd or UNSET,
            "readOnly": before.read_only,
            "follow": self._follow,
            "leafId": UNSET if followed else self.leaf_id,
            "mustExist": filled,
            "session": self._handle,
        }

        def opened(result: bytes) -> bool:
            # Before a change in the next message, which is newer than this state.
            state = read(result, SessionState)
            if filled and state.session_id != before.session_id:
                return False
            self._follow_result(state)
            self._changes.publish(SessionReconnected(state))
            return True

        try:
            if not await connection.request("session/open", encode(params), opened):
                await connection.request("session/close", encode({"session": self}))
                self.end(SessionLost(f"{before.session_file} is another session now"))
        except (ErrorAnswer, InvalidAnswer) as error:
            lost = SessionLost(
                f"{before.session_file} could not be opened again after the daemon crashed: {error}"
            )
            lost.__cause__ = error
            self.end(lost)

    @property
    def gone_file(self) -> str | None:
        return self.state.session_file or "" if isinstance(self._gone, SessionLost) else None

    def end(self, reason: Exception | None = None) -> None:
        """End the streams of changes, and refuse requests from now on."""
        self._gone = self._gone or reason or ClientClosed("the session is closed")
        followers = self._sender.followers
        if followers.get(self.handle) is self:
            del followers[self.handle]
        if reason is not None:
            self._changes.publish(Lost(reason))
        self._changes.end()

    def _check(self) -> None:
        if self._gone is not None:
            raise self._gone

    def _follow_result(self, value: Any) -> None:
        if isinstance(value, SessionState):
            self.state, self.leaf_id, self.tip_id = value, value.leaf_id, value.tip_id
        elif isinstance(value, AppendResult):
            self.leaf_id = value.leaf_id
            if value.existed is not True:
                self.tip_id = value.id
        elif hasattr(value, "leaf_id"):
            self.leaf_id = value.leaf_id
