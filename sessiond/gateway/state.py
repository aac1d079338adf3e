"""The state of the methods of `gateway/`, which most clients never call."""

from __future__ import annotations

import attrs

from sessiond.gateway.notifications import GatewayNotices
from sessiond.gateway.store import Stores
from sessiond.methods.client import Client

_ANNEX = "gateway"


@attrs.frozen
class Gateway:
    """The state of one client."""

    stores: Stores
    """Shared by all clients of the engine."""
    notices: GatewayNotices
    """The subscriptions."""


def attach(client: Client) -> None:
    """Create the state, which `state_of` then returns."""
    engine = client.engine
    stores = engine.annexes.setdefault(_ANNEX, Stores(engine.config.lock_timeout))
    notices = GatewayNotices(client.listener, client.listener.notify, stores, client.live.watcher)
    client.live.subscriptions.append(notices)
    client.annexes[_ANNEX] = Gateway(stores, notices)


def state_of(client: Client) -> Gateway:
    """Return the state of a client that `attach` was called with."""
    state: Gateway = client.annexes[_ANNEX]
    return state
