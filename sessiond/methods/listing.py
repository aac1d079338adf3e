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
    return _page(await asyncio.to_thread(list_directory, directory, only), params)


async def list_all(app: App, params: contract.ListAllParams) -> contract.ListResult:
    sessions = app.sessions
    directory = given(params.sessionDir)
    if directory is not None:
        found = await asyncio.to_thread(list_directory, sessions.path(directory), None)
    else:
        where = app.directories
        sessions.roots.check(where.sessions_dir)
        scan = _list_one if where.one_for_all else list_below
        found = await asyncio.to_thread(scan, where.sessions_dir)
    return _page(found, params)


def _list_one(directory: str) -> list[Summary]:
    return list_directory(directory, None)


def _page(found: Sequence[Summary], params: contract.ListingParams) -> contract.ListResult:
    wanted = [item for item in found if item.name] if params.named else list(found)
    limit = given(params.limit)
    return contract.ListResult(
        sessions=[
            session_info(item, include_text=bool(params.includeText)) for item in wanted[:limit]
        ],
        total=len(wanted),
    )


METHODS: dict[str, Handler] = {
    "session/findById": find_by_id,
    "session/list": list_,
    "session/listAll": list_all,
}
