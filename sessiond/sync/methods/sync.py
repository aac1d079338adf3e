"""`catalog/sync`: give this machine and another place the same sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import UNSET
from sessiond_protocol.catalog import sync as contract
from sessiond_protocol.wire import given

from sessiond.catalog.projects import project_of
from sessiond.files import disk
from sessiond.methods.client import Client
from sessiond.methods.dates import time_of, zone_of
from sessiond.methods.handlers import Handler
from sessiond.runtime.errors import InvalidParams, ReadOnly, Unsupported
from sessiond.runtime.home import absolute
from sessiond.sync.exchange import Exchange, Move, Options
from sessiond.sync.files_side import FilesSide
from sessiond.sync.remote import on_host
from sessiond.sync.side import Side


async def sync(client: Client, params: contract.SyncParams) -> contract.SyncResult:
    host, directory = given(params.host), given(params.directory)
    where = host or directory
    if where is None or (host and directory):
        raise InvalidParams("expected either `host` or `directory`")
    client.engine.source.refuse("sync", where)
    if client.config.read_only and not params.dryRun:
        raise ReadOnly(client.places.listed_dir)
    here = side_of(client)

    def moved(move: Move) -> None:
        if move.to_here and not params.dryRun:
            client.live.look_at((here.path(move.item.ref),))

    options = _options(client, params)
    async with _other_side(client, params) as there:
        report = await Exchange(here, there, options, moved).run()
    return contract.SyncResult(
        moves=[_move(each) for each in report.moves],
        problems=[
            contract.SyncProblem(name=each.name, message=each.text) for each in report.problems
        ],
        compared=report.compared,
    )


def side_of(client: Client, folder: str | None = None) -> FilesSide:
    """Return the sessions of a client, or those in a folder, as one side of a sync."""
    config = client.engine.config
    return FilesSide(
        client.env,
        config.lock_timeout,
        folder,
        client.places.directories,
        has_memory=config.catalog_cache,
    )


@asynccontextmanager
async def _other_side(client: Client, params: contract.SyncParams) -> AsyncIterator[Side]:
    host, directory = given(params.host), given(params.directory)
    if directory is not None:
        path = client.places.path(directory)
        yield side_of(client, path)
    elif host is not None:
        if disk.is_confined():
            # What another machine sends is about all sessions of its user.
            raise Unsupported("With --root, no other machine is asked", host, "Sync a directory")
        async with on_host(host, given(params.program) or "sessiond") as side:
            yield side


def _options(client: Client, params: contract.SyncParams) -> Options:
    """Return what the params ask for. Raises InvalidParams."""
    project, direction = given(params.project), given(params.direction)
    home = absolute("~", client.env)
    agents = given(params.agents) or ()
    if not agents and not (client.config.all_agents or client.places.others):
        agents = [client.directories.agent.name]
    return Options(
        agents=agents,
        project=None if project is None else project_of(client.places.cwd(project), home),
        since=time_of(params.since, "since", zone_of(UNSET)),
        pulls=direction != "push",
        pushes=direction != "pull",
        deletions=bool(params.deletions),
        is_trial=bool(params.dryRun),
        mapping=[(client.places.cwd(each.here), each.there) for each in given(params.map) or ()],
    )


def _move(move: Move) -> contract.SyncMove:
    return contract.SyncMove(
        session=str(move.item.ref),
        agent=move.item.ref.agent,
        kind=move.kind,
        direction="pull" if move.to_here else "push",
        cwd=move.item.cwd,
        entries=move.entries if move.item.has_entries and move.entries else UNSET,
    )


METHODS: dict[str, Handler] = {"catalog/sync": sync}
