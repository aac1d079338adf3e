"""The methods of the family `gateway/`: the session layer of CoderClaw and OpenClaw."""

from __future__ import annotations

from typing import Any

from sessiond.gateway.store.store import Stores
from sessiond.gateway.titles import TranscriptEnds
from sessiond.methods.app import App, Gateway, Handler, Handlers
from sessiond.methods.gateway import (
    begin,
    change,
    maintain,
    migrate,
    record,
    replies,
    request,
    rules,
    subscribe,
    transcripts,
    usage,
)
from sessiond.methods.gateway.list import METHODS as LIST
from sessiond.methods.gateway.transaction import repeating
from sessiond.notify.gateway import GatewayNotices

_GROUPS: tuple[Handlers, ...] = (
    rules.METHODS,
    replies.METHODS,
    request.METHODS,
    change.METHODS,
    LIST,
    begin.METHODS,
    maintain.METHODS,
    migrate.METHODS,
    subscribe.METHODS,
    record.METHODS,
    transcripts.METHODS,
    usage.METHODS,
)


def load(app: App) -> list[Handlers]:
    """Create what the methods need, and return the methods by their names on the wire."""
    stores = app.engine.stores = app.engine.stores or Stores(app.engine.config.lock_timeout)
    notices = GatewayNotices(app.server.connection, app.server.notify, stores, app.live.watcher)
    app.live.others.append(notices)
    app.attached = Gateway(stores, notices, TranscriptEnds())
    return [{name: _repeating(handler) for name, handler in group.items()} for group in _GROUPS]


def _repeating(handler: Handler) -> Handler:
    """The method, repeated if a writer without the lock changed the store meanwhile."""

    async def repeated(app: App, params: Any) -> Any:
        return await repeating(lambda: handler(app, params))

    return repeated
