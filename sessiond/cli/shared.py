"""Run a command with the methods it calls: in a shared daemon that runs, or in this process.

The engine takes most of the time of a command's start, and the daemon has it already. Only commands
that read use it. Its errors are never shown: the command goes on in this process, which repeats the
call and finds the error itself, or the result. So the output does not depend on the daemon.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from sessiond.cli.grammar.serving import arguments, config
from sessiond.front.arguments import ENGINE
from sessiond.front.caller import Caller, may_call
from sessiond.front.place import Refused
from sessiond.processes import prepare_process

if TYPE_CHECKING:
    import asyncio

    from sessiond.cli.local import LocalCommand


_T = TypeVar("_T")

_OF_CONNECTION = ("profile", "agent_dir", "agent_id", "root")
"""Settings that are passed to the daemon."""

_ALONE = ("log_level", "log_file", "store")
"""Settings with which a command stays in this process."""

Local = Callable[[], AbstractAsyncContextManager["LocalCommand"]]
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
    """The methods for one command, called in the daemon until it fails, and then in this process.

    It has the functions of `LocalCommand`. Sessions that were opened in the daemon are opened again
    here. `make` creates the local methods.
    """

    def __init__(self, caller: Caller, given: Mapping[str, Any], make: Local) -> None:
        self._caller: Caller | None = caller
        self._given = given
        self._make = make
        self._local: LocalCommand | None = None
        self._context: AbstractAsyncContextManager[LocalCommand] | None = None
        self._runner: asyncio.Runner | None = None
        self._opened: dict[str, Mapping[str, Any]] = {}
        """The params with which each handle of the daemon was opened."""
        self._handles: dict[str, str] = {}
        """The local handle for each handle of the daemon."""

    @property
    def in_store(self) -> bool:
        """Whether the sessions are rows of a database: never, see `_ALONE`."""
        return False

    @property
    def sessions_dir(self) -> str:
        """The directory that contains the sessions, directly or in subdirectories."""
        from sessiond.agents.directories import directories  # noqa: PLC0415 - only for messages
        from sessiond.agents.registry import AGENTS  # noqa: PLC0415 - only for messages
        from sessiond.home import with_working_directory  # noqa: PLC0415 - only for messages

        own = self._given.get("agent_dir"), self._given.get("agent_id")
        env = with_working_directory(os.environ)
        return directories(AGENTS[self._given["profile"]], env, *own).listed_dir

    async def call(self, method: str, **params: Any) -> Any:
        """Return the result as `Local.call` does."""
        return _loads(await self.call_raw(method, **params))

    async def call_raw(self, method: str, **params: Any) -> bytes:
        """Return the result as `Local.call_raw` does. Waits without an event loop."""
        given = {name: value for name, value in params.items() if value is not None}
        if self._caller is not None:
            try:
                answer = self._caller.call(method, given)
            except (OSError, Refused):
                self._caller.close()
                self._caller = None
            else:
                if method == "session/open":
                    self._opened[_loads(answer)["session"]] = given
                return answer
        return self._call_here(method, given)

    def _call_here(self, method: str, given: Mapping[str, Any]) -> bytes:
        import asyncio  # noqa: PLC0415 - the daemon does without

        if self._runner is None:
            self._runner = asyncio.Runner()
        if self._local is None:
            self._context = self._make()
            self._local = self._runner.run(_entered(self._context))
            for handle, opened in self._opened.items():
                state = self._runner.run(self._local.call("session/open", **opened))
                self._handles[handle] = state["session"]
        if "session" in given:
            given = {**given, "session": self._handles.get(given["session"], given["session"])}
        return self._runner.run(self._local.call_raw(method, **given))

    def close(self) -> None:
        """End the connection, or close the local methods."""
        if self._caller is not None:
            self._caller.close()
        if self._runner is not None:
            try:
                if self._context is not None:
                    self._runner.run(_left(self._context))
            finally:
                self._runner.close()


async def _entered(context: AbstractAsyncContextManager[LocalCommand]) -> LocalCommand:
    return await context.__aenter__()


async def _left(context: AbstractAsyncContextManager[LocalCommand]) -> None:
    await context.__aexit__(None, None, None)


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


def _loads(content: bytes) -> Any:
    try:
        return orjson.loads(content)
    except ValueError:
        from sessiond.jsontext.spans import loads  # noqa: PLC0415 - for lone surrogates only

        return loads(content)


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

    # Some commands follow sessions for days.
    prepare_process()
    return asyncio.run(run())


def _there(caller: Caller, given: Mapping[str, Any], work: _Work[_T]) -> _T:
    daemon = SharedCommand(caller, given, lambda: _local(given))
    try:
        return finished(work(daemon))
    finally:
        daemon.close()


def _local(given: Mapping[str, Any]) -> AbstractAsyncContextManager[LocalCommand]:
    from sessiond.cli.local import local  # noqa: PLC0415 - brings the engine along

    _log(given)
    return local(config(given), os.environ)


def _log(given: Mapping[str, Any]) -> None:
    """Send warnings of the daemon to its log; commands report problems themselves."""
    import logging  # noqa: PLC0415 - not for a command in a shared daemon

    from sessiond.logs import begin_log  # noqa: PLC0415 - not for a command in a shared daemon

    level = given.get("log_level")
    if level is None and "log_file" not in given:
        logging.getLogger().addHandler(logging.NullHandler())
        return
    begin_log(given.get("log_file"), level or "warning")
