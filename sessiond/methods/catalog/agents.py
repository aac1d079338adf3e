"""Say which agents have sessions on this machine."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from sessiond_protocol.catalog import agents as contract
from sessiond_protocol.connection.profiles import Profile

from sessiond.agents.directories import Directories
from sessiond.agents.registry import AGENTS
from sessiond.agents.sessions import versions_in
from sessiond.agents.unread import unread_agents
from sessiond.catalog.list_query import ListQuery
from sessiond.catalog.listing import problems
from sessiond.files import disk, workers
from sessiond.methods.client import Client
from sessiond.methods.handlers import Handler
from sessiond.runtime.errors import PathNotAllowed
from sessiond.runtime.isolation import Fault
from sessiond.sessions.places import Places

_LATEST = 50
"""The sessions whose beginnings are read for versions."""


async def agents(client: Client, _params: contract.AgentsParams) -> contract.AgentsResult:
    own = client.directories
    every = [own, *client.engine.source.others(own.agent, client.env)]
    order = list(AGENTS)
    every.sort(key=lambda where: order.index(where.agent.name))
    rows: list[contract.AgentSummary] = []
    faults: list[Fault] = []
    for where in every:
        if where is own and not disk.exists(where.listed_dir):
            continue
        # An agent outside the roots is none for this client.
        with suppress(PathNotAllowed):
            rows.append(await _summary(client, where, faults))
    return contract.AgentsResult(
        agents=rows,
        unread=[
            contract.UnreadAgent(name=name, directory=place)
            for name, place in unread_agents(client.env)
        ],
        problems=problems(faults),
    )


async def _summary(
    client: Client, where: Directories, faults: list[Fault]
) -> contract.AgentSummary:
    scope = Places(where, client.places.roots, client.env).everything()
    page = await client.engine.catalogue.page(scope, ListQuery(limit=_LATEST), None)
    faults += page.faults
    paths = [each.path for each in page.sessions]
    return contract.AgentSummary(
        agent=cast("Profile", where.agent.name),
        agentDir=where.agent_dir,
        sessionsDir=where.listed_dir,
        sessions=page.total,
        readOnly=where.agent.is_read_only,
        versions=await workers.reading(workers.LONG, versions_in, paths),
    )


METHODS: dict[str, Handler] = {"catalog/agents": agents}
