"""Finding sessions on disk without opening them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sessiond_protocol import listing as contract
from sessiond_protocol.wire import given

from sessiond.catalog import discover
from sessiond.catalog.listing import list_below, list_directory, session_info
from sessiond.catalog.summaries import Summary
from sessiond.methods.app import App, Handler


async def find_by_id(app: App, params: contract.FindByIdParams) -> contract.FindByIdResult:
    sessions = app.sessions
    directory, only = sessions.directory(sessions.cwd(params.cwd), given(params.sessionDir))
    path = await asyncio.to_thread(discover.find_by_id, directory, params.id, only)
    return contract.FindByIdResult(path=path)


async def list_(app: App, params: contract.ListParams) -> contract.ListResult:
    sessions = app.sessions
    directory, only = sessions.directory(sessions.cwd(params.cwd), given(params.sessionDir))
    text = bool(params.includeText)
    return _page(await asyncio.to_thread(list_directory, directory, only, with_text=text), params)


async def list_all(app: App, params: contract.ListAllParams) -> contract.ListResult:
    sessions = app.sessions
    text = bool(params.includeText)
    where = app.directories
    given_dir = given(params.sessionDir)
    directory = where.sessions_dir if given_dir is None else sessions.path(given_dir)
    sessions.roots.check(directory)
    if given_dir is not None or where.one_for_all:
        found = await asyncio.to_thread(list_directory, directory, None, with_text=text)
    else:
        found = await asyncio.to_thread(list_below, directory, with_text=text)
    return _page(found, params)


def _page(found: Sequence[Summary], params: contract.ListingParams) -> contract.ListResult:
    wanted = [item for item in found if item.name] if params.named else list(found)
    limit = given(params.limit)
    return contract.ListResult(
        sessions=[session_info(item) for item in wanted[:limit]],
        total=len(wanted),
    )


METHODS: dict[str, Handler] = {
    "session/findById": find_by_id,
    "session/list": list_,
    "session/listAll": list_all,
}
