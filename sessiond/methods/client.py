"""A client: the state of one connection, which no other connection can see."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    # Not imported at run time: a command imports only the modules that it uses.
    from sessiond.agents.directories import Directories
    from sessiond.config import ClientConfig
    from sessiond.engine import Engine
    from sessiond.files.locks.presence import Presence
    from sessiond.gateway.store.store import Stores
    from sessiond.gateway.titles import TranscriptEnds
    from sessiond.notify.gateway import GatewayNotices
    from sessiond.notify.live import Live
    from sessiond.rpc.protocol import Server
    from sessiond.session.places import Places
    from sessiond.session.table import Sessions


@attrs.define(eq=False)
class Gateway:
    """The state that only the methods of `gateway/` need."""

    stores: Stores
    notices: GatewayNotices
    """The subscriptions."""
    ends: TranscriptEnds


@attrs.define(eq=False)
class Client:
    """The settings, environment, handles, subscriptions and connection of one client.

    Create it in a new context (see `daemon.connect`), because its confinement is set there.
    """

    engine: Engine
    config: ClientConfig
    env: Mapping[str, str]
    """The client's environment; `PWD` is its working directory."""
    sessions: Sessions
    server: Server
    live: Live
    in_use: Presence
    """The files this client has open for writing, for others to see."""
    attached: Gateway | None = None
    """The state of the methods of `gateway/`; None until one of them is called."""
    initialized: bool = False
    uses_sessions: asyncio.Event = attrs.field(factory=asyncio.Event)
    """Set when the client has chosen its directories: by `initialize`, or by using the default.

    Only with `--mirror`.
    """
    client_process: int | None = None
    name: str = ""
    """Name and version of the program, from `initialize`."""
    context: contextvars.Context = attrs.field(init=False, factory=contextvars.copy_context)
    """The context of all work for this client: it carries the confinement by `--root`."""

    @property
    def places(self) -> Places:
        return self.sessions.places

    @property
    def directories(self) -> Directories:
        return self.places.directories

    @property
    def gateway(self) -> Gateway:
        assert self.attached is not None, "not attached"  # noqa: S101
        return self.attached

    def stop(self, code: int) -> None:
        """Stop serving with this exit code, after the running requests were answered."""
        self.context.copy().run(self.server.stop, code)

    def close(self) -> None:
        """Close every handle and subscription of this client; the engine keeps running."""
        self.sessions.close_all()
        self.live.close()
        self.in_use.close()
