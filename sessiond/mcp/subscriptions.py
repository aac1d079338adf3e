"""Notify the client when the sessions change that it has subscribed to, or their list.

Up to version 2025-11-25 there is one set of addresses for the connection (`resources/subscribe`),
and a client that has listed the sessions is notified when the list changes. Later each
`subscriptions/listen` request says what it wants, and ends when it is cancelled.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable
from typing import Any

import attrs
import msgspec
from msgspec import UNSET
from sessiond_protocol.errors import INVALID_PARAMS, INVALID_REQUEST

from sessiond.errors import ProtocolError, SessiondError
from sessiond.jsontext.spans import loads
from sessiond.mcp.resources import ResourceParams, Resources
from sessiond.mcp.server import SUBSCRIPTION_ID, McpRequest, McpServer
from sessiond.mcp.sessions import Info, ShownSessions
from sessiond.rpc import codec
from sessiond.rpc.codec import encode
from sessiond.rpc.server import ANSWERED_LATER, Server

PAUSE_SECONDS = 0.25
"""Shortest time between two notifications of the same kind."""


class PacedNotice:
    """One notification that is sent again and again; `send` sends it."""

    def __init__(self, connection: Server, send: Callable[[], None]) -> None:
        self._connection = connection
        self._send = send
        self._is_due = False
        self._is_held = True
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Send what was due before, and from now on; without effect if it was called before."""
        if self._is_held:
            self._is_held = False
            self._next()

    def due(self) -> None:
        """Send it, now or when the pause has passed."""
        self._is_due = True
        if self._timer is None and not self._is_held:
            self._next()

    def stop(self) -> None:
        self._is_held = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _next(self) -> None:
        self._timer = None
        if not self._is_due:
            return
        # A client that does not read is notified later, once.
        if self._connection.writable:
            self._is_due = False
            self._send()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._next)


class ShownList:
    """Calls its listeners when a session was added, removed, or has another title."""

    def __init__(self, server: McpServer, sessions: ShownSessions) -> None:
        self._sessions = sessions
        self._listeners: list[Callable[[], None]] = []
        self._subscription: str | None = None
        self._titles: dict[str, str] = {}
        """Titles of the sessions that are shown, by path."""
        self._changing = asyncio.Lock()
        server.listeners["catalog/didChange"] = self._changed

    async def follow(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each change. Raises as `catalog/subscribe` does."""
        async with self._changing:
            if self._subscription is None:
                answer = await self._sessions.call("catalog/subscribe")
                self._subscription = answer["subscription"]
                self._titles = {
                    info["path"]: self._sessions.title(info)
                    for info in answer["sessions"]
                    if self._sessions.shows(info)
                }
            self._listeners.append(listener)

    async def forget(self, listener: Callable[[], None]) -> None:
        """Stop calling `listener`, and watching if there is no other."""
        async with self._changing:
            self._listeners.remove(listener)
            if not self._listeners:
                ended, self._subscription = self._subscription, None
                await self._sessions.call("catalog/unsubscribe", subscription=ended)

    def _changed(self, params: Any) -> None:
        if params.subscription != self._subscription:
            return
        is_changed = False
        for change in params.changes:
            info: Info | None = None if change.info is UNSET else loads(encode(change.info))
            title = self._sessions.title(info) if info and self._sessions.shows(info) else None
            before = self._titles.pop(change.path, None)
            if title is not None:
                self._titles[change.path] = title
            is_changed |= title != before
        if is_changed:
            for listener in self._listeners:
                listener()


_MOST = 1000
"""Maximum number of addresses that a client subscribes to."""

Subscriber = McpRequest | None
"""The listening request that a subscription belongs to. Not its id, which the client may use again
after it has cancelled the request."""

_HANDSHAKE: Subscriber = None
"""The subscriber of a connection with a handshake."""


class SubscriptionFilter(msgspec.Struct):
    """What a client wants to be notified of; other things never change here."""

    resource_subscriptions: list[str] = msgspec.field(
        name="resourceSubscriptions", default_factory=list
    )
    list_changed: bool = msgspec.field(name="resourcesListChanged", default=False)


class ListenParams(msgspec.Struct):
    """`subscriptions/listen`."""

    notifications: SubscriptionFilter


@attrs.define(eq=False)
class _Watch:
    """One address in one subscription."""

    handle: str
    notice: PacedNotice


class Subscriptions:
    """The subscriptions of one client."""

    def __init__(self, server: McpServer, sessions: ShownSessions, resources: Resources) -> None:
        self._server = server
        self._sessions = sessions
        self._resources = resources
        self._watches: dict[tuple[Subscriber, str], _Watch] = {}
        self._list = ShownList(server, sessions)
        self._list_notices: dict[Subscriber, PacedNotice] = {}
        self._listening: dict[bytes, McpRequest] = {}
        self._starting: set[McpRequest] = set()
        """Listening requests that are not acknowledged yet: `listen` itself ends them."""
        self._endings: set[asyncio.Task[None]] = set()
        server.listeners["session/didChange"] = self._changed
        server.cancelling.append(self._cancelled)
        server.ending.append(self._end_all)

    async def subscribe(self, request: McpRequest, params: ResourceParams) -> dict[str, Any]:
        _, info = await self._resources.find(request, params.uri)
        if len(self._watches) >= _MOST:
            raise ProtocolError(INVALID_PARAMS, f"At most {_MOST} resources can be subscribed to")
        await self._watch(_HANDSHAKE, params.uri, info)
        self._watches[_HANDSHAKE, params.uri].notice.begin()
        return {}

    async def unsubscribe(self, _request: McpRequest, params: ResourceParams) -> dict[str, Any]:
        await self._forget([(_HANDSHAKE, params.uri)])
        return {}

    async def follow_list(self) -> None:
        """Notify a client with a handshake when the list of sessions changes."""
        if _HANDSHAKE not in self._list_notices:
            await self._watch_list(_HANDSHAKE)
            self._list_notices[_HANDSHAKE].begin()

    async def listen(self, request: McpRequest, params: ListenParams) -> Any:
        if request.id in self._listening:
            raise ProtocolError(INVALID_REQUEST, "This id belongs to a subscription already")
        self._listening[request.id] = request
        self._starting.add(request)
        wanted = dict.fromkeys(params.notifications.resource_subscriptions)
        try:
            accepted = [uri for uri in wanted if await self._accept(request, uri)]
            if params.notifications.list_changed:
                await self._watch_list(request)
        except BaseException:
            if self._listening.get(request.id) is request:
                del self._listening[request.id]
            self._forget_later(request)
            raise
        finally:
            self._starting.discard(request)
        agreed = {"resourcesListChanged": True} if params.notifications.list_changed else {}
        self._tell(
            "notifications/subscriptions/acknowledged",
            request,
            {"notifications": {"resourceSubscriptions": accepted, **agreed}},
        )
        # The acknowledgement has to be the first message of a subscription.
        for notice in self._notices(request):
            notice.begin()
        return ANSWERED_LATER

    def _notices(self, subscriber: Subscriber) -> list[PacedNotice]:
        found = [watch.notice for (of, _), watch in self._watches.items() if of is subscriber]
        return found + [self._list_notices[it] for it in self._list_notices if it is subscriber]

    async def _watch_list(self, subscriber: Subscriber) -> None:
        """Raises as `catalog/subscribe` does."""
        notice = self._notice("notifications/resources/list_changed", subscriber, {})
        self._list_notices[subscriber] = notice
        try:
            await self._list.follow(notice.due)
        except BaseException:
            del self._list_notices[subscriber]
            raise

    def _notice(self, method: str, subscriber: Subscriber, params: dict[str, Any]) -> PacedNotice:
        send = functools.partial(self._tell, method, subscriber, params)
        return PacedNotice(self._server, send)

    async def _accept(self, request: McpRequest, uri: str) -> bool:
        """Watch an address; false if there is no such resource, or if it cannot be read."""
        if len(self._watches) >= _MOST:
            return False
        try:
            _, info = await self._resources.find(request, uri)
            await self._watch(request, uri, info)
        except (ProtocolError, SessiondError):
            return False
        return True

    async def _watch(self, subscriber: Subscriber, uri: str, info: Info) -> None:
        """Raises as `session/open` does."""
        if (subscriber, uri) in self._watches:
            return
        state = await self._sessions.call(
            "session/open", path=info["path"], readOnly=True, mustExist=True
        )
        replaced = self._watches.pop((subscriber, uri), None)
        notice = self._notice("notifications/resources/updated", subscriber, {"uri": uri})
        self._watches[subscriber, uri] = _Watch(state["session"], notice)
        if replaced is not None:
            await self._close(replaced)

    async def _forget(self, keys: Iterable[tuple[Subscriber, str]]) -> None:
        for watch in [self._watches.pop(key) for key in keys if key in self._watches]:
            await self._close(watch)

    async def _forget_all(self, subscriber: Subscriber) -> None:
        await self._forget([key for key in self._watches if key[0] is subscriber])
        notice = self._list_notices.pop(subscriber, None)
        if notice is not None:
            notice.stop()
            await self._list.forget(notice.due)

    async def _close(self, watch: _Watch) -> None:
        watch.notice.stop()
        await self._sessions.call("session/close", session=watch.handle)

    def _changed(self, params: Any) -> None:
        for watch in self._watches.values():
            if watch.handle == params.session:
                watch.notice.due()

    def _tell(self, method: str, subscriber: Subscriber, params: dict[str, Any]) -> None:
        if subscriber is not None:
            params = {"_meta": {SUBSCRIPTION_ID: msgspec.Raw(subscriber.id)}, **params}
        self._server.tell(method, params)

    def _cancelled(self, id_: bytes) -> None:
        request = self._listening.pop(id_, None)
        if request is not None and request not in self._starting:
            self._forget_later(request)

    def _forget_later(self, subscriber: McpRequest) -> None:
        ending = asyncio.get_running_loop().create_task(self._forget_all(subscriber))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    def _end_all(self) -> None:
        """Answer every listening request, because the server stops."""
        for id_, request in self._listening.items():
            raw = msgspec.Raw(id_)
            result = request.completed({"_meta": {SUBSCRIPTION_ID: raw}}, None)
            self._server.send(codec.answer(id_, result, plain_json=False))
            # Required as well (specification 2026-07-28, "Cancellation").
            self._server.tell("notifications/cancelled", {"requestId": raw})
        self._listening.clear()
