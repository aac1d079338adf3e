"""`sessiond check`, `repair`, `rename`, `delete`, `restore` and `trash`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

import click
from rich.text import Text

from sessiond.catalog.discover import read_header
from sessiond.catalog.trash import Trashed, remove, sessions_below
from sessiond.cli.astext import Column, clean, homely, moment, now, one_line, title
from sessiond.cli.running import FAILED, FOUND_PROBLEMS, Run
from sessiond.clock import earlier
from sessiond.errors import InUse, SessiondError
from sessiond.files import disk
from sessiond.isolation import Faults


async def check(run: Run, session: str | None, cwd: str | None, everything: bool) -> int:
    if sum((session is not None, cwd is not None, everything)) != 1:
        raise click.UsageError("expected exactly one of SESSION, --cwd and --all")
    path = await run.path(session) if session else None
    params = {"path": path, "cwd": cwd}
    answer = await run.daemon.call_raw("catalog/check", **params)
    files = json.loads(answer)["files"]
    bad = sum(not file["ok"] for file in files)
    if run.json:
        run.screen.raw(answer)
        return FOUND_PROBLEMS if bad else 0
    unknown: Counter[str] = Counter()
    for file in files:
        for kind in file.get("unknown", ()):
            unknown[kind["type"]] += kind["count"]
        if file["ok"] and not session:
            continue
        run.screen.line(one_line(f"{file['path']}: {'ok' if file['ok'] else 'problems'}"))
        for problem in file["problems"]:
            told = f"  line {problem['line']}: {problem['kind']}: {problem['message']}"
            run.screen.line(Text(clean(told), style="yellow"))
    run.tell(f"{len(files)} checked, {bad} with problems")
    for kind, count in sorted(unknown.items()):
        run.tell(one_line(f"{count} of a type that this sessiond does not know: {kind}"))
    return FOUND_PROBLEMS if bad else 0


async def repair(run: Run, session: str, apply: bool, everything: bool) -> None:
    path = await run.path_to_change(session, everywhere=everything)
    if run.json:
        run.screen.raw(await run.daemon.call_raw("catalog/repair", path=path, dryRun=not apply))
        return
    done = await run.daemon.call("catalog/repair", path=path, dryRun=not apply)
    for action in done["actions"]:
        where = f"line {action['line']}: " if "line" in action else ""
        run.screen.line(one_line(f"{where}{action['kind']}: {action['message']}"))
    if not done["actions"]:
        run.tell("nothing to repair")
    elif "backup" in done:
        run.tell(f"repaired; the old file is {done['backup']}")
    else:
        run.tell("nothing was written; `--apply` repairs the file")


async def rename(run: Run, session: str, name: str, everything: bool) -> None:
    path = await run.path_to_change(session, everywhere=everything)
    done = await run.daemon.call_raw("catalog/rename", path=path, name=name)
    if run.json:
        run.screen.raw(done)


async def delete(
    run: Run,
    *,
    session: str | None,
    older_than: int | None,
    everything: bool,
    permanently: bool,
    force: bool,
    yes: bool,
) -> int:
    if (session is None) == (older_than is None):
        raise click.UsageError("expected a SESSION or --older-than")
    if older_than is not None:
        old = await _older(run, older_than, everything=everything)
        return await _delete_all(run, old, permanently=permanently, force=force, yes=yes)
    assert session is not None, "one of the two is given"  # noqa: S101
    path = await run.path_to_change(session, everywhere=everything)
    if permanently and not yes:
        if sys.stdin.isatty():
            click.confirm(f"Delete {one_line(path)} permanently?", abort=True, err=True)
        elif session != path and not await _is_whole_id(run, session, path):
            raise click.UsageError(
                "--permanently needs a whole id, a path or --yes if no terminal is available"
            )
    await _delete(run, path, permanently, force)
    return 0


async def _is_whole_id(run: Run, session: str, path: str) -> bool:
    if "/" in session or session.endswith(".jsonl"):
        return True
    listed = (await run.daemon.call("session/listAll"))["sessions"]
    return any(info["path"] == path and info["id"] == session for info in listed)


async def _delete(run: Run, path: str, permanently: bool, force: bool) -> None:
    params = {"path": path, "permanently": permanently, "force": force}
    try:
        done = await run.daemon.call("catalog/delete", **params)
    except InUse as error:
        error.message += "; delete it anyway with --force"
        raise
    if run.json:
        run.screen.raw(json.dumps({"path": path, **done}).encode())
    run.tell(f"{'moved to the trash' if done['trashed'] else 'deleted'}: {path}")


async def _older(run: Run, minutes: int, *, everything: bool) -> list[dict[str, Any]]:
    method, scope = ("session/listAll", {}) if everything else ("session/list", {"cwd": "."})
    listed = (await run.daemon.call(method, **scope))["sessions"]
    latest = earlier(now(), minutes)
    old = [info for info in listed if (at := moment(info["modified"])) and at < latest]
    if not old:
        run.tell(f"sessiond: none of the {len(listed)} sessions is that old")
    return old


async def _delete_all(
    run: Run, old: list[dict[str, Any]], *, permanently: bool, force: bool, yes: bool
) -> int:
    if not old:
        return FOUND_PROBLEMS
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"{len(old)} sessions would be deleted; confirm with --yes")
        for info in old:
            run.tell(f"{info['id']}  {homely(info['cwd'])}  {title(info)}")
        how = " permanently" if permanently else ""
        click.confirm(f"Delete these {len(old)} sessions{how}?", abort=True, err=True)
    failed = 0
    for info in old:
        try:
            await _delete(run, info["path"], permanently, force)
        except SessiondError as error:
            failed += 1
            run.tell(f"sessiond: {error.message}")
    return FAILED if failed else 0


def _trashed(run: Run) -> list[tuple[str, Trashed]]:
    """Return ids and records of the profile's sessions in the trash, the latest first."""
    faults = Faults()
    trashed = []
    directory = run.here.expect_readable()
    for item in sorted(sessions_below(directory, run.here.env, faults), reverse=True):
        with faults.isolate(item.file), disk.unconfined():
            header = read_header(item.file)
            trashed.append((header.id if header is not None else "?", item))
    for fault in faults:
        run.tell(f"sessiond: {fault.path}: {fault.message}")
    return trashed


async def restore(run: Run, what: str) -> None:
    path = what
    if "/" not in what and not what.endswith(".jsonl"):
        path = _by_id(run, what)
    info = await run.daemon.call("catalog/restore", path=path)
    if run.json:
        run.screen.raw(json.dumps(info).encode())
    run.tell(f"restored: {info['path']}")


def _by_id(run: Run, session_id: str) -> str:
    names = {item.origin: name for name, item in _trashed(run) if name.startswith(session_id)}
    whole = [origin for origin, name in names.items() if name == session_id]
    candidates = whole or list(names)
    if not candidates:
        raise click.ClickException(
            f"no session in the trash has the id {session_id}; `sessiond trash list` shows all"
        )
    if len(candidates) > 1:
        lines = "".join(f"\n  {one_line(names[each])}  {one_line(each)}" for each in candidates)
        raise click.ClickException(
            f"{len(candidates)} sessions in the trash have ids that begin with {session_id}:{lines}"
        )
    return candidates[0]


async def list_trash(run: Run) -> int:
    trashed = _trashed(run)
    if run.json:
        rows: list[dict[str, Any]] = [
            {"id": name, "path": item.origin, "deleted": item.deleted, "file": item.file}
            for name, item in trashed
        ]
        run.screen.raw(json.dumps({"sessions": rows}).encode())
    else:
        columns = [
            Column("DELETED"),
            Column("ID", least=13, cut="middle"),
            Column("PATH", least=14, cut="start"),
        ]
        run.screen.table(
            columns,
            ((item.deleted.replace("T", " "), name, homely(item.origin)) for name, item in trashed),
        )
    if not trashed:
        run.tell(f"sessiond: no session of {run.profile} is in the trash")
    return 0 if trashed else FOUND_PROBLEMS


async def empty_trash(run: Run, older_than: int | None, yes: bool) -> int:
    run.here.expect_writable()
    trashed = _trashed(run)
    if older_than is not None:
        # Records contain local times without a time zone.
        latest = earlier(now(), older_than).astimezone().strftime("%Y-%m-%dT%H:%M:%S")
        trashed = [(name, item) for name, item in trashed if item.deleted < latest]
    if not trashed:
        run.tell(f"sessiond: no session of {run.profile} is in the trash")
        return FOUND_PROBLEMS
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"{len(trashed)} sessions would be deleted; confirm with --yes")
        click.confirm(f"Delete {len(trashed)} sessions permanently?", abort=True, err=True)
    for _, item in trashed:
        remove(item)
    run.tell(f"deleted permanently: {len(trashed)}")
    return 0
