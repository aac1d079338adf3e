"""Say why a command shows no session."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sessiond.cli.astext import homely
from sessiond.cli.running import Run, listed_in

if TYPE_CHECKING:
    from sessiond.cli.days import Period


async def why_nothing(run: Run, cwd: str | None, when: Period | None = None) -> None:
    """Print why no session of `cwd` is shown; None: why no session at all is shown."""
    await why_nothing_in(run, listed_in(cwd=cwd, everything=cwd is None), when)


async def why_nothing_in(run: Run, scope: Mapping[str, Any], when: Period | None = None) -> None:
    """Print why no session of a scope (see `running.listed_in`) is shown."""
    zone = "" if when is None or not when.is_given else f"; {when.text}"
    run.tell(f"sessiond: {await _why_empty(run, scope)}{zone}")


async def _why_empty(run: Run, scope: Mapping[str, Any]) -> str:
    in_store = run.daemon.in_store
    everywhere = (await run.daemon.call("session/listAll", limit=1))["total"]
    if not everywhere:
        if in_store:
            return "the store has no sessions that may be listed"
        if "all_agents" in run.settings:
            return f"no sessions of {_searched()}; `--agent-dir DIR` reads others{_unread()}"
        place = homely(run.daemon.sessions_dir)
        nothing = f"{run.profile} has no sessions in {place}"
        return f"{_why_not_listed(run) or nothing}{_other_profiles(run)}"
    count = (await run.list(scope, limit=1, hidden="include"))["total"] if scope else everywhere
    if count:
        return f"none of {count} sessions matches"
    from sessiond.runtime.home import absolute, environment

    here = homely(absolute(scope.get("cwd", "."), environment()))
    many = "1 session" if everywhere == 1 else f"{everywhere} sessions"
    return f"no sessions of {here}; {many} of other directories: `sessiond list --all`"


def _why_not_listed(run: Run) -> str | None:
    """Why the directory of the sessions cannot be listed; None if it can."""
    from sessiond.agents.sessions import places_with

    place = run.daemon.sessions_dir
    if places_with(place) != [place]:
        return None
    try:
        os.listdir(place)
    except FileNotFoundError:
        return f"{run.profile} has no sessions: {homely(place)} does not exist"
    except OSError as error:
        return f"the sessions of {run.profile} cannot be read: {place}: {error.strerror}"
    return None


def _searched() -> str:
    """Return the names of all agents."""
    from sessiond.agents.registry import AGENTS

    *names, last = AGENTS
    return f"{', '.join(names)} and {last}"


def _other_profiles(run: Run) -> str:
    """Return a clause that names other agents whose directories exist; empty if none does."""
    from sessiond.agents.directories import directories
    from sessiond.agents.registry import AGENTS
    from sessiond.runtime.home import environment

    env = environment()
    names = [
        name
        for name, profile in AGENTS.items()
        if name != run.profile and os.path.exists(directories(profile, env).listed_dir)
    ]
    options = ", ".join(f"{name} (--profile {name})" for name in names)
    return (f"; sessions exist for {options}" if names else "") + _unread()


def _unread() -> str:
    """Return a clause that names agents whose sessions are not read yet; empty if there is none."""
    from sessiond.agents.unread import unread_agents
    from sessiond.runtime.home import environment

    unread = unread_agents(environment())
    names = ", ".join(f"{name} ({homely(place)})" for name, place in unread)
    return f"; not read yet: the sessions of {names}" if names else ""
