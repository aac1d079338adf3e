"""Parts that the commands share that use files and a store at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import click

from sessiond.agents.directories import Directories, directories
from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import clean
from sessiond.cli.command import Decorator
from sessiond.cli.running import FAILED
from sessiond.runtime.errors import how_to_install
from sessiond.runtime.home import environment
from sessiond.runtime.processes import prepare_process

if TYPE_CHECKING:
    from sessiond.postgres.store import DatabaseStore

NO_DRIVER = f"the driver is missing; {how_to_install('psycopg[binary]', 'postgres')}"


def url(name: str, text: str) -> Decorator:
    """Add the option that names the store; by default that of `sessiond --store`."""

    def given(context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
        # The option of the daemon reads SESSIOND_STORE.
        store: str | None = value or context.find_root().params.get("store")
        if not store and not context.resilient_parsing:
            raise click.UsageError(f"name the store: {name} URL (SESSIOND_STORE)", context)
        return store

    return click.option(name, "url", metavar="URL", callback=given, help=text)


def directories_of(params: dict[str, Any]) -> Directories:
    """The directories of the agent that the options name."""
    env = environment()
    profile = AGENTS[params["profile"] or "pi"]
    return directories(profile, env, params["agent_dir"], params["agent_id"])


def with_store(url: str, work: Callable[[DatabaseStore], Coroutine[Any, Any, int]]) -> int:
    """Run work with a store and close it. Raises SessiondError and InvalidParams."""
    try:
        from sessiond.postgres.store import DatabaseStore
    except ImportError:
        return fail(NO_DRIVER)
    from sessiond.runtime import limits

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
    return asyncio.run(go())


def fail(reason: str) -> int:
    """Print why a command failed; returns its exit code."""
    click.echo(f"sessiond: {clean(reason)}", err=True)
    return FAILED
