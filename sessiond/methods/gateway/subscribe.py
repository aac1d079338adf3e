"""CoderClaw's session layer: hearing of what becomes of its sessions."""

from __future__ import annotations

from sessiond_protocol.gateway import subscribe as contract
from sessiond_protocol.wire import given

from sessiond.gateway.store.faults import EntryFaults
from sessiond.gateway.store.scope import StoreScope
from sessiond.methods.app import App, Handler
from sessiond.methods.gateway.request import layout_of, store_of, store_problems
from sessiond.methods.gateway.rules import problems_of
from sessiond.profiles import normal_agent_id


async def subscribe(
    app: App, params: contract.GatewaySubscribeParams
) -> contract.GatewaySubscribeResult:
    layout = layout_of(app, params)
    named = given(params.agentId)
    agent = None if named is None else normal_agent_id(named)
    scope = StoreScope(layout, agent, app.places.roots.allow)
    if not scope.stores():
        # It says why.
        store_of(app, layout, agent or layout.rules.default_agent)
    subscription = await app.gateway.notices.subscribe(scope)
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
        problems=store_problems(problems),
        configProblems=problems_of(layout.config),
    )


async def unsubscribe(app: App, params: contract.GatewayUnsubscribeParams) -> None:
    app.gateway.notices.unsubscribe(params.subscription)


METHODS: dict[str, Handler] = {
    "gateway/subscribe": subscribe,
    "gateway/unsubscribe": unsubscribe,
}
