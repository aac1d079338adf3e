"""`catalog/subscribe` and `catalog/unsubscribe`."""

from __future__ import annotations

from sessiond_protocol.catalog import subscribe as contract
from sessiond_protocol.wire import given

from sessiond.catalog.listing import problems
from sessiond.catalog.scope import SessionScope
from sessiond.errors import InvalidParams
from sessiond.isolation import Faults
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import scope_of


async def subscribe(
    client: Client, params: contract.CatalogSubscribeParams
) -> contract.CatalogSubscribeResult:
    subscription = await client.live.subscribe(_scope(client, params))
    faults = Faults()
    told = subscription.told
    return contract.CatalogSubscribeResult(
        subscription=subscription.name,
        sequence=subscription.sequence,
        sessions=faults.each(told.newest_first(), lambda item: item.path, client.live.info),
        problems=problems([*told.faults, *faults]),
    )


def _scope(client: Client, params: contract.CatalogSubscribeParams) -> SessionScope:
    cwd, directory = given(params.cwd), given(params.sessionDir)
    if sum((cwd is not None, directory is not None, bool(params.all))) != 1:
        raise InvalidParams("expected exactly one of `cwd`, `sessionDir` and `all`")
    return scope_of(client, cwd, directory)


async def unsubscribe(client: Client, params: contract.CatalogUnsubscribeParams) -> None:
    client.live.unsubscribe(params.subscription)


METHODS: dict[str, Handler] = {
    "catalog/subscribe": subscribe,
    "catalog/unsubscribe": unsubscribe,
}
