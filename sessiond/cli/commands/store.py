"""`sessiond store`, `mirror`, `push` and `pull`: look after a store, move sessions there and back.

These commands use files and the store at the same time.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from sessiond.agents.directories import Directories, directories
from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import clean, one_line
from sessiond.errors import InvalidParams, SessiondError, how_to_install
from sessiond.home import absolute, with_working_directory
from sessiond.processes import prepare_process

if TYPE_CHECKING:
    from sessiond.agents.agent import Agent
    from sessiond.catalog.scope import SessionScope
    from sessiond.postgres.store import DatabaseStore

_FAILED = 3
NO_DRIVER = f"the driver is missing; {how_to_install('psycopg[binary]', 'postgres')}"


def migrate(*, url: str) -> int:
    """Migrate the schema and print its version; 3 if that fails."""
    try:
        from sessiond.postgres import schema  # noqa: PLC0415 - only for a store
    except ImportError:
        return _fail(NO_DRIVER)
    try:
        before, after = asyncio.run(schema.migrate_at(url))
    except schema.MigrationFailed as error:
        return _fail(str(error))
    if after > schema.VERSION:
        return _fail(
            f"the schema has version {after}, but this sessiond knows version {schema.VERSION};"
            " install a newer sessiond"
        )
    done = "is current" if before == after else f"was version {before}"
    click.echo(f"The schema has version {after}; it {done}.")
    return 0


def mirror(*, url: str, once: bool, **params: Any) -> int:
    """Mirror the sessions of an agent until interrupted, or once; 3 if that fails."""

    async def work(store: DatabaseStore) -> int:
        from sessiond.config import EngineConfig  # noqa: PLC0415 - only for a store
        from sessiond.engine import Engine  # noqa: PLC0415
        from sessiond.postgres.mirror.copied_files import LeaseLost  # noqa: PLC0415
        from sessiond.postgres.mirror.serving import mirror_of  # noqa: PLC0415

        env = with_working_directory(os.environ)
        where = _directories(params)
        host = params["host"] or socket.gethostname()
        made = mirror_of(
            store,
            where.sessions_dir,
            host,
            params["namespace"],
            below=where.depth,
            masks=params["mask"],
        )
        shown = f"{made.origin.directory} in the namespace {made.origin.namespace}"
        if once:
            try:
                await made.once()
            except LeaseLost as error:
                return _fail(f"{made.origin.directory}: {error}")
            click.echo(f"{made.count} sessions of {one_line(shown)}", err=True)
            for path, reason in made.failures.items():
                _fail(f"{path} is not mirrored: {reason}")
            return _FAILED if made.failures else 0
        engine = Engine(EngineConfig(), env)
        engine.follow(made.report)
        click.echo(f"sessiond: mirroring {one_line(shown)}; Ctrl-C ends it", err=True)
        try:
            await _until_interrupted(made.run(engine.watcher()))
        finally:
            await engine.close()
        return 0

    return _with_store(url, work)


async def _until_interrupted(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def push(*, url: str, file: str, namespace: str | None, mask: bool) -> int:
    """Store a session file and print the name of the copy; 3 if that fails."""

    async def work(store: DatabaseStore) -> int:
        from sessiond.postgres.mirror import moving, origin  # noqa: PLC0415 - only for a store
        from sessiond.postgres.names import DEFAULT_NAMESPACE, StoreName  # noqa: PLC0415

        path = absolute(file, with_working_directory(os.environ))
        name = StoreName(origin.checked(namespace or DEFAULT_NAMESPACE), origin.key_of(path))
        if await moving.push(store.database, path, name, masks=mask):
            store.bell.ring(name)
        click.echo(str(name))
        return 0

    return _with_store(url, work)


def pull(*, url: str | None, session: str, output: str | None, **params: Any) -> int:
    """Write a session into a new file and print its path; 3 if that fails."""
    from sessiond.agents.sessions import recognize  # noqa: PLC0415 - imported by a store only

    env = with_working_directory(os.environ)
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
        from sessiond.postgres.mirror import moving  # noqa: PLC0415 - only for a store

        found = await moving.find(store, session)
        target = _target(output, found.cwd, found.file_name, params)
        await moving.pull(store.database, found.name, target)
        click.echo(one_line(target))
        return 0

    return _with_store(url, work)


def _of_agent(agent: Agent | None, session: str, output: str | None, params: dict[str, Any]) -> int:
    """Copy a session of an agent that alone writes its sessions; None: `session` is its path."""
    from sessiond.agents.sessions import refuse_new_file  # noqa: PLC0415 - only for such an agent
    from sessiond.catalog import copying  # noqa: PLC0415

    async def work() -> int:
        found = session if agent is None else await copying.find(_scope(agent), session)
        copy = await copying.pull(found)
        header = copy.header
        # An id may contain anything; the name is one of a file in the directory.
        name = quote(_directories(params).file_name(header.id, header.timestamp), safe="")
        target = _target(output, header.cwd, name, params)
        refuse_new_file(target)
        await copy.write(target)
        click.echo(one_line(target))
        return 0

    try:
        return asyncio.run(work())
    except (SessiondError, InvalidParams) as error:
        return _fail(error.message)


def _scope(agent: Agent) -> SessionScope:
    """Return all sessions of an agent."""
    from sessiond.catalog.scope import AgentsScope, SessionScope  # noqa: PLC0415

    where = directories(agent, with_working_directory(os.environ))
    if where.agents_dir is not None:
        return AgentsScope(where.agents_dir)
    return SessionScope(where.sessions_dir, below=where.depth)


def _target(output: str | None, cwd: str | None, name: str, params: dict[str, Any]) -> str:
    """The file to write: the one that was given, or one where the agent looks for sessions."""
    env = with_working_directory(os.environ)
    if output is not None:
        return absolute(output, env)
    return os.path.join(_directories(params).default_dir(cwd or env["PWD"]), name)


def _directories(params: dict[str, Any]) -> Directories:
    """The directories of the agent that the options name."""
    env = with_working_directory(os.environ)
    profile = AGENTS[params["profile"] or "pi"]
    return directories(profile, env, params["agent_dir"], params["agent_id"])


def _with_store(url: str, work: Callable[[DatabaseStore], Coroutine[Any, Any, int]]) -> int:
    """Run work with a store and close it; errors become messages."""
    try:
        from sessiond.postgres.store import DatabaseStore  # noqa: PLC0415 - only for a store
    except ImportError:
        return _fail(NO_DRIVER)
    from sessiond import limits  # noqa: PLC0415

    async def go() -> int:
        store = DatabaseStore(
            url,
            lambda _: None,
            timeout=limits.LOCK_TIMEOUT,
            durability="server",
            cache_bytes=limits.CACHE_BYTES,
        )
        try:
            return await work(store)
        finally:
            await store.close()

    prepare_process()
    try:
        return asyncio.run(go())
    except (SessiondError, InvalidParams) as error:
        return _fail(error.message)


def _fail(reason: str) -> int:
    """Print why a command failed; returns its exit code."""
    click.echo(f"sessiond: {clean(reason)}", err=True)
    return _FAILED
