"""CoderClaw's session layer as a whole: its methods, and what they work on beside the sessions."""

from __future__ import annotations

from typing import Any

from sessiond.gateway.store import Stores
from sessiond.methods import (
    beginning,
    cutting,
    following,
    gateway,
    legacy,
    maintaining,
    managing,
    previews,
    records,
    replies,
    roster,
    stores,
    usage,
)
from sessiond.methods.app import App, Handler, Handlers
from sessiond.methods.gatewaystate import Gateway
from sessiond.methods.saving import repeating
from sessiond.notify.gateway import GatewayNotices

_GROUPS = (
    gateway,
    replies,
    stores,
    managing,
    roster,
    beginning,
    maintaining,
    legacy,
    following,
    records,
    previews,
    cutting,
    usage,
)


def load(app: App) -> list[Handlers]:
    """Make what the methods need; returns them."""
    stores = Stores(app.config.lock_timeout)
    connection, live = app.server.connection, app.live
    notices = GatewayNotices(connection, app.server.notify, stores, live.watcher)
    stores.listeners.append(notices.saved)
    live.others.append(notices)
    app.attached = Gateway(stores, notices)
    return [
        {name: _repeating(handler) for name, handler in group.METHODS.items()} for group in _GROUPS
    ]


def _repeating(handler: Handler) -> Handler:
    """The same method, asked again where a writer without the lock came in between."""

    async def repeated(app: App, params: Any) -> Any:
        return await repeating(lambda: handler(app, params))

    return repeated
