"""`catalog/subscribe` and `catalog/unsubscribe`."""

from __future__ import annotations

from sessiond_protocol.catalog import subscribe as contract
from sessiond_protocol.wire import given

from sessiond.catalog.listing import problems
from sessiond.isolation import Faults
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.methods.session.list import scope_of


async def subscribe(
    client: Client, params: contract.CatalogSubscribeParams
) -> contract.CatalogSubscribeResult:
    subscription = await client.live.subscribe(
        scope_of(client, params),
        given(params.subscription),
        with_subagents=bool(params.subagents),
    )
    faults = Faults()
    told = subscription.told
    shown = told.shown(with_subagents=subscription.with_subagents)
    return contract.CatalogSubscribeResult(
        subscription=subscription.name,
        sequence=subscription.sequence,
        sessions=faults.each(shown, lambda item: item.path, client.infos()),
        problems=problems([*told.faults, *faults]),
    )


async def unsubscribe(client: Client, params: contract.CatalogUnsubscribeParams) -> None:
    client.live.unsubscribe(params.subscription)


METHODS: dict[str, Handler] = {
    "catalog/subscribe": subscribe,
    "catalog/unsubscribe": unsubscribe,
}
