"""Initialize and end a connection, and describe the daemon."""

from __future__ import annotations

import logging
import os
import time
from typing import Any, cast

from msgspec import UNSET
from sessiond_protocol import PROTOCOL_VERSION, openrpc
from sessiond_protocol.connection import lifecycle as contract
from sessiond_protocol.connection.profiles import Profile
from sessiond_protocol.wire import given

from sessiond import __version__
from sessiond.agents.directories import directories
from sessiond.agents.registry import AGENTS
from sessiond.methods.client import Client
from sessiond.runtime.errors import InvalidRequest, UnsupportedVersion
from sessiond.runtime.processes import ancestors, resident_bytes
from sessiond.text.spans import Json

logger = logging.getLogger(__name__)


async def initialize(
    client: Client, params: contract.InitializeParams
) -> contract.InitializeResult:
    versions = given(params.protocolVersions)
    if versions is not None and PROTOCOL_VERSION not in versions:
        raise UnsupportedVersion(PROTOCOL_VERSION)
    if client.initialized:
        raise InvalidRequest("initialize was sent already; its settings cannot be changed")
    _choose_directories(client, params)
    if given(params.allAgents):
        client.places.others = client.engine.source.others(client.directories.agent, client.env)
    client.initialized = True
    client.client_process = _own_process(given(params.processId), client.pid or os.getpid())
    server = client.server
    encoding: contract.PositionEncoding = given(params.positionEncoding) or "utf-16"
    server.position_encoding = encoding
    capabilities = given(params.capabilities)
    server.plain_json = bool(capabilities and capabilities.plainJson)
    info = given(params.clientInfo)
    if info is not None:
        client.name = f"{info.name} {given(info.version) or ''}".rstrip()
        client.in_use.name = client.name
        logger.info("Client %s", client.name)
    where = client.directories
    methods, notifications = openrpc.names()
    return contract.InitializeResult(
        serverInfo=contract.ServerInfo(version=__version__),
        protocolVersion=PROTOCOL_VERSION,
        profile=cast("Profile", where.agent.name),
        agentDir=where.agent_dir,
        sessionsDir=where.sessions_dir,
        positionEncoding=encoding,
        capabilities=contract.ServerCapabilities(
            framing=server.framing,
            methods=methods,
            notifications=notifications,
        ),
        agents=[
            contract.ListedAgent(
                agent=cast("Profile", each.agent.name), sessionsDir=each.listed_dir
            )
            for each in (where, *client.places.others)
        ]
        if client.places.others
        else UNSET,
    )


def _own_process(pid: int | None, started: int) -> int | None:
    """Return `pid` if this process started the one with the id `started`, else None.

    A client over ssh sends the id of a process on its own machine, which may be that of a stranger
    here. Its end is noticed as the end of the input.
    """
    if pid is None or pid in ancestors(started):
        return pid
    logger.info("Process %d has not started this daemon; it is not watched", pid)
    return None


def _choose_directories(client: Client, params: contract.InitializeParams) -> None:
    """Apply the client's directories, which override those of the command line."""
    profile, agent_dir, agent_id = map(given, (params.profile, params.agentDir, params.agentId))
    if agent_dir is not None:
        agent_dir = client.places.output(agent_dir)
    if profile is None and agent_dir is None and agent_id is None:
        return
    same = profile is None or profile == client.config.profile
    client.places.directories = directories(
        AGENTS[profile or client.config.profile],
        client.env,
        # A directory on the command line belongs to the profile named there.
        agent_dir or (client.config.agent_dir if same else None),
        agent_id or client.config.agent_id,
    )


async def initialized(_client: Client, _params: None) -> None:
    """Ignore the notification, which LSP clients always send."""


def shutdown(client: Client, _params: None) -> None:
    client.server.shut_down = True


def exit_(client: Client, _params: None) -> None:
    client.server.stop(0 if client.server.shut_down else 1)


async def discover(_client: Client, _params: None) -> Json:
    return Json.of(openrpc.published())


async def status(client: Client, _params: None) -> contract.StatusResult:
    cache = client.engine.documents.stats()
    watcher = client.live.watcher
    serving = client.engine.connections
    return contract.StatusResult(
        version=__version__,
        pid=os.getpid(),
        uptimeMs=int((time.monotonic() - client.engine.started) * 1000),
        requests=client.server.requests,
        openSessions=len(client.sessions),
        cache=contract.CacheStatus(
            documents=cache.documents,
            bytes=cache.bytes,
            limitBytes=cache.limit_bytes,
            hits=cache.hits,
            misses=cache.misses,
            evictions=cache.evictions,
        ),
        watch=contract.WatchStatus(
            directories=watcher.directories, mode=watcher.mode, events=watcher.events
        ),
        memoryBytes=resident_bytes(),
        shared=serving is not None,
        connections=1 if serving is None else serving(),
        store=client.engine.source.status(),
    )


METHODS: dict[str, Any] = {
    "initialize": initialize,
    "initialized": initialized,
    "shutdown": shutdown,
    "exit": exit_,
    "rpc.discover": discover,
    "daemon/status": status,
}
