"""`sessiond relink`: let sessions belong to a directory that was renamed."""

from __future__ import annotations

import os
import re
from shlex import quote
from typing import Any

import click

from sessiond.agents.directories import directories
from sessiond.catalog.moving_files import relink as relink_file
from sessiond.cli.astext import homely, one_line
from sessiond.cli.command import command, flag
from sessiond.cli.commands.import_ import is_directory
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run
from sessiond.cli.values import NotEmpty
from sessiond.runtime.errors import SessiondError
from sessiond.runtime.home import is_of_windows

Info = dict[str, Any]

_PLAIN = re.compile(r"~?[\w@%+=:,./-]*", re.ASCII)
"""A word that no shell changes, but for its home directory."""


@command("relink", as_json=False)
@click.argument("old", type=NotEmpty("directory"))
@click.argument("new", type=NotEmpty("directory"))
@flag("-y", "--yes", text="Do not ask.")
async def main(run: Run, old: str, new: str, yes: bool) -> int:
    """Let the sessions of a renamed directory belong to its new name.

    Also those of the directories below OLD. The files move to where the agent looks for them.
    """
    run.here.expect_writable()
    run.here.refuse("relink", old)
    old, new = (_directory(run, each) for each in (old, new))
    if not is_of_windows(new) and not is_directory(new):
        raise click.ClickException(f"{new} is not a directory; name the one that OLD is called now")
    sessions = (await run.daemon.call("session/listAll"))["sessions"]
    affected = [info for info in sessions if _rest(info["cwd"], old) is not None]
    kept = [info for info in affected if run.agent_of(info["path"]).is_read_only]
    moved = [info for info in affected if info not in kept]
    for name in sorted({run.agent_of(info["path"]).name for info in kept}):
        run.tell(f"sessiond: sessions of {name} stay as they are: only {name} writes them")
    if not moved:
        run.tell(f"sessiond: no session belongs to {old}")
        return FOUND_PROBLEMS
    if not yes:
        run.confirm(
            f"Let these {len(moved)} sessions belong to {new}?",
            f"{len(moved)} sessions would be changed",
            moved,
        )
    # Forks name the path of their parent, which changes too.
    targets = {info["path"]: _target(run, info, _cwd(info, old, new)) for info in moved}
    failed, done = False, False
    for info in moved:
        try:
            done |= await _relink(run, info, _cwd(info, old, new), targets)
        except SessiondError as error:
            failed = True
            run.tell(f"sessiond: {one_line(error.message)}")
    if done:
        run.tell(f"`sessiond relink {_word(new)} {_word(old)}` takes it back")
    return FAILED if failed else 0


def _word(directory: str) -> str:
    """Return a directory as a shell takes it."""
    short = homely(directory)
    return short if _PLAIN.fullmatch(short) else one_line(quote(directory))


def _directory(run: Run, name: str) -> str:
    if is_of_windows(name):
        return name.rstrip("/\\")
    return run.here.client.places.cwd(name).rstrip("/") or "/"


def _separators(directory: str) -> str:
    return "/\\" if is_of_windows(directory) else "/"


def _rest(cwd: str, old: str) -> str | None:
    """Return what follows `old` in a directory; None if it is neither that one nor below it."""
    start, ends = old.rstrip("/"), _separators(old)
    rest = cwd[len(start) :]
    if is_of_windows(old) and is_of_windows(cwd):
        # The letter of a drive has either case.
        start, cwd = start[:1].upper() + start[1:], cwd[:1].upper() + cwd[1:]
    return rest if cwd.startswith(start) and (not rest or rest[0] in ends) else None


def _cwd(info: Info, old: str, new: str) -> str:
    rest = (_rest(info["cwd"], old) or "").rstrip(_separators(old))
    if is_of_windows(old) != is_of_windows(new):
        for each in _separators(old):
            rest = rest.replace(each, "\\" if is_of_windows(new) else "/")
    return f"{new.rstrip('/')}{rest}" or "/"


def _target(run: Run, info: Info, cwd: str) -> str:
    """Return the path that a session gets: in the directory of the working directory, if it is so.

    A session that lies elsewhere stays there.
    """
    agent, own = run.agent_of(info["path"]), run.here.client.places.directories
    where = own if agent.name == own.agent.name else directories(agent, run.here.env)
    folder, name = os.path.split(info["path"])
    return (
        os.path.join(where.default_dir(cwd), name)
        if folder == where.default_dir(info["cwd"])
        else info["path"]
    )


async def _relink(run: Run, info: Info, cwd: str, targets: dict[str, str]) -> bool:
    """Move one session; returns whether it was moved."""
    path = info["path"]
    if "inUse" in info:
        run.tell(f"sessiond: {one_line(path)} is open in another program, and stays as it is")
        return False
    members = {"cwd": cwd}
    parent = info.get("parentSessionPath")
    if parent in targets:
        members["parentSession"] = targets[parent]
    client = run.here.client
    client.places.roots.check(path)
    client.places.roots.check(targets[path])
    patience = client.engine.config.lock_timeout
    warning = await relink_file(path, targets[path], members, patience=patience)
    if warning is not None:
        run.tell(f"sessiond: {one_line(warning)}")
    run.tell(f"{homely(one_line(cwd))}: {info['id']}")
    return True
