"""A client: what one connection to the engine has, and what no other connection can see."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    # A command in a process of its own imports only what it uses.
    from sessiond.config import ClientConfig
    from sessiond.engine import Engine
    from sessiond.gateway.store.store import Stores
    from sessiond.gateway.titles import TranscriptEnds
    from sessiond.notify.gateway import GatewayNotices
    from sessiond.notify.live import Live
    from sessiond.profiles import Directories
    from sessiond.rpc.protocol import Server
    from sessiond.session.places import Places
    from sessiond.session.table import Sessions


@attrs.define(eq=False)
class Gateway:
    """What the methods of the gateway need beside what all methods need."""

    stores: Stores
    notices: GatewayNotices
    """The subscriptions."""
    ends: TranscriptEnds


@attrs.define(eq=False)
class Client:
    """One client's settings, environment, handles, subscriptions and wire, over the engine.

    Make it in a context of its own (see `daemon.connect`): its confinement is set there.
    """

    engine: Engine
    config: ClientConfig
    env: Mapping[str, str]
    """The client's environment; `PWD` is its working directory."""
    sessions: Sessions
    server: Server
    live: Live
    attached: Gateway | None = None
    """What the methods of `gateway/` need, once one of them was asked for."""
    initialized: bool = False
    carry_argument: Callable[[str], object] = bool
    """Makes a word an argument of the process. The default does nothing: not every process that
    holds a Client may change its own arguments."""
    client_process: int | None = None
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

    def show_profile(self) -> None:
        """Carry the argument by which the profile's agent respects locks of this process."""
        argument = self.directories.profile.argument
        if argument is not None:
            self.carry_argument(argument)

    def stop(self, code: int) -> None:
        """End serving with this exit code: requests in hand finish, their answers are sent."""
        self.context.copy().run(self.server.stop, code)

    def close(self) -> None:
        """Close every handle and subscription of this client; the engine goes on."""
        self.sessions.close_all()
        self.live.close()
