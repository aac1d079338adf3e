"""`sessiond resume`: replace this process by the agent."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from typing import Any

import click

from sessiond.agents.agent import Agent
from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import homely, one_line
from sessiond.cli.command import ENTRY, command, counting_all, flag, session
from sessiond.cli.commands.fork import copied
from sessiond.cli.commands.handoff import message
from sessiond.cli.running import FAILED, Run
from sessiond.cli.terminal import shortened
from sessiond.cli.values import OneOf, profiles
from sessiond.runtime.home import absolute, environment

_FILE = "{file}"
_SHOWN = 200
"""Characters of a word of a command that are shown."""


async def _taken_over(run: Run, state: Mapping[str, Any], name: str, at: str | None) -> list[str]:
    """Return the command of another agent that goes on with the conversation."""
    agent = AGENTS[name]
    if agent.translation is None and agent.resume_command("x") is not None:
        # It continues a copy.
        new = await copied(run, state, at, cwd=state["cwd"], agent=name)
        command = agent.resume_command(new["sessionFile"])
    else:
        command = agent.start_command(await message(run, state, at))
    if command is None:
        raise click.UsageError(f"sessiond knows no command that starts {name} with a message")
    return command


@command("resume", as_json=False)
@session()
@click.option(
    "--agent",
    envvar="SESSIOND_AGENT_COMMAND",
    metavar="COMMAND",
    help="Instead of `pi --session {file}`; also SESSIOND_AGENT_COMMAND.",
)
@click.option(
    "--with",
    "with_agent",
    type=OneOf("name", profiles),
    metavar="NAME",
    help="Another agent goes on: pi with a copy, others with a hand-off.",
)
@click.option(
    "--from",
    "at",
    type=ENTRY,
    metavar="ENTRY",
    help="Continue a copy that ends with this entry: an id, a label, or N (-1: before the last"
    " message of mine).",
)
@flag("--here", text="In the current directory.")
@flag("--fork", text="Continue a copy of the session, in the current directory.")
@counting_all()
async def main(
    run: Run,
    session: str,
    *,
    agent: str | None,
    with_agent: str | None,
    at: str | None,
    here: bool,
    fork: bool,
    everything: bool,
) -> int:
    """Start the agent on a session, in the session's directory."""
    if with_agent is not None and fork:
        raise click.UsageError("--with does not go with --fork: pi continues a copy anyway")
    state = await run.open_path(await run.path_to_continue(session, everywhere=everything))
    here = here or fork
    if fork or (at is not None and with_agent is None):
        state = await copied(run, state, at, cwd="." if here else state["cwd"])
    if with_agent is None:
        command = _command(run.agent_of(state["sessionFile"]), agent, state["sessionFile"])
        environment = _environment(run)
    else:
        command, environment = await _taken_over(run, state, with_agent, at), dict(os.environ)
    if not here:
        try:
            os.chdir(state["cwd"])
        except (OSError, ValueError) as error:
            # ValueError: the name contains NUL or a lone surrogate, so there is no such directory.
            why = error.strerror if isinstance(error, OSError) else "not a valid name"
            run.tell(
                f"sessiond: the session's directory {state['cwd']}: {why};"
                " use --fork to continue a copy in the current directory, or --here to continue"
                " the session itself there"
            )
            return FAILED
    words = [shortened(one_line(word), _SHOWN) for word in command]
    run.tell(f"{homely(os.getcwd())}$ {shlex.join(words)}")
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606 - the user's own command
    except (OSError, ValueError) as error:
        # ValueError: a word contains NUL or a lone surrogate.
        why = error.strerror if isinstance(error, OSError) else "a word of the command is not valid"
        run.tell(f"sessiond: {command[0]}: {why}; --agent names another program")
    return FAILED


def _command(own: Agent, agent: str | None, file: str) -> list[str]:
    """Return the words of the command that goes on with a session."""
    if agent is None:
        words = own.resume_command(file)
        if words is None:
            raise click.UsageError(
                f"sessiond knows no command that resumes sessions of {own.name}; use --agent"
            )
        return words
    command = [word.replace(_FILE, file) for word in shlex.split(agent)]
    if not command:
        raise click.UsageError("--agent must not be empty")
    return command if _FILE in agent else [*command, file]


def _environment(run: Run) -> dict[str, str]:
    """The agent's environment; `--agent-dir` is passed on in the agent's own variable."""
    if "agent_dir" not in run.settings:
        return dict(os.environ)
    directory = absolute(run.settings["agent_dir"], environment())
    return {**os.environ, AGENTS[run.profile].agent_dir_variable: directory}
