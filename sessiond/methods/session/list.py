"""Find sessions on disk without opening them."""

from __future__ import annotations

from typing import cast

from msgspec import UNSET
from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.session import list as contract
from sessiond_protocol.wire import Token, given

from sessiond.catalog.kinds import Kinds
from sessiond.catalog.listing import PageQuery, problems
from sessiond.catalog.scope import SessionScope
from sessiond.files import workers
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.progress import PartialList
from sessiond.rpc.codec import encode
from sessiond.runtime.isolation import Faults
from sessiond.runtime.limits import INLINE_READ_BYTES
from sessiond.text.spans import Json


async def find_by_id(client: Client, params: contract.FindByIdParams) -> contract.FindByIdResult:
    if params.prefix:
        return await _meant(client, params)
    directory, faults = given(params.sessionDir), Faults()
    scope = of_cwd(client, params.cwd, directory, exact=False)
    path = await client.engine.catalogue.find(scope, params.id, faults)
    return contract.FindByIdResult(path=path, problems=problems(faults))


async def _meant(client: Client, params: contract.FindByIdParams) -> contract.FindByIdResult:
    """Find the session that the beginning of an id means, or those that it can mean."""
    if not params.id:
        # Every id begins so, and nobody means all sessions.
        return contract.FindByIdResult(path=None)
    catalogue, directory = client.engine.catalogue, given(params.sessionDir)
    found, known = await catalogue.with_id(all_of(client, directory), params.id)
    if len(found) != 1:
        scope = of_cwd(client, params.cwd, directory)
        of_here, more = await catalogue.with_id(scope, params.id)
        paths = {each.path for each in of_here}
        found = [each for each in found if each.path in paths] or found or of_here
        known = (*known, *more)
    # A copy for another agent may have the same id.
    own_agent = client.directories.agent.name
    own = [each for each in found if client.places.agent_of(each.path) in {None, own_agent}]
    faults, path = Faults(), None
    if len({each.header.id for each in found}) == 1 and (
        not params.unique or 1 in {len(own), len(found)}
    ):
        # Of copies the latest, which is the first.
        path, found = (own or found)[0].path, []
    return contract.FindByIdResult(
        path=path,
        candidates=faults.each(found, lambda item: item.path, client.infos()) or UNSET,
        problems=problems([*known, *faults]),
    )


async def list_(client: Client, params: contract.ListParams) -> contract.ListResult | Json:
    exact = bool(params.exactCwd)
    scope = of_cwd(client, params.cwd, given(params.sessionDir), exact=exact)
    return await _answer(client, scope, params, client.places.cwd(params.cwd) if exact else None)


async def list_all(client: Client, params: contract.ListAllParams) -> contract.ListResult | Json:
    return await _answer(client, all_of(client, given(params.sessionDir)), params)


def of_cwd(
    client: Client, cwd: str | None, directory: str | None, *, exact: bool = True
) -> SessionScope:
    """The sessions of a working directory, in its directory or in `directory`.

    Not `exact`: its directory may also have those of others with the same encoded name (as in pi).
    Raises PathNotAllowed.
    """
    return client.places.sessions_in(client.places.cwd(cwd), directory, exact=exact)


def all_of(client: Client, directory: str | None) -> SessionScope:
    """Return all sessions of a directory, or of the profile. Raises PathNotAllowed."""
    if directory is None:
        return client.places.everything()
    return client.places.sessions_of(client.places.path(directory))


def scope_of(client: Client, params: CatalogScope, *, exact: bool = True) -> SessionScope:
    """Return the sessions that the params name; `exact` as in `of_cwd`. Raises PathNotAllowed."""
    cwd, directory = given(params.cwd), given(params.sessionDir)
    return all_of(client, directory) if cwd is None else of_cwd(client, cwd, directory, exact=exact)


def bound_of(scope: SessionScope, kinds: Kinds, *, named: bool = False) -> str:
    """Return which list it is, for its cursors and resume tokens."""
    return f"{scope.directory}|{scope.below}|{scope.cwd}|{named}|{kinds.subagents}|{kinds.past}"


async def _answer(
    client: Client,
    scope: SessionScope,
    params: contract.ListingParams,
    cwd: str | None = None,
) -> contract.ListResult | Json:
    named = bool(params.named)
    kinds = Kinds(subagents=bool(params.subagents), past=bool(params.past))
    wanted = PageQuery(
        named=named,
        kinds=kinds,
        with_text=bool(params.includeText),
        limit=given(params.limit),
        cursor=given(params.cursor),
        bound=bound_of(scope, kinds, named=named),
    )
    info, token = client.infos(cwd), cast("Token | None", given(params.partialResultToken))
    partial = None if token is None else PartialList(client.listener, token, params, info)
    page = await client.engine.catalogue.page(scope, wanted, partial)
    faults = Faults()
    result = contract.ListResult(
        sessions=faults.each(page.sessions, lambda item: item.path, info),
        total=page.total,
        nextCursor=UNSET if page.after is None else page.after,
        problems=problems([*page.faults, *faults]),
    )
    size = sum(len(each.first_message) + sum(map(len, each.texts or ())) for each in page.sessions)
    if size <= INLINE_READ_BYTES:
        return result
    return await workers.reading(size, lambda: Json.of(encode(result)))


METHODS: dict[str, Handler] = {
    "session/findById": find_by_id,
    "session/list": list_,
    "session/listAll": list_all,
}
