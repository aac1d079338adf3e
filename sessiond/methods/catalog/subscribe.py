"""`catalog/subscribe` and `catalog/unsubscribe`."""

from __future__ import annotations

from msgspec import UNSET
from sessiond_protocol.catalog import subscribe as contract
from sessiond_protocol.wire import given

from sessiond.catalog.kinds import Kinds
from sessiond.catalog.list_query import ListQuery
from sessiond.catalog.listing import problems
from sessiond.catalog.resuming import compared
from sessiond.files import workers
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import marks_of, scope_of
from sessiond.runtime.isolation import Faults

_COST = 1024
"""Bytes of a file that are read in the time in which a session is put into a token."""


async def subscribe(
    client: Client, params: contract.CatalogSubscribeParams
) -> contract.CatalogSubscribeResult:
    scope, kinds = scope_of(client, params), Kinds(subagents=bool(params.subagents))
    await client.engine.source.marks.read()
    marked = marks_of(client, params)
    subscription = await client.live.subscribe(scope, given(params.subscription), kinds, marked)
    faults, listing = Faults(), subscription.listing
    # A page of `session/list` goes on from `nextCursor`.
    query = ListQuery(kinds=kinds, marked=marked, limit=given(params.limit))
    every = query.ordered(query.select(listing.of_kinds(kinds)), {})
    bound = query.bound(scope)
    size = len(every) * _COST
    token, since = await workers.computing(
        size, compared, every, bound, given(params.resumeToken), faults, marked
    )
    sessions, after = every, None
    if since is not None:
        sessions = since.changed
    elif query.limit is not None:
        sessions, after = query.page(every, scope, {})
    return contract.CatalogSubscribeResult(
        subscription=subscription.name,
        sequence=subscription.sequence,
        sessions=faults.each(sessions, lambda item: item.path, client.infos()),
        resumeToken=token,
        removed=UNSET if since is None else list(since.removed),
        nextCursor=UNSET if after is None else after,
        problems=problems([*listing.faults, *faults]),
    )


async def unsubscribe(client: Client, params: contract.CatalogUnsubscribeParams) -> None:
    client.live.unsubscribe(params.subscription)


METHODS: dict[str, Handler] = {
    "catalog/subscribe": subscribe,
    "catalog/unsubscribe": unsubscribe,
}
