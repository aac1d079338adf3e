"""Create, open and close sessions, and switch a handle to another file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, cast

from msgspec import UNSET, Raw, UnsetType
from sessiond_protocol.session import open as contract
from sessiond_protocol.wire import given

from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler, turn
from sessiond.methods.states import session_state
from sessiond.runtime.errors import InvalidParams, UnknownSession
from sessiond.sessions.view import View
from sessiond.text.spans import Json


def _opening(open_: Callable[[Client, Any], Awaitable[View]]) -> Handler:
    """Answer the state of what this function opens, under the handle that the client wants."""

    async def opened(client: Client, params: Any) -> Json:
        sessions, handle = client.sessions, given(params.session)
        with sessions.reserving(handle):
            view = await open_(client, params)
            with sessions.opening(view):
                view.follow = bool(params.follow)
                leaf_id = params.leafId if isinstance(params, contract.OpenParams) else UNSET
                if not isinstance(leaf_id, UnsetType):
                    view.move(leaf_id)
                if handle is not None:
                    sessions.rename(view, handle)
                return await session_state(client, view)

    return opened


async def create(client: Client, params: contract.CreateParams) -> View:
    return await client.sessions.create(
        params.cwd, given(params.sessionDir), given(params.id), given(params.parentSession)
    )


async def open_(client: Client, params: contract.OpenParams) -> View:
    path, session_id, cwd = given(params.path), given(params.id), given(params.cwd)
    if (path is None) == (session_id is None):
        raise InvalidParams("expected exactly one of `path` and `id`")
    if session_id is not None:
        path = await client.sessions.find(session_id, cwd)
    return await client.sessions.open(
        path or "",
        given(params.sessionDir),
        cwd,
        read_only=bool(params.readOnly),
        must_exist=bool(params.mustExist) or session_id is not None,
    )


async def continue_recent(client: Client, params: contract.ContinueRecentParams) -> View:
    return await client.sessions.continue_recent(params.cwd, given(params.sessionDir))


async def in_memory(client: Client, params: contract.InMemoryParams) -> View:
    # In the daemon these members of the contract's classes are raw values.
    entries = cast("list[Raw]", given(params.entries) or [])
    return await client.sessions.in_memory(given(params.cwd), given(params.id), entries)


async def fork_from(client: Client, params: contract.ForkFromParams) -> View:
    return await client.sessions.fork_from(
        params.sourcePath,
        params.targetCwd,
        given(params.sessionDir),
        given(params.id),
        given(params.leafId),
        with_results=bool(params.withResults),
    )


async def close(client: Client, params: contract.SessionParams) -> None:
    # A handle that is closed already stays closed, so that a client can repeat the request.
    with suppress(UnknownSession):
        async with turn(client, params.session) as view:
            client.sessions.close(view)


async def get_state(client: Client, params: contract.SessionParams) -> Json:
    async with turn(client, params.session) as view:
        await view.document.refresh()
        return await session_state(client, view)


async def new_session(client: Client, params: contract.NewSessionParams) -> Json:
    view: View = client.sessions.view(params.session)
    # Not the document's turn: gateways name files by id alone, so the new session's document may be
    # this one, not written yet, and opening it takes its turn.
    async with view.turn:
        client.sessions.view(params.session)
        await client.sessions.new_session(view, given(params.id), given(params.parentSession))
        return await session_state(client, view)


async def set_session_file(client: Client, params: contract.SetSessionFileParams) -> Json:
    view: View = client.sessions.view(params.session)
    # Not the document's turn: opening takes it, and the file may be the one that is open already.
    async with view.turn:
        client.sessions.view(params.session)
        await client.sessions.set_session_file(view, params.path)
        return await session_state(client, view)


async def create_branched_session(
    client: Client, params: contract.CreateBranchedSessionParams
) -> Json:
    async with turn(client, params.session) as view:
        with_results = bool(params.withResults)
        await client.sessions.create_branched_session(
            view, params.leafId, with_results=with_results
        )
        return await session_state(client, view)


METHODS: dict[str, Handler] = {
    "session/create": _opening(create),
    "session/open": _opening(open_),
    "session/continueRecent": _opening(continue_recent),
    "session/inMemory": _opening(in_memory),
    "session/forkFrom": _opening(fork_from),
    "session/close": close,
    "session/getState": get_state,
    "session/newSession": new_session,
    "session/setSessionFile": set_session_file,
    "session/createBranchedSession": create_branched_session,
}
