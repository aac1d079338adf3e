"""`gateway/subscribe` and `unsubscribe`: changes of a gateway's sessions."""

from __future__ import annotations

from sessiond_protocol.gateway import subscribe as contract
from sessiond_protocol.wire import given

from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.scope import StoreScope
from sessiond.methods.client import Client
from sessiond.methods.gateway.request import StoreRequest
from sessiond.methods.handlers import Handler
from sessiond.profiles import normal_agent_id


async def subscribe(
    client: Client, params: contract.GatewaySubscribeParams
) -> contract.GatewaySubscribeResult:
    request = StoreRequest.of(client, params)
    named = given(params.agentId)
    agent = None if named is None else normal_agent_id(named)
    scope = StoreScope(request.layout, agent, client.places.roots.allow)
    if not scope.stores():
        # This raises the reason.
        request.for_agent(agent or request.agent_id).store()
    subscription = await client.gateway.notices.subscribe(scope)
    problems = list(subscription.problems)
    faults = EntryFaults(problems)
    sessions = []
    for followed in subscription.stores.values():
        for key, entry in followed.entries().items():
            with faults.isolate(key, followed.path):
                sessions.append(
                    contract.StoredSession(
                        agentId=followed.agent_id,
                        storePath=followed.path,
                        sessionKey=key,
                        entry=entry.compact(),
                    )
                )
    return contract.GatewaySubscribeResult(
        subscription=subscription.name,
        sequence=subscription.sequence,
        sessions=sessions,
        **request.reported(problems),
    )


async def unsubscribe(client: Client, params: contract.GatewayUnsubscribeParams) -> None:
    client.gateway.notices.unsubscribe(params.subscription)


METHODS: dict[str, Handler] = {
    "gateway/subscribe": subscribe,
    "gateway/unsubscribe": unsubscribe,
}
