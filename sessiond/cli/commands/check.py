"""`sessiond check` and `repair`."""

from __future__ import annotations

import json
from collections import Counter

import click
from rich.text import Text

from sessiond.cli.astext import clean, one_line
from sessiond.cli.running import FOUND_PROBLEMS, Run


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
