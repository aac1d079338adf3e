"""What the commands share: their options, how they find a session, and how they fail."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Concatenate, ParamSpec

import attrs
import click
from rich.console import Console

from sessiond.cli.local import Local, local
from sessiond.cli.output import stdout
from sessiond.config import Config
from sessiond.errors import InvalidParams, SessiondError
from sessiond.profiles import PROFILES, absolute, with_working_directory

FOUND_PROBLEMS = 1
"""Exit code: the command worked, and what was looked for is not there or not well."""

FAILED = 3
"""Exit code: the command could not do its work; standard error says why. (2 is wrong usage.)"""

INTERRUPTED = 130
"""Exit code: ended by Ctrl-C, as shells say it."""

P = ParamSpec("P")
Command = Callable[Concatenate["Run", P], Awaitable[int | None]]


@attrs.frozen
class Run:
    """One run of a command."""

    daemon: Local
    console: Console
    json: bool
    agent: str | None = None
    """The agent that is asked for, if any."""

    async def path(self, session: str) -> str:
        """The file that is meant: a path, a session id, or the beginning of one (as pi).

        Ids of this directory's sessions go before those of others. Raises ClickException.
        """
        if "/" in session or "\\" in session or session.endswith(".jsonl"):
            return absolute(session, with_working_directory(os.environ))
        here = await self.daemon.call("session/list", cwd=".")
        everywhere = await self.daemon.call("session/listAll")
        for matches in (str.__eq__, str.startswith):
            for listed in (here, everywhere):
                found = {
                    info["path"] for info in listed["sessions"] if matches(info["id"], session)
                }
                if len(found) > 1:
                    raise click.ClickException(
                        f"{len(found)} sessions have ids that begin with {session}; give more of it"
                    )
                if found:
                    return str(found.pop())
        raise click.ClickException(
            f"no session has the id {session}; `sessiond list --all` shows all"
        )

    async def open(self, session: str) -> dict[str, Any]:
        """Open for reading only; the session's state."""
        path = await self.path(session)
        state: dict[str, Any] = await self.daemon.call(
            "session/open", path=path, readOnly=True, mustExist=True
        )
        return state


def command(function: Command[P]) -> Callable[P, None]:
    """Run an async command with a daemon of its own; its errors become messages."""
    return _command(function, "pi", ["--agent-id"])


def gateway_command(function: Command[P]) -> Callable[P, None]:
    """The same for one that looks at a gateway's store: CoderClaw's where nobody says otherwise."""
    return _command(function, "coderclaw", ["--agent", "--agent-id"])


def _command(function: Command[P], profile: str, agent_options: Sequence[str]) -> Callable[P, None]:
    @click.option("--json", "as_json", is_flag=True, help="Print the daemon's answer as JSON.")
    @click.option("--profile", type=click.Choice(list(PROFILES)), help="Whose sessions.")
    @click.option("--agent-dir", metavar="DIR", help="The agent's directory.")
    @click.option(*agent_options, "agent_id", metavar="ID", help="Agent of coderclaw and openclaw.")
    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        options: dict[str, Any] = kwargs
        env = os.environ
        agent = options.pop("agent_id") or env.get("SESSIOND_AGENT_ID") or None
        config = Config(
            profile=options.pop("profile") or env.get("SESSIOND_PROFILE") or profile,
            agent_dir=options.pop("agent_dir") or env.get("SESSIOND_AGENT_DIR") or None,
            agent_id=agent or "main",
        )
        as_json = options.pop("as_json")

        async def go() -> int | None:
            # A command that runs in a process of its own says so: see `__main__.command`.
            carry = click.get_current_context().obj or bool
            async with local(config, env, carry) as daemon:
                return await function(Run(daemon, stdout(), as_json, agent), *args, **kwargs)

        try:
            code = asyncio.run(go())
        except (SessiondError, InvalidParams) as error:
            click.echo(f"sessiond: {error.message}", err=True)
            code = FAILED
        except click.ClickException as error:
            click.echo(f"sessiond: {error.message}", err=True)
            code = FAILED
        except KeyboardInterrupt:
            code = INTERRUPTED
        except BrokenPipeError:
            # Whoever read has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            code = 0
        raise SystemExit(code or 0)

    return run
