"""`sessiond check`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from sessiond.cli.astext import clean, one_line
from sessiond.cli.command import SESSION, command, flag
from sessiond.cli.running import FOUND_PROBLEMS, Run


@command("check")
@click.argument("session", type=SESSION, required=False)
@click.option("--cwd", metavar="DIR", help="All sessions of DIR.")
@flag("-a", "--all", "everything", text="All sessions of all directories.")
async def main(run: Run, session: str | None, cwd: str | None, everything: bool) -> int:
    """Check session files for damage; nothing is written."""
    if sum((session is not None, cwd is not None, everything)) != 1:
        raise click.UsageError("expected exactly one of SESSION, --cwd and --all")
    path = await run.path(session) if session else None
    files = (await run.answer("catalog/check", path=path, cwd=cwd))["files"]
    bad = sum(not file["ok"] for file in files)
    if run.json:
        return FOUND_PROBLEMS if bad else 0
    unknown: Counter[str] = Counter()
    for file in files:
        for kind in file.get("unknown", ()):
            unknown[kind["type"]] += kind["count"]
    with run.screen.paged():
        for file in files:
            if session or not file["ok"]:
                _print(run, file)
    run.tell(f"{len(files)} checked, {bad} with problems")
    for kind, count in sorted(unknown.items()):
        run.tell(one_line(f"{count} of a type that this sessiond does not know: {kind}"))
    return FOUND_PROBLEMS if bad else 0


def _print(run: Run, file: Mapping[str, Any]) -> None:
    run.screen.line(one_line(f"{file['path']}: {'ok' if file['ok'] else 'problems'}"))
    for problem in file["problems"]:
        line = f"  line {problem['line']}: {problem['kind']}: {problem['message']}"
        run.screen.line(Text(clean(line), style="yellow"))
