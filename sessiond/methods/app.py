"""What every method works on."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import attrs

from sessiond.files import workers
from sessiond.files.workers import Lane
from sessiond.limits import SEARCH_WORKERS
from sessiond.session.moment import Moment

if TYPE_CHECKING:
    # A command in a process of its own imports only what it uses.
    from sessiond.catalog.index.indexer import Indexer
    from sessiond.catalog.listing import Listings
    from sessiond.config import Config
    from sessiond.files.locks.presence import Presence
    from sessiond.gateway.store.store import Stores
    from sessiond.gateway.titles import TranscriptEnds
    from sessiond.notify.gateway import GatewayNotices
    from sessiond.notify.live import Live
    from sessiond.profiles import Directories
    from sessiond.rpc.protocol import Server
    from sessiond.session.places import Places
    from sessiond.session.table import Sessions
    from sessiond.session.view import View


@attrs.define(eq=False)
class Gateway:
    """What the methods of the gateway need beside what all methods need."""

    stores: Stores
    notices: GatewayNotices
    """The subscriptions."""
    ends: TranscriptEnds


@attrs.define(eq=False)
class App:
    """One daemon: its settings, its sessions, and its connection."""

    config: Config
    env: Mapping[str, str]
    sessions: Sessions
    server: Server
    live: Live
    in_use: Presence
    indexer: Indexer
    listings: Listings
    searching: Lane = attrs.field(factory=functools.partial(Lane, SEARCH_WORKERS))
    """Searches for words."""
    matching: Lane = attrs.field(factory=functools.partial(Lane, SEARCH_WORKERS))
    """Searches for regular expressions, which may take long."""
    attached: Gateway | None = None
    """What the methods of the gateway need, once one of them was asked for."""
    started: float = attrs.field(factory=time.monotonic)
    initialized: bool = False
    carry_argument: Callable[[str], object] = bool
    """Makes a word an argument of the process. The default does nothing: not every process that
    holds an App is its own to change."""
    client_process: int | None = None

    @property
    def places(self) -> Places:
        return self.sessions.places

    @property
    def directories(self) -> Directories:
        return self.places.directories

    def show_profile(self) -> None:
        """Carry the argument by which the profile's agent respects locks of this process."""
        argument = self.directories.profile.argument
        if argument is not None:
            self.carry_argument(argument)

    @property
    def gateway(self) -> Gateway:
        assert self.attached is not None, "not attached"  # noqa: S101
        return self.attached


Handler = Callable[[App, Any], Coroutine[Any, Any, Any]]
Handlers = Mapping[str, Handler]
"""Some methods by name."""
P = TypeVar("P", bound="_NamesSession")


class _NamesSession(Protocol):
    session: str


class turn:  # noqa: N801 - reads as what it is: `async with turn(app, handle) as view`
    """The view's turn: earlier requests on the session are done, later ones wait.

    Raises UnknownSession. A class and not a generator because every request goes through it.
    """

    def __init__(self, app: App, handle: str) -> None:
        self._sessions = app.sessions
        self._handle = handle

    async def __aenter__(self) -> View:
        view = self._view = self._sessions.view(self._handle)
        await view.turn.acquire()
        try:
            # It may have been closed by the request before.
            self._sessions.view(self._handle)
            document = self._document = view.document
            await document.turn.acquire()
        except BaseException:
            view.turn.release()
            raise
        return view

    async def __aexit__(self, *_: object) -> None:
        self._document.turn.release()
        self._view.turn.release()


async def moment(app: App, handle: str) -> Moment:
    """The session of a handle as its file is now, to be looked at after the turn.

    Only for answers whose work `workers.computing` does, with the tree's `cost`: the tree of a
    small session goes on changing once the loop turns.
    """
    async with turn(app, handle) as view:
        await view.document.refresh()
        return Moment.of(view)


def looking(answer: Callable[[Moment, P], Any]) -> Handler:
    """The same for an answer that may look at all entries: of a large session in a worker.

    The turn is given back before, so later requests on the session need not wait. They may be
    answered first; each answer is that of the moment at which its own request had the turn.
    """

    async def handler(app: App, params: P) -> Any:
        at = await moment(app, params.session)
        return await workers.computing(at.tree.cost, answer, at, params)

    return handler


def reading(answer: Callable[[View, P], Any]) -> Handler:
    """A method that answers from the session as its file is now."""

    async def handler(app: App, params: P) -> Any:
        async with turn(app, params.session) as view:
            await view.document.refresh()
            return answer(view, params)

    return handler


def telling(answer: Callable[[App, View], Any]) -> Handler:
    """A method that says something of the handle which no file can change."""

    async def handler(app: App, params: P) -> Any:
        async with turn(app, params.session) as view:
            return answer(app, view)

    return handler
