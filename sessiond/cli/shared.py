"""Run a command with the methods it calls: in a shared daemon that runs, or in this process.

The engine takes most of the time of a command's start, and the daemon has it already. Only commands
that read use it. Which of the two it is, is decided once, when the command starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from sessiond.cli.settings import arguments, config
from sessiond.runtime.processes import prepare_process
from sessiond.shared.front.arguments import ENGINE
from sessiond.shared.front.caller import Caller, may_call
from sessiond.shared.front.place import Refused

if TYPE_CHECKING:
    from sessiond.cli.local import LocalCommand


_T = TypeVar("_T")

_OF_CONNECTION = ("profile", "agent_dir", "agent_id", "all_agents", "root")
"""Settings that are passed to the daemon."""

_ALONE = ("log_level", "log_file", "store")
"""Settings with which a command stays in this process."""

_Work = Callable[["LocalCommand | SharedCommand"], Coroutine[Any, Any, _T]]


def reach(context: click.Context, given: Mapping[str, Any]) -> Caller | None:
    """Connect to the shared daemon for a command with these settings; None if there is none."""
    source = context.find_root().get_parameter_source
    engine = (name.removeprefix("--").replace("-", "_") for name in ENGINE)
    if not may_call(os.environ) or any(name in given for name in _ALONE):
        return None
    if any(source(name) is click.core.ParameterSource.COMMANDLINE for name in engine):
        # A daemon has other settings, or spells them differently.
        return None
    kept = {name: given[name] for name in _OF_CONNECTION if name in given}
    try:
        return Caller([*arguments(kept), "--read-only", "--framing=line"])
    except (OSError, Refused):
        return None


class SharedCommand:
    """The methods for one command, called in the daemon. It has the functions of `LocalCommand`."""

    def __init__(self, caller: Caller, given: Mapping[str, Any]) -> None:
        self._caller = caller
        self._given = given

    @property
    def in_store(self) -> bool:
        """Whether the sessions are rows of a database: never, see `_ALONE`."""
        return False

    @property
    def sessions_dir(self) -> str:
        """The directory that contains the sessions, directly or in subdirectories."""
        from sessiond.agents.directories import directories
        from sessiond.agents.registry import AGENTS
        from sessiond.runtime.home import environment

        own = self._given.get("agent_dir"), self._given.get("agent_id")
        env = environment()
        return directories(AGENTS[self._given["profile"]], env, *own).listed_dir

    async def call(self, method: str, **params: Any) -> Any:
        """Return the result as `Local.call` does."""
        return loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """Return the result as `Local.call_raw` does, without an event loop. Raises Failed."""
        given = {name: value for name, value in params.items() if value is not None}
        return self._caller.call(method, given)


def finished(work: Coroutine[Any, Any, _T]) -> _T:
    """Run work that waits for nothing but a `SharedCommand`; returns its result."""
    try:
        work.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    finally:
        work.close()
    raise RuntimeError("a command in a shared daemon waits for something else")


def loads(content: bytes) -> Any:
    """Decode an answer; strings may contain lone surrogates."""
    try:
        return orjson.loads(content)
    except ValueError:
        from sessiond.text import spans

        return spans.loads(content)


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
    import asyncio

    async def run() -> _T:
        async with _local(given) as daemon:
            return await work(daemon)

    # Some commands follow sessions for days.
    prepare_process()
    return asyncio.run(run())


def _there(caller: Caller, given: Mapping[str, Any], work: _Work[_T]) -> _T:
    try:
        return finished(work(SharedCommand(caller, given)))
    finally:
        caller.close()


def _local(given: Mapping[str, Any]) -> AbstractAsyncContextManager[LocalCommand]:
    from sessiond.cli.local import local

    _log(given)
    return local(config(given), os.environ)


def _log(given: Mapping[str, Any]) -> None:
    """Send warnings of the daemon to its log; commands report problems themselves."""
    import logging

    from sessiond.runtime.logs import begin_log

    level = given.get("log_level")
    if level is None and "log_file" not in given:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    begin_log(given.get("log_file"), level or "warning")
