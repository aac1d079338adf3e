"""The methods of the family `gateway/`: the session layer of CoderClaw and OpenClaw.

The package is imported when a client calls the first of them, because most clients never do and
the classes of the contract take time to create. `load` then adds the stores and subscriptions to
the engine and the client.
"""

from __future__ import annotations

from typing import Any

from sessiond.gateway.methods import begin, change, maintain, record, replies, subscribe
from sessiond.gateway.methods.list import METHODS as LIST
from sessiond.gateway.state import attach
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handlers

_GROUPS: tuple[Handlers, ...] = (
    replies.METHODS,
    change.METHODS,
    LIST,
    begin.METHODS,
    maintain.METHODS,
    subscribe.METHODS,
    record.METHODS,
)


def load(client: Client) -> list[Handlers]:
    """Create what the methods need, and return the methods by their names on the wire."""
    if client.engine.source.in_store:
        return [dict.fromkeys(group, _refuse) for group in _GROUPS]
    attach(client)
    return [*_GROUPS]


async def _refuse(client: Client, _params: Any) -> None:
    client.engine.source.refuse("gateway", client.directories.sessions_dir)
