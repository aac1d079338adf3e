"""Handlers: a method's function from params to result, and the turns it takes on a session."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sessiond.files import workers
from sessiond.methods.client import Client
from sessiond.session.moment import Moment

if TYPE_CHECKING:
    from sessiond.session.view import View

Handler = Callable[[Client, Any], Coroutine[Any, Any, Any]]
Handlers = Mapping[str, Handler]
"""Some methods by name."""
P = TypeVar("P", bound="_NamesSession")


class _NamesSession(Protocol):
    session: str


class turn:  # noqa: N801 - used as `async with turn(client, handle) as view`
    """The view's turn: earlier requests on the session are done, later ones wait.

    Raises UnknownSession. A class and not a generator because every request goes through it.
    """

    def __init__(self, client: Client, handle: str) -> None:
        self._sessions = client.sessions
        self._handle = handle

    async def __aenter__(self) -> View:
        view = self._view = self._sessions.view(self._handle)
        await view.turn.acquire()
        try:
            # The request before may have closed it.
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


async def moment(client: Client, handle: str) -> Moment:
    """The session of a handle as its file is now, to be read after the turn.

    Only for answers that `workers.computing` makes with the tree's `cost`: the tree of a small
    session is not copied, and changes again once the loop turns.
    """
    async with turn(client, handle) as view:
        await view.document.refresh()
        return Moment.of(view)


def looking(answer: Callable[[Moment, P], Any]) -> Handler:
    """A method whose answer may read all entries: of a large session in a worker.

    The turn is released before, so later requests on the session need not wait and may be
    answered first. Each answer is that of the moment at which its own request had the turn.
    """

    async def handler(client: Client, params: P) -> Any:
        at = await moment(client, params.session)
        return await workers.computing(at.tree.cost, answer, at, params)

    return handler


def reading(answer: Callable[[View, P], Any]) -> Handler:
    """A method that answers from the session as its file is now."""

    async def handler(client: Client, params: P) -> Any:
        async with turn(client, params.session) as view:
            await view.document.refresh()
            return answer(view, params)

    return handler


def telling(answer: Callable[[Client, View], Any]) -> Handler:
    """A method that answers from the handle alone, which no change of the file alters."""

    async def handler(client: Client, params: P) -> Any:
        async with turn(client, params.session) as view:
            return answer(client, view)

    return handler
