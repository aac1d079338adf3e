"""Builds everything, runs the loop, and sees to it that the process ends when it should."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import logging
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module

from sessiond_protocol.method import Method

from sessiond.catalog.index.database import Store, store_path
from sessiond.catalog.index.indexer import Indexer
from sessiond.catalog.listing import Listings
from sessiond.commandline import carry_argument
from sessiond.config import Config
from sessiond.errors import ReadFailed
from sessiond.files import disk
from sessiond.files.cache import Documents
from sessiond.files.locks.presence import Presence
from sessiond.files.temporary import sweep_all
from sessiond.limits import LONG_ANSWER_BYTES, PARENT_CHECK_SECONDS, SHORT_ANSWER_BYTES
from sessiond.methods.app import App, Handlers
from sessiond.methods.families import AT_START, ON_FIRST_USE, Family
from sessiond.notify.live import Live
from sessiond.processes import is_alive
from sessiond.profiles import PROFILES, absolute, directories, with_working_directory
from sessiond.rpc.protocol import Server
from sessiond.rpc.stdio import claim_stdio
from sessiond.session.places import Places, Roots
from sessiond.session.table import Sessions

logger = logging.getLogger(__name__)

_SWITCH_SECONDS = 0.0005
_LANES = {
    # These change what is asked for next, or take no time, whatever else is in hand.
    "exit": "",
    "shutdown": "",
    # These are for sessions, and some of them write.
    "initialize": "session",
    "context": "session",
    # These answer at length, and hold up only each other.
    "session/findById": "list",
    "session/list": "list",
    "session/listAll": "list",
    "catalog/export": "export",
}
"""Whose bounds a method or family shares, where that is not the family of its name."""

_AT_LENGTH = ("list", "export")
"""Where answers are to be expected to be long."""


def build(config: Config, env: Mapping[str, str], server: Server | None = None) -> App:
    """One daemon, not serving yet. `server` stands in for one that talks to a client."""
    env = with_working_directory(env)
    given = None if config.roots is None else [absolute(root, env) for root in config.roots]
    roots = Roots(given)
    disk.confine(roots.real)
    places = Places(
        directories(PROFILES[config.profile], env, config.agent_dir, config.agent_id),
        roots,
        env,
    )
    documents = Documents(
        limit=config.cache_bytes, lock_timeout=config.lock_timeout, product=config.profile
    )
    sessions = Sessions(places, documents, read_only=config.read_only)
    server = server or Server(config.framing, config.max_message_bytes)
    in_use = Presence()
    store = Store(store_path(env)) if config.catalog_cache else None
    indexer = Indexer(store)
    live = Live(server.connection, server.notify, config.watch, in_use, indexer)
    sessions.attached, sessions.closed = live.follow, live.forget
    app = App(config, env, sessions, server, live, in_use, indexer, Listings(store))
    for family in AT_START:
        _load(app, family)
    for prefix, family in ON_FIRST_USE.items():
        server.register_later(prefix, functools.partial(_load, app, family))
    return app


def _register(app: App, groups: Iterable[Handlers], described: Mapping[str, Method]) -> None:
    for group in groups:
        for name, handler in group.items():
            method = described[name]
            family = name.partition("/")[0]
            lane = _LANES.get(name, _LANES.get(family, family))
            app.server.register(
                name,
                method.params,
                functools.partial(handler, app),
                method.kind,
                lane=lane,
                expected_bytes=LONG_ANSWER_BYTES if lane in _AT_LENGTH else SHORT_ANSWER_BYTES,
            )


def _load(app: App, family: Family) -> None:
    """Raises ReadFailed where a module cannot be read, for want of descriptors for example."""
    try:
        # Everything is imported before anything is changed, so that a failure leaves no half.
        described: Mapping[str, Method] = import_module(family.contract).METHODS
        load = import_module(family.methods).load
    except OSError as error:
        raise ReadFailed(os.fsdecode(error.filename or family.methods), error) from error
    groups: list[Handlers] = load(app)
    _register(app, groups, described)


async def serve(app: App, input_fd: int, output_fd: int) -> int:
    """Serve one client until it is done; returns the exit code."""
    watching = asyncio.create_task(_end_with_client(app))
    tidying = asyncio.create_task(_tidy(app))
    try:
        return await app.server.serve(input_fd, output_fd)
    finally:
        watching.cancel()
        tidying.cancel()
        await app.live.close()
        app.searching.close()
        app.matching.close()
        await app.indexer.close()
        app.in_use.close()


async def _tidy(app: App) -> None:
    """Remove what processes that were killed have left behind."""
    # Looking at the marks of others removes those of the dead.
    app.in_use.snapshot()
    where = app.directories
    if not app.config.read_only and app.places.roots.allow(where.sessions_dir):
        await asyncio.to_thread(sweep_all, where.sessions_dir, below=not where.one_for_all)


async def _end_with_client(app: App) -> None:
    """Stop when the process that `initialize` named is gone."""
    while True:
        await asyncio.sleep(PARENT_CHECK_SECONDS)
        if app.client_process is not None and not is_alive(app.client_process):
            logger.info("Process %d is gone", app.client_process)
            app.server.stop(0)
            return


def run(config: Config, env: Mapping[str, str]) -> int:
    """Serve on standard input and output; returns the exit code."""
    input_fd, output_fd = claim_stdio()
    _log(config)
    # Small requests must get their turn while a worker thread decodes megabytes.
    sys.setswitchinterval(_SWITCH_SECONDS)
    # What was imported lives for ever; the collector need not look at it again.
    gc.freeze()
    gc.enable()

    async def main() -> int:
        app = build(config, env)
        app.carry_argument = carry_argument
        app.show_profile()
        # Threads of libraries know nothing of our contexts.
        disk.confine(app.places.roots.real, process=True)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, app.server.stop, 0)
        return await serve(app, input_fd, output_fd)

    return asyncio.run(main())


def _log(config: Config) -> None:
    target = config.log_file
    if target:
        # A log may quote sessions; a file that is there keeps the mode its owner gave it.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with contextlib.suppress(FileExistsError):
            # The command line names it, and no client.
            os.close(os.open(target, flags, 0o600))  # noqa: TID251
    handler = (
        logging.FileHandler(target, encoding="utf-8", errors="backslashreplace")
        if target
        else logging.StreamHandler(sys.stderr)
    )
    logging.basicConfig(
        level=config.log_level.upper(),
        handlers=[handler],
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    # It tells of every method that is registered.
    logging.getLogger("pygls").setLevel(logging.WARNING)
