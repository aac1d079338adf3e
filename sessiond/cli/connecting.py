"""Run a command with the methods it calls: in a running shared daemon, or in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sessiond.cli.shared import SharedCommand, finished, reach

# The engine and what it needs are imported where a command runs in this process.
if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from sessiond.cli.local import LocalCommand
    from sessiond.front.caller import Caller

_T = TypeVar("_T")

_Work = Callable[["LocalCommand | SharedCommand"], Coroutine[Any, Any, _T]]


def run_with_methods(
    context: click.Context, given: Mapping[str, Any], work: _Work[_T], *, share: bool
) -> _T:
    """Run `work` with the methods of a daemon with the settings `given`; returns its result.

    `share`: whether to use a shared daemon that runs. It must be false for work that writes, or
    that waits for something else than the methods.
    """
    caller = reach(context, given) if share else None
    return _here(given, work) if caller is None else _there(caller, given, work)


def _here(given: Mapping[str, Any], work: _Work[_T]) -> _T:
    import asyncio  # noqa: PLC0415 - not for a command in a shared daemon

    async def run() -> _T:
        async with _local(given) as daemon:
            return await work(daemon)

    return asyncio.run(run())


def _there(caller: Caller, given: Mapping[str, Any], work: _Work[_T]) -> _T:
    daemon = SharedCommand(caller, given, lambda: _local(given))
    try:
        return finished(work(daemon))
    finally:
        daemon.close()


def _local(given: Mapping[str, Any]) -> AbstractAsyncContextManager[LocalCommand]:
    from sessiond.cli.grammar.serving import config  # noqa: PLC0415 - brings the settings along
    from sessiond.cli.local import local  # noqa: PLC0415 - brings the engine along

    _log(given)
    return local(config(given), os.environ)


def _log(given: Mapping[str, Any]) -> None:
    """Send warnings of the daemon to its log; commands report problems themselves."""
    import logging  # noqa: PLC0415 - not for a command in a shared daemon

    from sessiond.logs import begin_log  # noqa: PLC0415 - likewise

    level = given.get("log_level")
    if level is None and "log_file" not in given:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    begin_log(given.get("log_file"), level or "warning")
