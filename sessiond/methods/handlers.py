"""Handlers: functions from params to a result, which take turns on a session."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import attrs

from sessiond.files import workers
from sessiond.methods.client import Client
from sessiond.runtime.limits import INLINE_READ_BYTES

if TYPE_CHECKING:
    # Not at run time: a list opens no session.
    from sessiond.sessions.moment import Moment
    from sessiond.sessions.view import View

Handler = Callable[[Client, Any], Coroutine[Any, Any, Any]]
Handlers = Mapping[str, Handler]
"""Some methods by name."""
_FURTHER_TRIES = 2

P = TypeVar("P", bound="_NamesSession")


class _NamesSession(Protocol):
    session: str


@attrs.frozen
class Several:
    """A method that serves several requests on one session with one call.

    `several` returns the result of each, or its exception.
    """

    several: Callable[[Client, Sequence[Any]], Coroutine[Any, Any, Sequence[Any]]]
    is_joined: bool = False
    """Whether requests that wait one after another are served together."""

    async def __call__(self, client: Client, params: Any) -> Any:
        """Serve one request."""
        (done,) = await self.several(client, [params])
        if isinstance(done, Exception):
            raise done
        return done


class turn:  # noqa: N801 - used as `async with turn(client, handle) as view`
    """Hold the view's turn: earlier requests on the session are finished, later ones wait.

    Raises UnknownSession. It is a class and not a generator for speed: every request uses it.
    """

    def __init__(self, client: Client, handle: str) -> None:
        self._sessions = client.sessions
        self._handle = handle

    async def __aenter__(self) -> View:
        view = self._view = self._sessions.view(self._handle)
        await view.turn.acquire()
        try:
            # The previous request may have closed the handle.
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
    """Return a snapshot of a session, to be read after the turn is released.

    Use it only for answers that `workers.computing` computes with the tree's `cost`: the tree of a
    small session is not copied, and may change as soon as the event loop runs something else.
    """
    from sessiond.sessions.moment import Moment

    async with turn(client, handle) as view:
        await view.document.refresh()
        return Moment.of(view)


def from_snapshot(answer: Callable[[Moment, P], Any]) -> Handler:
    """A method whose answer may read all entries; for a large session it runs in a worker thread.

    The turn is released before, so later requests on the session need not wait and may be
    answered first. Each answer reflects the session when its request had the turn.
    """

    async def handler(client: Client, params: P) -> Any:
        at = await moment(client, params.session)
        if at.tree.cost <= INLINE_READ_BYTES:
            return answer(at, params)
        async with client.large_answer():
            return await workers.computing(at.tree.cost, answer, at, params)

    return handler


def from_document(answer: Callable[[View, P], Any]) -> Handler:
    """A method that refreshes the session and then answers from it."""

    async def handler(client: Client, params: P) -> Any:
        async with turn(client, params.session) as view:
            await view.document.refresh()
            return answer(view, params)

    return handler


def from_handle(answer: Callable[[Client, View], Any]) -> Handler:
    """A method that answers from the handle alone, without a refresh from the file."""

    async def handler(client: Client, params: P) -> Any:
        async with turn(client, params.session) as view:
            return answer(client, view)

    return handler
