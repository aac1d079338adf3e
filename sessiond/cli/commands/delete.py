"""`sessiond delete`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from sessiond.cli.astext import moment, now, one_line
from sessiond.cli.command import SESSION, command, flag
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run, listed_in, refuse_several
from sessiond.cli.values import Span
from sessiond.runtime.clock import earlier
from sessiond.runtime.errors import InUse, SessiondError


@command("delete")
@click.argument("sessions", type=SESSION, required=False, nargs=-1)
@click.option(
    "--older-than",
    type=Span(),
    metavar="SPAN",
    help="All sessions of this directory not used for SPAN: 30d, 6mo, 1y.",
)
@flag("--empty", text="All sessions of this directory without messages.")
@flag(
    *("-a", "--all", "everything"),
    text="`last`, `@N`, --older-than and --empty are about all directories.",
)
@flag("--project", text="They are about the project of this directory.")
@flag("--permanently", text="Delete instead of moving to the trash.")
@flag("--force", text="Even if another program has it open.")
@flag("-y", "--yes", text="Do not ask.")
async def main(
    run: Run,
    *,
    sessions: Sequence[str],
    older_than: int | None,
    empty: bool,
    everything: bool,
    project: bool,
    permanently: bool,
    force: bool,
    yes: bool,
) -> int:
    """Move sessions to the trash."""
    if bool(sessions) == (older_than is not None or empty):
        raise click.UsageError("expected SESSIONS, or --older-than or --empty")
    if not sessions:
        return await _delete_all(
            run,
            await _chosen(run, older_than, empty=empty, everything=everything, project=project),
            permanently=permanently,
            force=force,
            yes=yes,
        )
    # All are found before the first is deleted: `@2` must not become the third.
    paths = {
        await run.path_to_change(each, everywhere=everything, project=project): each
        for each in sessions
    }
    if permanently and not yes:
        await _confirm(run, paths)
    return await _deleted(run, list(paths), permanently=permanently, force=force)


async def _confirm(run: Run, paths: dict[str, str]) -> None:
    if sys.stdin.isatty():
        lines = "".join(f"\n  {one_line(path)}" for path in paths)
        click.confirm(f"Delete permanently?{lines}\n", abort=True, err=True)
        return
    ids = {
        path: session
        for path, session in paths.items()
        if session != path and "/" not in session and not session.endswith(".jsonl")
    }
    if not ids:
        return
    lines = (await run.daemon.call("session/listAll"))["sessions"]
    if not ids.items() <= {info["path"]: info["id"] for info in lines}.items():
        raise click.UsageError(
            "--permanently needs a whole id, a path or --yes if no terminal is available"
        )


async def _chosen(
    run: Run, minutes: int | None, *, empty: bool, everything: bool, project: bool
) -> list[dict[str, Any]]:
    """Return the sessions that are old, or empty, or both.

    Those that only their agent may delete are left out.
    """
    refuse_several({"--project": project, "--all": everything})
    # What changes many sessions keeps to the directory, unless the user says otherwise.
    scope = listed_in(here=not (everything or project), everything=everything)
    sessions = (await run.list(scope))["sessions"]
    chosen = [
        info
        for info in sessions
        if not (empty and info["messageCount"]) and not run.agent_of(info["path"]).is_read_only
    ]
    if minutes is not None:
        latest = earlier(now(), minutes)
        chosen = [info for info in chosen if (at := moment(info["modified"])) and at < latest]
    if not chosen:
        what = [*(["empty"] if empty else []), *(["that old"] if minutes is not None else [])]
        run.tell(f"sessiond: none of the {len(sessions)} sessions is {' and '.join(what)}")
    return chosen


async def _delete_all(
    run: Run, chosen: list[dict[str, Any]], *, permanently: bool, force: bool, yes: bool
) -> int:
    if not chosen:
        return FOUND_PROBLEMS
    if not yes:
        many = "this session" if len(chosen) == 1 else f"these {len(chosen)} sessions"
        question = f"Delete {many} permanently?" if permanently else f"Move {many} to the trash?"
        run.confirm(
            question,
            f"{len(chosen)} sessions would be deleted",
            chosen,
        )
    paths = [info["path"] for info in chosen]
    return await _deleted(run, paths, permanently=permanently, force=force)


async def _deleted(run: Run, paths: Sequence[str], *, permanently: bool, force: bool) -> int:
    """Delete sessions, whichever of them fail; returns the exit code."""
    failed = undoable = False
    for path in paths:
        try:
            done = await run.daemon.call(
                "catalog/delete",
                path=path,
                permanently=permanently,
                force=force,
                change=run.change,
            )
        except SessiondError as error:
            failed = True
            forced = "; delete it anyway with --force" if isinstance(error, InUse) else ""
            run.tell(f"sessiond: {error.message}{forced}")
            continue
        if run.json:
            run.screen.raw(json.dumps({"path": path, **done}).encode())
        run.tell(f"{'moved to the trash' if done['trashed'] else 'deleted'}: {path}")
        undoable |= done.get("undoable", False)
    if undoable:
        run.tell("`sessiond undo` brings back what was deleted")
    return FAILED if failed else 0
