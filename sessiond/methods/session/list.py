"""Finding sessions on disk without opening them."""

from __future__ import annotations

import asyncio

from msgspec import UNSET
from sessiond_protocol.session import list as contract
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import given

from sessiond.catalog import discover
from sessiond.catalog.listing import page, problems, session_info
from sessiond.catalog.scope import Scope
from sessiond.catalog.summaries import Summary
from sessiond.isolation import Faults
from sessiond.jsontext.spans import Json
from sessiond.methods.app import App, Handler
from sessiond.methods.large_answers import encoded
from sessiond.methods.progress import ListingProgress


async def find_by_id(app: App, params: contract.FindByIdParams) -> contract.FindByIdResult:
    places = app.places
    directory, only = places.directory(places.cwd(params.cwd), given(params.sessionDir))
    faults = Faults()
    path = await asyncio.to_thread(discover.find_by_id, directory, params.id, only, faults)
    return contract.FindByIdResult(path=path, problems=problems(faults))


async def list_(app: App, params: contract.ListParams) -> contract.ListResult | Json:
    return await _answer(app, of_cwd(app, params.cwd, given(params.sessionDir)), params)


async def list_all(app: App, params: contract.ListAllParams) -> contract.ListResult | Json:
    directory = given(params.sessionDir)
    scope = of_directory(app, directory) if directory is not None else everything(app)
    return await _answer(app, scope, params)


def of_cwd(app: App, cwd: str, directory: str | None) -> Scope:
    """The sessions of a working directory, or of it in a directory; raises PathNotAllowed."""
    places = app.places
    place, only = places.directory(places.cwd(cwd), directory)
    return Scope(place, cwd=only, roots=places.roots.real)


def of_directory(app: App, directory: str) -> Scope:
    """All sessions in a directory; raises PathNotAllowed."""
    return Scope(app.places.path(directory), roots=app.places.roots.real)


def everything(app: App) -> Scope:
    """All sessions of the agent; raises PathNotAllowed."""
    where = app.directories
    app.places.roots.check(where.sessions_dir)
    roots = app.places.roots.real
    return Scope(where.sessions_dir, below=not where.one_for_all, roots=roots)


async def _answer(
    app: App, scope: Scope, params: contract.ListingParams
) -> contract.ListResult | Json:
    query = f"{scope.directory}|{scope.below}|{scope.cwd}|{bool(params.named)}"
    cursor = given(params.cursor)
    # A cursor that is none is worth no scan.
    page([], None, cursor, query)
    pids = app.engine.in_use.snapshot()

    def info(summary: Summary) -> SessionInfo:
        return session_info(summary, pids.get(summary.state.key, ()))

    with ListingProgress(app.server, params, info) as progress:
        found = await app.engine.listings.get(
            scope, with_text=bool(params.includeText), progress=progress
        )
    app.engine.indexer.tidy()
    wanted = [item for item in found.newest_first() if item.name or not params.named]
    shown, after = page(wanted, given(params.limit), cursor, query)
    faults = Faults()
    result = contract.ListResult(
        sessions=faults.each(shown, lambda item: item.path, info),
        total=len(wanted),
        nextCursor=UNSET if after is None else after,
        problems=problems([*found.faults, *faults]),
    )
    return await encoded(result, shown)


METHODS: dict[str, Handler] = {
    "session/findById": find_by_id,
    "session/list": list_,
    "session/listAll": list_all,
}
