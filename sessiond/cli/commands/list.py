"""`sessiond list`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from sessiond.cli.astext import UNKNOWN, Column, age, cost, homely, short_ids, size, title
from sessiond.cli.command import choice, command, dates, flag, number
from sessiond.cli.days import Period, period
from sessiond.cli.nothing import why_nothing
from sessiond.cli.running import FOUND_PROBLEMS, Run, refuse_both

Info = dict[str, Any]

_PAGE = 500
"""Sessions that are asked for at once where not all are needed."""

_ORDERS: dict[str, Callable[[Info], float]] = {
    "size": lambda info: -float(info["sizeBytes"]),
    "messages": lambda info: -float(info["messageCount"]),
    "cost": lambda info: -_cost(info),
}


@command("list", shares=True)
@click.option("--cwd", metavar="DIR", help="Sessions of DIR instead of the current directory.")
@flag("-a", "--all", "everything", text="Sessions of all directories.")
@flag("--named", text="Only sessions with a name.")
@flag("--subagents", text="Also sessions that agents began, each below its own.")
@flag("--past", text="Also conversations that a gateway has ended or deleted.")
@dates("Used on")
@click.option("--model", metavar="TEXT", help="Only sessions with a model that contains TEXT.")
@choice(
    "--sort",
    among=["age", "size", "cost", "messages"],
    default="age",
    text="Order: the latest (default), largest, dearest or longest first.",
)
@number("-n", "--limit", text="At most N sessions.")
async def main(
    run: Run,
    *,
    cwd: str | None,
    everything: bool,
    named: bool,
    subagents: bool,
    past: bool,
    model: str | None,
    sort: str,
    limit: int | None,
    **when: str | None,
) -> int:
    """List sessions, the latest first."""
    refuse_both(cwd, everything)
    used = period(**when)
    method = "session/listAll" if everything else "session/list"
    scope = {} if everything else {"cwd": cwd or "."}
    is_plain = not used.is_given and model is None and sort == "age"
    exact = {} if everything else {"exactCwd": True}
    asked = {**scope, **exact, "named": named, "subagents": subagents, "past": past}
    if run.json and is_plain:
        answer = await run.answer(method, **asked, limit=limit)
        return 0 if answer["sessions"] else FOUND_PROBLEMS
    in_order = sort == "age" and model is None and not subagents
    # The number of all of them is printed with --json alone.
    most = limit if in_order and not run.json else None
    listed = await _listed(run, method, asked, used if in_order else None, most)
    has_problems = run.tell_problems(listed)
    # Unique among all sessions of the scope, so that each short id identifies its session.
    ids = [info["id"] for info in listed["sessions"]]
    short = short_ids(ids, are_some=len(ids) < listed["total"])
    shown = [info for info in listed["sessions"] if used.holds(info["modified"])]
    if model is not None or sort == "cost":
        shown = await _with_usage(run, shown, scope, listed.get("problems", []))
    if model is not None:
        shown = [info for info in shown if _uses(info, model)]
    if sort != "age":
        shown.sort(key=_ORDERS[sort])
    total, shown = len(shown), shown[:limit]
    if subagents:
        shown = _below_their_own(shown)
    if run.json:
        content = [{key: info[key] for key in info if key != "usage"} for info in shown]
        run.screen.raw(json.dumps({"sessions": content, "total": total}).encode())
    else:
        _print(run, shown, short, everything=everything, cost=sort == "cost")
    if shown and not run.json:
        run.tell_zone(used)
    if not shown and not has_problems:
        await why_nothing(run, None if everything else cwd or ".", used)
    return 0 if shown else FOUND_PROBLEMS


async def _listed(
    run: Run, method: str, asked: dict[str, Any], used: Period | None, most: int | None
) -> dict[str, Any]:
    """The sessions of the scope; with `used` no older ones, nor more than `most` of its time.

    A store may have so many that only as many pages are read as are needed.
    """
    if used is None or (used.begin is None and most is None):
        whole: dict[str, Any] = await run.daemon.call(method, **asked)
        return whole
    sessions: list[Info] = []
    problems: dict[str, Info] = {}
    cursor, wanted = None, 0
    while True:
        page = await run.daemon.call(method, **asked, limit=_PAGE, cursor=cursor)
        sessions += page["sessions"]
        problems |= {each["path"]: each for each in page.get("problems", [])}
        wanted += sum(used.holds(info["modified"]) for info in page["sessions"])
        cursor = page.get("nextCursor")
        is_enough = most is not None and wanted >= most
        if cursor is None or is_enough or used.begins_after(sessions[-1]["modified"]):
            return {**page, "sessions": sessions, "problems": list(problems.values())}


def _print(
    run: Run, infos: Sequence[Info], short: dict[str, str], *, everything: bool, cost: bool
) -> None:
    if not run.screen.is_terminal:
        # Programs get complete values.
        run.screen.table(
            [],
            (
                [
                    age(info["modified"]),
                    str(info["messageCount"]),
                    size(info["sizeBytes"]),
                    info["id"],
                    *([info["cwd"]] if everything else []),
                    *([_dollars(info)] if cost else []),
                    title(info),
                ]
                for info in infos
            ),
        )
        return
    is_mixed = len({info.get("agent") for info in infos}) > 1
    columns = [
        Column("AGE", right=True),
        Column("ID", least=13, cut="middle"),
        Column("TITLE", least=16),
        Column("MESSAGES", rank=2, right=True),
        Column("SIZE", rank=3, right=True),
        *([Column("COST", right=True)] if cost else []),
        *([Column("AGENT", rank=1)] if is_mixed else []),
        *([Column("DIRECTORY", least=14, rank=1, cut="start")] if everything else []),
    ]
    run.screen.table(
        columns,
        (
            [
                age(info["modified"]),
                short[info["id"]],
                title(info),
                str(info["messageCount"]),
                size(info["sizeBytes"]),
                *([_dollars(info)] if cost else []),
                *([info.get("agent", "")] if is_mixed else []),
                *([_directory(info)] if everything else []),
            ]
            for info in infos
        ),
    )


def _below_their_own(infos: Sequence[Info]) -> list[Info]:
    """Put the sessions that agents began, marked, behind those in which they began."""
    begun: dict[str, list[Info]] = {}
    for info in infos:
        if "subagent" in info:
            begun.setdefault(info.get("parentSessionPath", ""), []).append(info)
    placed: dict[str, Info] = {}
    # Those whose own session is not shown, or that began each other in a circle, come last.
    waiting = [(info, 0) for info in reversed(infos) if "subagent" in info]
    waiting += [(info, 0) for info in reversed(infos) if "subagent" not in info]
    while waiting:
        info, depth = waiting.pop()
        if info["path"] not in placed:
            mark = "  " * (depth - 1) + "└ " if depth else ""
            placed[info["path"]] = {**info, "name": mark + title(info)} if depth else info
            waiting += [(each, depth + 1) for each in reversed(begun.get(info["path"], []))]
    return list(placed.values())


def _directory(info: Info) -> str:
    """The working directory; of a session that another host writes, with the name of that host."""
    home = info.get("home")
    return f"{home['host']}:{info['cwd']}" if home else homely(info["cwd"])


def _dollars(info: Info) -> str:
    return UNKNOWN if info["usage"] is None else cost(info["usage"]["sums"])


async def _with_usage(
    run: Run, listed: list[Info], scope: dict[str, str], told: list[Info]
) -> list[Info]:
    """Add the member `usage` to each session: its row of `catalog/usage`, if it has one.

    An entry counts in every session that holds it, as in `stats`. `told` are the problems of which
    the user has been told.
    """
    answer = await run.daemon.call("catalog/usage", by="session", copies=True, **scope)
    problems = [problem for problem in answer.get("problems", []) if problem not in told]
    run.tell_problems({"problems": problems})
    rows = {row["key"]: row for row in answer["rows"]}
    return [{**info, "usage": rows.get(info["path"])} for info in listed]


def _cost(info: Info) -> float:
    sums = {} if info["usage"] is None else info["usage"]["sums"]
    return float(sums["cost"]["total"]) if "cost" in sums else 0.0


def _uses(info: Info, model: str) -> bool:
    wanted = model.casefold()
    models = [] if info["usage"] is None else info["usage"]["models"]
    return any(wanted in f"{used['provider']}/{used['model']}".casefold() for used in models)
