"""One line on standard error where a list or a search is empty: why, and what would help."""

from __future__ import annotations

import os

from sessiond.cli.astext import homely
from sessiond.cli.running import Run
from sessiond.profiles import PROFILES, absolute, directories, with_working_directory


async def why_nothing(run: Run, cwd: str | None, filtered_from: int = 0) -> None:
    """Tell why there are no sessions of `cwd`, or with None no sessions at all."""
    run.tell(f"sessiond: {await _reason(run, cwd, filtered_from)}")


async def _reason(run: Run, cwd: str | None, filtered_from: int) -> str:
    if filtered_from:
        return f"none of {filtered_from} sessions fits"
    place = run.daemon.sessions_dir
    try:
        os.listdir(place)
    except FileNotFoundError:
        return f"{run.profile} has no sessions: there is no {homely(place)}{_others(run)}"
    except OSError as error:
        return f"the sessions of {run.profile} cannot be read: {place}: {error.strerror}"
    everywhere = (await run.daemon.call("session/listAll", limit=1))["total"]
    if not everywhere:
        return f"{run.profile} has no sessions in {homely(place)}{_others(run)}"
    if cwd is None:
        return f"none of {everywhere} sessions fits"
    here = homely(absolute(cwd, with_working_directory(os.environ)))
    many = "1 session" if everywhere == 1 else f"{everywhere} sessions"
    return f"no sessions of {here}; {many} of other directories: `sessiond list --all`"


def _others(run: Run) -> str:
    """Other profiles whose directories are there."""
    env = with_working_directory(os.environ)
    found = [
        name
        for name, profile in PROFILES.items()
        if name != run.profile and os.path.isdir(directories(profile, env).sessions_dir)
    ]
    if not found:
        return ""
    return "; there are sessions of " + ", ".join(f"{name} (--profile {name})" for name in found)
