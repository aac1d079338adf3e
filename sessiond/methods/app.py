"""What every method works on."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar

import attrs

from sessiond.catalog.listing import Listings
from sessiond.config import Config
from sessiond.files.inuse import InUse
from sessiond.notify.live import Live
from sessiond.profiles import Directories
from sessiond.rpc.protocol import Server
from sessiond.session.places import Places
from sessiond.session.table import Sessions
from sessiond.session.view import View


@attrs.define(eq=False)
class App:
    """One daemon: its settings, its sessions, and its connection."""

    config: Config
    env: Mapping[str, str]
    sessions: Sessions
    server: Server
    live: Live
    in_use: InUse
    listings: Listings = attrs.field(factory=Listings)
    started: float = attrs.field(factory=time.monotonic)
    initialized: bool = False
    client_process: int | None = None

    @property
    def places(self) -> Places:
        return self.sessions.places

    @property
    def directories(self) -> Directories:
        return self.places.directories


Handler = Callable[[App, Any], Awaitable[Any]]
P = TypeVar("P", bound="_NamesSession")


class _NamesSession(Protocol):
    session: str


@asynccontextmanager
async def turn(app: App, handle: str) -> AsyncIterator[View]:
    """The view's turn: earlier requests on the session are done, later ones wait.

    Raises UnknownSession.
    """
    view = app.sessions.view(handle)
    async with view.turn:
        app.sessions.view(handle)
        async with view.document.turn:
            yield view


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
