"""Creating, opening and closing sessions, and turning a handle to another file."""

from __future__ import annotations

from typing import cast

from msgspec import Raw
from sessiond_protocol.session import open as contract
from sessiond_protocol.wire import given

from sessiond.files import workers
from sessiond.jsontext.spans import Json
from sessiond.methods.app import App, Handler, turn
from sessiond.methods.states import session_state
from sessiond.session.view import View


async def create(app: App, params: contract.CreateParams) -> Json:
    view = await app.sessions.create(
        params.cwd, given(params.sessionDir), given(params.id), given(params.parentSession)
    )
    return await _opened(app, view)


async def open_(app: App, params: contract.OpenParams) -> Json:
    view = await app.sessions.open(
        params.path,
        given(params.sessionDir),
        given(params.cwd),
        read_only=bool(params.readOnly),
        follow=bool(params.follow),
        must_exist=bool(params.mustExist),
    )
    return await _opened(app, view)


async def continue_recent(app: App, params: contract.ContinueRecentParams) -> Json:
    view = await app.sessions.continue_recent(params.cwd, given(params.sessionDir))
    return await _opened(app, view)


async def in_memory(app: App, params: contract.InMemoryParams) -> Json:
    # What the contract's classes hold in the daemon are raw values.
    entries = cast("list[Raw]", given(params.entries) or [])
    view = await app.sessions.in_memory(given(params.cwd), given(params.id), entries)
    return await _opened(app, view)


async def fork_from(app: App, params: contract.ForkFromParams) -> Json:
    view = await app.sessions.fork_from(
        params.sourcePath, params.targetCwd, given(params.sessionDir), given(params.id)
    )
    return await _opened(app, view)


async def _opened(app: App, view: View) -> Json:
    with app.sessions.opening(view):
        return await _state(app, view)


async def _state(app: App, view: View) -> Json:
    """The answer of these methods, encoded here: what keeps it from being encoded must show while
    the opening can still be undone.
    """
    await workers.checkpoint()
    return await session_state(view, app.engine.in_use)


async def close(app: App, params: contract.SessionParams) -> None:
    async with turn(app, params.session) as view:
        app.sessions.close(view)


async def get_state(app: App, params: contract.SessionParams) -> Json:
    async with turn(app, params.session) as view:
        await view.document.refresh()
        return await _state(app, view)


async def new_session(app: App, params: contract.NewSessionParams) -> Json:
    async with turn(app, params.session) as view:
        with app.sessions.turning(view):
            await app.sessions.new_session(view, given(params.id), given(params.parentSession))
            return await _state(app, view)


async def set_session_file(app: App, params: contract.SetSessionFileParams) -> Json:
    view: View = app.sessions.view(params.session)
    # Not the document's turn: the file may be the one that is open, whose turn opening takes.
    async with view.turn:
        app.sessions.view(params.session)
        with app.sessions.turning(view):
            await app.sessions.set_session_file(view, params.path)
            return await _state(app, view)


async def create_branched_session(app: App, params: contract.CreateBranchedSessionParams) -> Json:
    async with turn(app, params.session) as view:
        with app.sessions.turning(view):
            await app.sessions.create_branched_session(view, params.leafId)
            return await _state(app, view)


METHODS: dict[str, Handler] = {
    "session/create": create,
    "session/open": open_,
    "session/continueRecent": continue_recent,
    "session/inMemory": in_memory,
    "session/forkFrom": fork_from,
    "session/close": close,
    "session/getState": get_state,
    "session/newSession": new_session,
    "session/setSessionFile": set_session_file,
    "session/createBranchedSession": create_branched_session,
}
