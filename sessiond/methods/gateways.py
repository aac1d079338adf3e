"""CoderClaw's session layer as a whole: its methods, and what they work on beside the sessions."""

from __future__ import annotations

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
from sessiond.methods.app import App, Handlers
from sessiond.methods.gatewaystate import Gateway
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
    return [group.METHODS for group in _GROUPS]
