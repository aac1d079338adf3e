"""Commands that search, sum up, export, and look after session files."""

from __future__ import annotations

from typing import Any

import click
from rich.text import Text

from sessiond.cli.commands import people
from sessiond.cli.common import FOUND_PROBLEMS, Run, command
from sessiond.cli.output import clean, one_line, size, table

__all__ = ["people"]


@people.command()
@click.argument("query")
@click.option("--mode", type=click.Choice(["text", "fuzzy", "regex"]), help="How to match.")
@click.option("--cwd", metavar="DIR", help="Only sessions of DIR.")
@click.option("--limit", type=click.IntRange(1), default=20, metavar="N", help="At most N hits.")
@command
async def search(run: Run, query: str, mode: str | None, cwd: str | None, limit: int) -> int:
    """Search names, ids, directories and all text of sessions."""
    params = {"query": query, "mode": mode, "cwd": cwd, "limit": limit}
    if run.json:
        click.echo(await run.daemon.call_raw("catalog/search", **params))
        return 0
    found = await run.daemon.call("catalog/search", **params)
    for hit in found["hits"]:
        info = hit["info"]
        title = info.get("name") or info["firstMessage"]
        run.console.print(Text(one_line(f"{info['id']}  {info['cwd']}  {title}"), style="bold"))
        for snippet in hit["snippets"]:
            run.console.print(_marked(snippet))
    return 0 if found["hits"] else FOUND_PROBLEMS


def _marked(snippet: dict[str, Any]) -> Text:
    # Ranges count UTF-16 units, Python counts characters.
    units: bytes = snippet["text"].encode("utf-16-le", errors="surrogatepass")

    def part(start: int, end: int | None) -> str:
        stop = None if end is None else 2 * end
        return units[2 * start : stop].decode("utf-16-le", errors="replace")

    line, at = Text(f"  {snippet['role']}: ", style="dim"), 0
    for start, end in snippet["ranges"]:
        line.append(one_line_part(part(at, start)), style="default")
        line.append(one_line_part(part(start, end)), style="bold red")
        at = end
    line.append(one_line_part(part(at, None)), style="default")
    return line


def one_line_part(text: str) -> str:
    return clean(text.replace("\n", " ").replace("\t", " "))


@people.command()
@click.argument("session")
@command
async def stats(run: Run, session: str) -> None:
    """Count messages, tokens and cost of a session, by model and by day."""
    path = await run.path(session)
    if run.json:
        click.echo(await run.daemon.call_raw("catalog/stats", path=path))
        return
    found = await run.daemon.call("catalog/stats", path=path)
    facts = [
        ("size", size(found["sizeBytes"])),
        *((f"messages, {role}", str(count)) for role, count in found["messages"]["byRole"].items()),
        ("tool calls", str(found["toolCalls"])),
        ("branches", str(found["branches"])),
        ("compactions", str(found["compactions"])),
        ("tokens", f"{found['tokens']['total']:,}"),
        ("cost", f"{found['cost']['total']:.4f}"),
    ]
    table(run.console, ["", ""], facts)
    for title, key, rows in (
        ("MODEL", "model", found["byModel"]),
        ("DAY", "day", found["byDay"]),
    ):
        table(
            run.console,
            [title, "MESSAGES", "TOKENS", "COST"],
            (
                [
                    row[key],
                    str(row["messages"]),
                    f"{row['tokens']['total']:,}",
                    f"{row['cost']['total']:.4f}",
                ]
                for row in rows
            ),
        )


@people.command()
@click.argument("session")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["html", "markdown", "jsonl"]),
    default="markdown",
    show_default=True,
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output.")
@command
async def export(run: Run, session: str, kind: str, output: str | None) -> None:
    """Export the current branch as a page, as text, or as a session file."""
    path = await run.path(session)
    params = {"path": path, "format": kind, "outputPath": output}
    answer = await run.daemon.call("catalog/export", **params)
    click.echo(answer.get("path") or answer["content"], nl="path" in answer)


@people.command()
@click.argument("session", required=False)
@click.option("--cwd", metavar="DIR", help="All sessions of DIR.")
@click.option("--all", "everything", is_flag=True, help="All sessions of all directories.")
@command
async def check(run: Run, session: str | None, cwd: str | None, everything: bool) -> int:
    """Look for damage; writes nothing."""
    path = await run.path(session) if session else None
    params = {"path": path, "cwd": cwd, "all": everything or None}
    if run.json:
        click.echo(await run.daemon.call_raw("catalog/check", **params))
        return 0
    files = (await run.daemon.call("catalog/check", **params))["files"]
    for file in files:
        if file["ok"] and not session:
            continue
        run.console.print(Text(one_line(f"{file['path']}: {'ok' if file['ok'] else 'problems'}")))
        for problem in file["problems"]:
            told = f"  line {problem['line']}: {problem['kind']}: {problem['message']}"
            run.console.print(Text(clean(told), style="yellow"))
    bad = sum(not file["ok"] for file in files)
    click.echo(f"{len(files)} checked, {bad} with problems", err=True)
    return FOUND_PROBLEMS if bad else 0


@people.command()
@click.argument("session")
@click.option("--apply", is_flag=True, help="Repair; without it only what would be done is told.")
@command
async def repair(run: Run, session: str, apply: bool) -> None:
    """Mend a damaged session file, keeping a backup."""
    path = await run.path(session)
    if run.json:
        click.echo(await run.daemon.call_raw("catalog/repair", path=path, dryRun=not apply))
        return
    done = await run.daemon.call("catalog/repair", path=path, dryRun=not apply)
    for action in done["actions"]:
        where = f"line {action['line']}: " if "line" in action else ""
        run.console.print(Text(clean(f"{where}{action['kind']}: {action['message']}")))
    if not done["actions"]:
        click.echo("nothing to repair", err=True)
    elif "backup" in done:
        click.echo(f"repaired; the file as it was is {done['backup']}", err=True)
    else:
        click.echo("nothing was written; `--apply` does it", err=True)


@people.command()
@click.argument("session")
@click.argument("name")
@command
async def rename(run: Run, session: str, name: str) -> None:
    """Name a session; an empty NAME takes the name away."""
    await run.daemon.call("catalog/rename", path=await run.path(session), name=name)


@people.command()
@click.argument("session")
@click.option("--permanently", is_flag=True, help="Delete instead of moving to the trash.")
@click.option("--force", is_flag=True, help="Even if a program has it open.")
@command
async def delete(run: Run, session: str, permanently: bool, force: bool) -> None:
    """Move a session to the trash."""
    path = await run.path(session)
    done = await run.daemon.call("catalog/delete", path=path, permanently=permanently, force=force)
    click.echo(f"{'moved to the trash' if done['trashed'] else 'deleted'}: {path}", err=True)


@people.command()
@click.argument("path")
@command
async def restore(run: Run, path: str) -> None:
    """Bring a session back from the trash to where it was; PATH is its old place."""
    info = await run.daemon.call("catalog/restore", path=path)
    click.echo(f"restored: {info['path']}", err=True)
