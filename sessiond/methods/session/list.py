"""Find sessions on disk without opening them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.catalog.subscribe import CatalogSubscribeParams
from sessiond_protocol.session import list as contract
from sessiond_protocol.session.state import SessionInfo, SessionUsage
from sessiond_protocol.wire import Token, given

from sessiond.catalog.kinds import Kinds
from sessiond.catalog.list_query import ListQuery
from sessiond.catalog.listing import problems
from sessiond.catalog.marks import MarkFilter
from sessiond.catalog.projects import Project, project_of
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary
from sessiond.files import workers
from sessiond.format.ids import short_ids
from sessiond.methods.client import Client
from sessiond.methods.dates import time_of, zone_of
from sessiond.methods.handlers import Handler
from sessiond.methods.prices import price_data, prices_for
from sessiond.rpc.codec import encode
from sessiond.runtime.home import absolute
from sessiond.runtime.isolation import Faults
from sessiond.runtime.limits import INLINE_READ_BYTES
from sessiond.text.spans import Json

if TYPE_CHECKING:
    # Most lists do not ask what sessions used.
    from sessiond.catalog.usage.report import ReportRow


async def find_by_id(client: Client, params: contract.FindByIdParams) -> contract.FindByIdResult:
    if params.prefix:
        return await _meant(client, params)
    faults = Faults()
    scope = scope_of(client, params, exact=False)
    path = await client.engine.catalogue.find(scope, params.id, faults)
    return contract.FindByIdResult(path=path, problems=problems(faults))


async def _meant(client: Client, params: contract.FindByIdParams) -> contract.FindByIdResult:
    """Find the session that the beginning of an id means, or those that it can mean."""
    if not params.id:
        # Every id begins so, and nobody means all sessions.
        return contract.FindByIdResult(path=None)
    catalogue, directory = client.engine.catalogue, given(params.sessionDir)
    candidates, problems_so_far = await catalogue.with_id(all_of(client, directory), params.id)
    if len(candidates) != 1 and given(params.cwd) is not None:
        of_here, more = await catalogue.with_id(scope_of(client, params), params.id)
        paths = {each.path for each in of_here}
        candidates = [each for each in candidates if each.path in paths] or candidates or of_here
        problems_so_far = (*problems_so_far, *more)
    # A copy for another agent may have the same id.
    own_agent = client.directories.agent.name
    own = [each for each in candidates if client.places.agent_of(each.path) in {None, own_agent}]
    faults, path = Faults(), None
    await client.engine.source.marks.read()
    if len({each.header.id for each in candidates}) == 1 and (
        not params.unique or 1 in {len(own), len(candidates)}
    ):
        # Of copies the latest, which is the first.
        path, candidates = (own or candidates)[0].path, []
    return contract.FindByIdResult(
        path=path,
        candidates=faults.each(candidates, lambda item: item.path, client.infos()) or UNSET,
        problems=problems([*problems_so_far, *faults]),
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


def scope_of(
    client: Client, params: CatalogScope | contract.FindByIdParams, *, exact: bool = True
) -> SessionScope:
    """Return the sessions that the params name; `exact` as in `of_cwd`. Raises PathNotAllowed."""
    cwd, directory = given(params.cwd), given(params.sessionDir)
    return all_of(client, directory) if cwd is None else of_cwd(client, cwd, directory, exact=exact)


def project_in(client: Client, directory: str | None) -> Project | None:
    """Return the project of a directory; None if no directory is given."""
    if directory is None:
        return None
    return project_of(client.places.cwd(directory), absolute("~", client.env))


def marks_of(client: Client, params: contract.ListingParams | CatalogSubscribeParams) -> MarkFilter:
    """Return which sessions the params choose by their marks, as those were read last."""
    return client.mark_filter(
        tag=given(params.tag),
        hidden=given(params.hidden) or "include",
        # Without marks none is pinned, and a store makes pages of a list without them itself.
        pinned_first=bool(params.pinnedFirst) and not client.engine.source.in_store,
    )


def query_of(client: Client, params: contract.ListingParams) -> ListQuery:
    """Return which list the params ask for. Raises InvalidParams."""
    where, agents = zone_of(params.timezone), given(params.agents)
    return ListQuery(
        kinds=Kinds(subagents=bool(params.subagents), past=bool(params.past)),
        named=bool(params.named),
        since=time_of(params.since, "since", where),
        until=time_of(params.until, "until", where, is_end=True),
        model=given(params.model),
        project=project_in(client, given(getattr(params, "project", None))),
        agents=None if agents is None else frozenset(agents),
        agent_of=client.agent_of,
        marked=marks_of(client, params),
        sort=given(params.sort) or "modified",
        with_usage=bool(params.includeUsage),
        with_ids=bool(params.includeShortId),
        with_text=bool(params.includeText),
        limit=given(params.limit),
        cursor=given(params.cursor),
    )


async def _answer(
    client: Client,
    scope: SessionScope,
    params: contract.ListingParams,
    cwd: str | None = None,
) -> contract.ListResult | Json:
    await client.engine.source.marks.read()
    query = attrs.evolve(query_of(client, params), prices=await prices_for(params))
    info, token = client.infos(cwd), cast("Token | None", given(params.partialResultToken))
    partial = None
    if token is not None:
        from sessiond.methods.progress import PartialList

        partial = PartialList(client.listener, token, query, info)
    page = await client.engine.catalogue.page(scope, query, partial)

    short: Mapping[str, str] = {}
    if params.includeShortId:
        ids = [each.header.id for each in page.sessions] if page.ids is None else page.ids
        short = short_ids(ids, are_some=page.ids is None)

    def listed(summary: Summary) -> SessionInfo:
        session = info(summary)
        session.shortId = short.get(summary.header.id, UNSET)
        row = page.usages.get(summary.path) if query.with_usage else None
        if row is not None:
            session.usage = _usage(row)
        return session

    faults = Faults()
    result = contract.ListResult(
        sessions=faults.each(page.sessions, lambda item: item.path, listed),
        total=page.total,
        nextCursor=UNSET if page.after is None else page.after,
        prices=price_data(query.prices),
        problems=problems([*page.faults, *faults]),
    )
    size = sum(len(each.first_message) + sum(map(len, each.texts or ())) for each in page.sessions)
    if size <= INLINE_READ_BYTES:
        return result
    return await workers.reading(size, lambda: Json.of(encode(result)))


def _usage(row: ReportRow) -> SessionUsage:
    from sessiond.catalog.usage.report import name_of

    total = row.total
    return SessionUsage(
        tokens=total.tokens,
        cost=total.total_cost if total.has_cost else UNSET,
        withoutCost=total.without_cost,
        calculated=total.calculated or UNSET,
        models=[*map(name_of, row.by_model)],
    )


METHODS: dict[str, Handler] = {
    "session/findById": find_by_id,
    "session/list": list_,
    "session/listAll": list_all,
}
