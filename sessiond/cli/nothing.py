"""Say why a command shows no session."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sessiond.cli.astext import homely
from sessiond.cli.running import Run

if TYPE_CHECKING:
    from sessiond.cli.days import Period


async def why_nothing(run: Run, cwd: str | None, when: Period | None = None) -> None:
    """Print why no session of `cwd` is shown; None: why no session at all is shown."""
    zone = "" if when is None or not when.is_given else f"; {when.told}"
    run.tell(f"sessiond: {await _why_empty(run, cwd)}{zone}")


async def _why_empty(run: Run, cwd: str | None) -> str:
    in_store = run.daemon.in_store
    missing = None if in_store else _why_not_listed(run)
    if missing is not None:
        return missing
    everywhere = (await run.daemon.call("session/listAll", limit=1))["total"]
    if not everywhere:
        if in_store:
            return "the store has no sessions that may be listed"
        place = homely(run.daemon.sessions_dir)
        return f"{run.profile} has no sessions in {place}{_other_profiles(run)}"
    count = everywhere
    if cwd is not None:
        count = (await run.daemon.call("session/list", cwd=cwd, limit=1))["total"]
    if cwd is None or count:
        return f"none of {count} sessions matches"
    from sessiond.home import absolute, with_working_directory  # noqa: PLC0415 - seldom needed

    here = homely(absolute(cwd, with_working_directory(os.environ)))
    many = "1 session" if everywhere == 1 else f"{everywhere} sessions"
    return f"no sessions of {here}; {many} of other directories: `sessiond list --all`"


def _why_not_listed(run: Run) -> str | None:
    """Why the directory of the sessions cannot be listed; None if it can."""
    from sessiond.agents.sessions import places_with  # noqa: PLC0415 - seldom needed

    place = run.daemon.sessions_dir
    if places_with(place) != [place]:
        return None
    try:
        os.listdir(place)
    except FileNotFoundError:
        return (
            f"{run.profile} has no sessions: {homely(place)} does not exist{_other_profiles(run)}"
        )
    except OSError as error:
        return f"the sessions of {run.profile} cannot be read: {place}: {error.strerror}"
    return None


def _other_profiles(run: Run) -> str:
    """Return a clause that names other profiles whose directories exist; empty if none does."""
    from sessiond.agents.directories import directories  # noqa: PLC0415 - seldom needed
    from sessiond.agents.registry import AGENTS  # noqa: PLC0415 - seldom needed
    from sessiond.agents.unread import unread_agents  # noqa: PLC0415 - seldom needed
    from sessiond.home import with_working_directory  # noqa: PLC0415 - seldom needed

    env = with_working_directory(os.environ)
    names = [
        name
        for name, profile in AGENTS.items()
        if name != run.profile and os.path.exists(directories(profile, env).listed_dir)
    ]
    told = ""
    if names:
        told = "; sessions exist for " + ", ".join(f"{name} (--profile {name})" for name in names)
    unread = [f"{name} ({homely(place)})" for name, place in unread_agents(env)]
    if unread:
        told += "; not read yet: the sessions of " + ", ".join(unread)
    return told
