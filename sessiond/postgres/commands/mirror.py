"""`sessiond mirror`: copy sessions into a store as their files grow."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from sessiond.cli.astext import one_line
from sessiond.cli.command import flag, standalone
from sessiond.cli.running import FAILED
from sessiond.postgres.commands.with_store import directories_of, fail, url, with_store
from sessiond.runtime.home import environment

if TYPE_CHECKING:
    from sessiond.postgres.store import DatabaseStore


@standalone("mirror", of_agent=True)
@url("--to", "The store (SESSIOND_STORE).")
@flag("--once", text="Copy everything as it is now, then end.")
@click.option("--namespace", metavar="NAME", help="Where to store them; default: the host's name.")
@click.option("--host", metavar="NAME", help="The name of this host, if others have the same.")
@flag("--mask", text="Mask keys and passwords of known forms in the copies.")
def main(*, url: str, once: bool, **params: Any) -> int:
    """Copy the sessions of an agent into a store as their files grow, until Ctrl-C.

    Other hosts can list, search, read and follow the copies, but not change them.
    """

    async def work(store: DatabaseStore) -> int:
        from sessiond.postgres.mirror.copied_files import LeaseLost
        from sessiond.postgres.mirror.mirror import mirror_of
        from sessiond.runtime.config import EngineConfig
        from sessiond.sessions.engine import Engine

        env = environment()
        where = directories_of(params)
        host = params["host"] or socket.gethostname()
        mirror = mirror_of(
            store,
            where.sessions_dir,
            host,
            params["namespace"],
            below=where.depth,
            masks=params["mask"],
        )
        source = f"{mirror.origin.directory} in the namespace {mirror.origin.namespace}"
        if once:
            try:
                await mirror.once()
            except LeaseLost as error:
                return fail(f"{mirror.origin.directory}: {error}")
            click.echo(f"{mirror.count} sessions of {one_line(source)}", err=True)
            for path, reason in mirror.failures.items():
                fail(f"{path} is not mirrored: {reason}")
            return FAILED if mirror.failures else 0
        engine = Engine(EngineConfig(), env)
        engine.follow(mirror.report)
        click.echo(f"sessiond: mirroring {one_line(source)}; Ctrl-C ends it", err=True)
        try:
            await _until_interrupted(mirror.run(engine.watcher()))
        finally:
            await engine.close()
        return 0

    return with_store(url, work)


async def _until_interrupted(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
