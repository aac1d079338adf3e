"""`sessiond pull`: write a session of a store, or of another agent, into a file."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from sessiond.agents.directories import directories
from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import one_line
from sessiond.cli.command import standalone
from sessiond.cli.values import NotEmpty
from sessiond.postgres.commands.with_store import directories_of, with_store
from sessiond.runtime.home import absolute, environment

if TYPE_CHECKING:
    from sessiond.agents.agent import Agent
    from sessiond.catalog.scope import SessionScope
    from sessiond.postgres.store import DatabaseStore


@standalone("pull", of_agent=True)
@click.argument("session", type=NotEmpty("session"))
@click.option(
    "--from",
    "url",
    metavar="URL",
    envvar="SESSIOND_STORE",
    help="The store (SESSIOND_STORE), or the profile of such an agent.",
)
@click.option(
    "-o",
    "--output",
    type=NotEmpty("file"),
    metavar="FILE",
    help="Write FILE; default: a file where the agent looks for sessions.",
)
def main(*, url: str | None, session: str, output: str | None, **params: Any) -> int:
    """Write a session of a store, or of an agent that alone writes its sessions, into a file that
    another agent can continue.

    SESSION is its id, the beginning of its id, HOST:ID, its name in the store, or its path.
    """
    from sessiond.agents.sessions import recognize

    env = environment()
    path = absolute(session, env)
    if recognize(path) is not None:
        return _of_agent(None, path, output, params)
    if url in AGENTS:
        return _of_agent(AGENTS[url], session, output, params)
    if url is None:
        agents = [f"--from {agent.name}" for agent in AGENTS.values() if agent.translation]
        raise click.UsageError(
            f"name the store: --from URL (SESSIOND_STORE), or {' or '.join(agents)}"
        )

    async def work(store: DatabaseStore) -> int:
        from sessiond.postgres.mirror import moving

        source = await moving.find(store, session)
        target = _target(output, source.cwd, source.file_name, params)
        await moving.pull(store.database, source.name, target)
        click.echo(one_line(target))
        return 0

    return with_store(url, work)


def _of_agent(agent: Agent | None, session: str, output: str | None, params: dict[str, Any]) -> int:
    """Copy a session of an agent that alone writes its sessions; None: `session` is its path."""
    from sessiond.agents.sessions import refuse_new_file
    from sessiond.catalog import copying

    async def work() -> int:
        path = session if agent is None else await copying.find(_scope(agent), session)
        copy = await copying.pull(path)
        header = copy.header
        # An id may contain anything; the name is one of a file in the directory.
        name = quote(directories_of(params).file_name(header.id, header.timestamp), safe="")
        target = _target(output, header.cwd, name, params)
        refuse_new_file(target)
        await copy.write(target)
        click.echo(one_line(target))
        return 0

    return asyncio.run(work())


def _scope(agent: Agent) -> SessionScope:
    """Return all sessions of an agent."""
    from sessiond.catalog.scope import AgentsScope, SessionScope

    where = directories(agent, environment())
    if where.agents_dir is not None:
        return AgentsScope(where.agents_dir)
    return SessionScope(where.sessions_dir, below=where.depth)


def _target(output: str | None, cwd: str | None, name: str, params: dict[str, Any]) -> str:
    """The file to write: the one that was given, or one where the agent looks for sessions."""
    env = environment()
    if output is not None:
        return absolute(output, env)
    return os.path.join(directories_of(params).default_dir(cwd or env["PWD"]), name)
