"""Creating, opening and closing sessions, and turning a handle to another file."""

from __future__ import annotations

from msgspec import Raw
from sessiond_protocol import opening as contract
from sessiond_protocol.state import SessionState
from sessiond_protocol.wire import given

from sessiond.methods.app import App, Handler, turn
from sessiond.session.view import View


async def create(app: App, params: contract.CreateParams) -> SessionState:
    view = await app.sessions.create(
        params.cwd, given(params.sessionDir), given(params.id), given(params.parentSession)
    )
    return view.state(app.in_use)


async def open_(app: App, params: contract.OpenParams) -> SessionState:
    view = await app.sessions.open(
        params.path,
        given(params.sessionDir),
        given(params.cwd),
        read_only=bool(params.readOnly),
        follow=bool(params.follow),
        must_exist=bool(params.mustExist),
    )
    return view.state(app.in_use)


async def continue_recent(app: App, params: contract.ContinueRecentParams) -> SessionState:
    view = await app.sessions.continue_recent(params.cwd, given(params.sessionDir))
    return view.state(app.in_use)


async def in_memory(app: App, params: contract.InMemoryParams) -> SessionState:
    entries = given(params.entries) or []
    lines = [bytes(entry) for entry in entries if isinstance(entry, Raw)]
    view = await app.sessions.in_memory(given(params.cwd), given(params.id), lines)
    return view.state(app.in_use)


async def fork_from(app: App, params: contract.ForkFromParams) -> SessionState:
    view = await app.sessions.fork_from(
        params.sourcePath, params.targetCwd, given(params.sessionDir), given(params.id)
    )
    return view.state(app.in_use)


async def close(app: App, params: contract.SessionParams) -> None:
    async with turn(app, params.session) as view:
        app.sessions.close(view)


async def get_state(app: App, params: contract.SessionParams) -> SessionState:
    async with turn(app, params.session) as view:
        await view.document.refresh()
        return view.state(app.in_use)


async def new_session(app: App, params: contract.NewSessionParams) -> SessionState:
    async with turn(app, params.session) as view:
        await app.sessions.new_session(view, given(params.id), given(params.parentSession))
        return view.state(app.in_use)


async def set_session_file(app: App, params: contract.SetSessionFileParams) -> SessionState:
    view: View = app.sessions.view(params.session)
    # Not the document's turn: the file may be the one that is open, whose turn opening takes.
    async with view.turn:
        app.sessions.view(params.session)
        await app.sessions.set_session_file(view, params.path)
        return view.state(app.in_use)


async def create_branched_session(
    app: App, params: contract.CreateBranchedSessionParams
) -> SessionState:
    async with turn(app, params.session) as view:
        await app.sessions.create_branched_session(view, params.leafId)
        return view.state(app.in_use)


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
