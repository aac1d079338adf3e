"""Explain on standard error why a list or a search is empty, and what would help."""

from __future__ import annotations

import os

from sessiond.cli.astext import homely
from sessiond.cli.running import Run


async def why_nothing(run: Run, cwd: str | None) -> None:
    """Print why no session of `cwd` is shown; None: why no session at all is shown."""
    run.tell(f"sessiond: {await _reason(run, cwd)}")


async def _reason(run: Run, cwd: str | None) -> str:
    in_store = run.daemon.in_store
    missing = None if in_store else _missing(run)
    if missing is not None:
        return missing
    everywhere = (await run.daemon.call("session/listAll", limit=1))["total"]
    if not everywhere:
        place = f"{run.profile} has no sessions in {homely(run.daemon.sessions_dir)}{_others(run)}"
        return "the store has no sessions that may be listed" if in_store else place
    count = everywhere
    if cwd is not None:
        count = (await run.daemon.call("session/list", cwd=cwd, limit=1))["total"]
    if cwd is None or count:
        return f"none of {count} sessions matches"
    from sessiond.home import absolute, with_working_directory  # noqa: PLC0415 - seldom needed

    here = homely(absolute(cwd, with_working_directory(os.environ)))
    many = "1 session" if everywhere == 1 else f"{everywhere} sessions"
    return f"no sessions of {here}; {many} of other directories: `sessiond list --all`"


def _missing(run: Run) -> str | None:
    """Why the directory of the sessions cannot be listed; None if it can."""
    from sessiond.agents.sessions import places_with  # noqa: PLC0415 - seldom needed

    place = run.daemon.sessions_dir
    if places_with(place) != [place]:
        return None
    try:
        os.listdir(place)
    except FileNotFoundError:
        return f"{run.profile} has no sessions: {homely(place)} does not exist{_others(run)}"
    except OSError as error:
        return f"the sessions of {run.profile} cannot be read: {place}: {error.strerror}"
    return None


def _others(run: Run) -> str:
    """Name other profiles whose directories exist."""
    from sessiond.agents.directories import directories  # noqa: PLC0415 - seldom needed
    from sessiond.agents.registry import AGENTS  # noqa: PLC0415 - seldom needed
    from sessiond.home import with_working_directory  # noqa: PLC0415 - seldom needed

    env = with_working_directory(os.environ)
    names = [
        name
        for name, profile in AGENTS.items()
        if name != run.profile and os.path.isdir(directories(profile, env).listed_dir)
    ]
    if not names:
        return ""
    return "; sessions exist for " + ", ".join(f"{name} (--profile {name})" for name in names)
