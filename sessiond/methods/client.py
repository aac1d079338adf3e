"""A client: the state of one connection, which no other connection can see."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from sessiond.runtime.errors import profile_name
from sessiond.runtime.limits import RUNNING_LARGE

if TYPE_CHECKING:
    # Not imported at run time: a command imports only the modules that it uses.
    from sessiond_protocol.session.activity import SessionActivity
    from sessiond_protocol.session.state import SessionInfo

    from sessiond.agents.directories import Directories
    from sessiond.catalog.marks import MarkFilter
    from sessiond.catalog.summaries import Summary
    from sessiond.files.identity import Key
    from sessiond.files.presence import Presence
    from sessiond.rpc.server import Server
    from sessiond.runtime.config import ClientConfig
    from sessiond.sessions.engine import Engine
    from sessiond.sessions.notifications.live import Live
    from sessiond.sessions.opening import Sessions
    from sessiond.sessions.places import Places


class Listener(Protocol):
    """The other end of a client's connection: a server, or what takes its place in the same
    process.
    """

    @property
    def position_encoding(self) -> str:
        """The units of positions: `utf-8`, `utf-16` or `utf-32`."""

    @property
    def writable(self) -> bool:
        """Whether the client keeps up with reading."""

    @property
    def has_drained(self) -> bool:
        """Whether the client has read nearly everything, or is gone."""

    async def drained(self) -> None:
        """Wait until `has_drained`."""

    def notify(self, method: str, params: Any) -> None:
        """Take a notification; `params` is an attrs object or a plain value."""


class InProcess:
    """Takes the place of a connection in the same process; `notify` takes the notifications."""

    writable = True
    has_drained = True

    def __init__(
        self, notify: Callable[[str, Any], None], position_encoding: str = "utf-16"
    ) -> None:
        self.notify = notify
        self.position_encoding = position_encoding

    async def drained(self) -> None:
        """Return at once: there is nothing to wait for."""


@attrs.define(eq=False, slots=False)
class Client:
    """The settings, environment, handles, subscriptions and connection of one client.

    Create it in the context of all its work (see `daemon.connect`), because its confinement is set
    there. Parts that some clients never use are created on first use.
    """

    engine: Engine
    config: ClientConfig
    env: Mapping[str, str]
    """The client's environment; `PWD` is its working directory."""
    listener: Listener
    pid: int | None = None
    """The process that was started for the client; None: this one."""
    annexes: dict[str, Any] = attrs.field(init=False, factory=dict)
    """The state of annexes for this client, by the name of the annex."""
    initialized: bool = attrs.field(init=False, default=False)
    client_process: int | None = attrs.field(init=False, default=None)
    name: str = attrs.field(init=False, default="")
    """Name and version of the program, from `initialize`."""
    places: Places = attrs.field(init=False)
    context: contextvars.Context = attrs.field(init=False)
    """The context of all work for this client: it carries the confinement by `--root`."""

    def __attrs_post_init__(self) -> None:
        self.places = places = self.engine.source.places(self.config, self.env)
        # Not of `self`, which would then be in a circle with its context.
        profile_name.set(lambda: places.directories.agent.name)
        self.context = contextvars.copy_context()

    @cached_property
    def in_use(self) -> Presence:
        """The files this client has open for writing, for others to see."""
        from sessiond.files.presence import Presence

        presence = Presence(pid=self.pid)
        presence.name = self.name
        return presence

    @cached_property
    def live(self) -> Live:
        """The subscriptions, and what is told of changes."""
        from sessiond.sessions.notifications.live import Live

        return Live(
            self.listener,
            self.listener.notify,
            self.engine,
            self.in_use,
            self.infos,
            activities=self.activities,
        )

    def writers(self, path: str, key: Key) -> dict[int, str]:
        """Return who may write to a session, by process id, with the name of the program if known.

        These are the handles of other clients, and a gateway that holds the lock of the transcript.
        """
        from sessiond.files.lock_file import holder

        writers = self.in_use.writers(key)
        owner = holder(path)
        if owner is not None:
            writers.setdefault(owner, "")
        return writers

    def agent_of(self, path: str) -> str:
        """Return the name of the agent whose session a path names."""
        return self.places.agent_of(path) or self.directories.agent.name

    def mark_filter(self, **options: Any) -> MarkFilter:
        """Return what chooses sessions by their marks, as those were read last."""
        from sessiond.catalog.marks import MarkFilter

        marks = self.engine.source.marks.latest
        return MarkFilter(marks=marks, agent_of=self.agent_of, **options)

    def infos(self, cwd: str | None = None) -> Callable[[Summary], SessionInfo]:
        """Return what gives sessions the form of the contract, with who has them open now.

        `cwd`: they are listed as those of this directory.
        """
        from sessiond.catalog.listing import session_info
        from sessiond.files.own_writes import OWN_WRITES

        pids, agent_of = self.in_use.snapshot(), self.places.agent_of
        in_store, activity = self.engine.source.in_store, self.activities()
        marked = self.mark_filter()

        def info(summary: Summary) -> SessionInfo:
            state = summary.state
            active_ns = None if in_store else OWN_WRITES.foreign_ns(state)
            return session_info(
                summary,
                pids.get(state.key, ()),
                agent_of(summary.path),
                cwd,
                active_ns,
                marks=marked.marks_of(summary),
                activity=activity(summary),
            )

        return info

    def activities(self) -> Callable[[Summary], SessionActivity | None]:
        """Return what says the present activity of a session, set by a handle or shown by its file.

        In a store no file shows it.
        """
        from sessiond.catalog.activity import shown_activity

        chosen, in_store = self.engine.activities.snapshot(), self.engine.source.in_store
        now_ns = time.time_ns()

        def activity(summary: Summary) -> SessionActivity | None:
            own = chosen.activity(summary)
            return own if own or in_store else shown_activity(summary, now_ns)

        return activity

    @cached_property
    def sessions(self) -> Sessions:
        """The handles."""
        from sessiond.sessions.opening import Sessions

        sessions = Sessions(
            self.places,
            self.engine.documents,
            self.engine.catalogue.find,
            read_only=self.config.read_only,
        )
        sessions.on_attach, sessions.on_close = self.live.follow, self.live.forget
        return sessions

    @property
    def server(self) -> Server:
        """The server of a client at the other end of a connection."""
        from sessiond.rpc.server import Server

        assert isinstance(self.listener, Server), "served in this process"  # noqa: S101
        return self.listener

    @cached_property
    def _large_answers(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(RUNNING_LARGE)

    @asynccontextmanager
    async def large_answer(self) -> AsyncIterator[None]:
        """Wait for a place to compute a large answer in, and until the client has read the others.

        Who waits here keeps no other request from being started.
        """
        async with self._large_answers:
            # The answer of who had the place before is sent in this turn of the loop.
            await asyncio.sleep(0)
            await self.listener.drained()
            yield

    @property
    def directories(self) -> Directories:
        return self.places.directories

    def stop(self, code: int) -> None:
        """Stop serving with this exit code, after the running requests were answered."""
        self.context.copy().run(self.server.stop, code)

    def close(self) -> None:
        """Close every handle and subscription of this client; the engine keeps running."""
        parts = vars(self)
        if "sessions" in parts:
            self.sessions.close_all()
        if "live" in parts:
            self.live.close()
        if "in_use" in parts:
            self.in_use.close()
