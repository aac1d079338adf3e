"""`sessiond resume`, `handoff` and `open`: let another program go on with a session."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from sessiond.agents.agent import Agent
from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import homely, one_line
from sessiond.cli.commands.export import tell_secrets
from sessiond.cli.commands.fork import copied
from sessiond.cli.entry_names import entry_id
from sessiond.cli.running import FAILED, Run
from sessiond.cli.terminal import shortened
from sessiond.home import absolute, with_working_directory

_FILE = "{file}"
_SHOWN = 200
"""Characters of a word of a command that are shown."""


_PAGE = 500


async def handoff(run: Run, session: str) -> None:
    """Print the first message for an agent that takes over the conversation."""
    run.screen.file.write(await _handoff(run, await run.open(session)))


async def _handoff(run: Run, state: Mapping[str, Any], at: str | None = None) -> str:
    """Return the message for a conversation, or for its branch up to the entry `at`."""
    from sessiond.cli.handoff import handoff as made  # noqa: PLC0415 - seldom needed

    items: list[Any] = []
    asked: dict[str, Any] = {"session": state["session"], "limit": _PAGE}
    if at is not None:
        asked["leafId"] = await entry_id(run, state["session"], at)
    while True:
        page = await run.daemon.call("session/getView", **asked)
        items += page["items"]
        if "nextCursor" not in page:
            break
        asked["cursor"] = page["nextCursor"]
    agent = run.agent_of(state["sessionFile"])
    reading = ["sessiond", "show", state["sessionId"], "--profile", agent.name]
    if at is not None:
        reading += ["--leaf", asked["leafId"]]
    return made(agent.name, state, items, shlex.join(reading))


async def _taken_over(run: Run, state: Mapping[str, Any], name: str, at: str | None) -> list[str]:
    """Return the command of another agent that goes on with the conversation."""
    agent = AGENTS[name]
    if agent.translation is None and agent.resume_command("x") is not None:
        # It continues a copy.
        made = await copied(run, state, at, cwd=state["cwd"], agent=name)
        command = agent.resume_command(made["sessionFile"])
    else:
        command = agent.start_command(await _handoff(run, state, at))
    if command is None:
        raise click.UsageError(f"sessiond knows no command that starts {name} with a message")
    return command


async def resume(
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
    """Replace this process by the agent, in the session's directory.

    `at`: the entry from which a copy of the session goes on.
    """
    if with_agent is not None and fork:
        raise click.UsageError("--with does not go with --fork: pi continues a copy anyway")
    state = await run.open_path(await run.path_to_change(session, everywhere=everything))
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
    shown = [shortened(one_line(word), _SHOWN) for word in command]
    run.tell(f"{homely(os.getcwd())}$ {shlex.join(shown)}")
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606 - the user's own command
    except OSError as error:
        run.tell(f"sessiond: {command[0]}: {error.strerror}; --agent names another program")
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
    directory = absolute(run.settings["agent_dir"], with_working_directory(os.environ))
    return {**os.environ, AGENTS[run.profile].agent_dir_variable: directory}


async def open_page(
    run: Run, session: str, leaf: str | None, *, mask: bool, conversation: bool
) -> int:
    """Export the page into a private directory of the user and show it in the browser."""
    state = await run.open(session)
    folder = tempfile.mkdtemp(prefix="sessiond-")
    target = os.path.join(folder, f"{one_line(state['sessionId'])[:40].replace('/', '_')}.html")
    answer = await run.daemon.call(
        "catalog/export",
        path=state["sessionFile"],
        format="html",
        outputPath=target,
        leafId=await entry_id(run, state["session"], leaf),
        mask=mask,
        conversation=conversation,
    )
    tell_secrets(run, answer, mask=mask)
    run.screen.raw(os.fsencode(target))
    if webbrowser.open(Path(target).as_uri()):
        return 0
    run.tell("sessiond: no browser can be started; the page is in the file above")
    return FAILED
