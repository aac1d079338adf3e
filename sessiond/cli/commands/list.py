"""`sessiond list`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import click

from sessiond.cli.astext import (
    Column,
    dollars,
    homely,
    last_use,
    marked_title,
    size,
    state,
    tags_text,
    title,
)
from sessiond.cli.command import TAG, choice, command, dates, flag, here, number, priced
from sessiond.cli.days import period
from sessiond.cli.nothing import why_nothing_in
from sessiond.cli.running import FOUND_PROBLEMS, Run, listed_in

Info = dict[str, Any]

_SIGNS = {"running": "● ", "waiting": "◆ "}
"""Stand before the titles of sessions with these activities."""


@command("list", shares=True)
@click.option("--cwd", metavar="DIR", help="Sessions of DIR instead of this project.")
@here()
@flag("-a", "--all", "everything", text="Sessions of all directories.")
@flag("--named", text="Only sessions with a name.")
@click.option("--tag", type=TAG, metavar="WORD", help="Only sessions with this tag.")
@flag("--hidden", text="Only sessions that `sessiond hide` has hidden.")
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
@priced()
@number("-n", "--limit", text="At most N sessions.")
async def main(
    run: Run,
    *,
    cwd: str | None,
    here: bool,
    everything: bool,
    named: bool,
    tag: str | None,
    hidden: bool,
    subagents: bool,
    past: bool,
    model: str | None,
    sort: str,
    prices: bool,
    limit: int | None,
    **when: str | None,
) -> int:
    """List the sessions of this project, the latest first.

    The project is the repository around the current directory, otherwise the directory itself, and
    everything below.
    """
    scope = listed_in(cwd=cwd, here=here, everything=everything)
    used = period(**when)
    method, own = run.listing(scope)
    params = {
        **own,
        "named": named,
        "tag": tag,
        **({"hidden": "only"} if hidden else {}),
        # Another order is that of a figure.
        "pinnedFirst": sort == "age",
        "subagents": subagents,
        "past": past,
        "model": model,
        **used.times(),
        **({} if sort == "age" else {"sort": sort}),
        "includeUsage": sort == "cost" or prices,
        "prices": prices,
        "limit": limit,
    }
    if run.json:
        answer = await run.answer(method, **params)
        return 0 if answer["sessions"] else FOUND_PROBLEMS
    answer = await run.daemon.call(method, **params, includeShortId=True)
    has_problems = run.tell_problems(answer)
    infos: list[Info] = answer["sessions"]
    if subagents:
        infos = _below_their_own(infos, draws=run.screen.is_terminal)
    if infos:
        with run.screen.paged():
            _print(run, infos, everything=everything, cost=sort == "cost" or prices)
        calculated = sum(info.get("usage", {}).get("calculated", 0) for info in infos)
        run.tell_prices(answer, calculated)
        run.tell_zone(used)
        return 0
    if not has_problems:
        await why_nothing_in(run, scope, used)
    return FOUND_PROBLEMS


def _print(run: Run, infos: Sequence[Info], *, everything: bool, cost: bool) -> None:
    if not run.screen.is_terminal:
        # Programs get complete values.
        run.screen.table(
            [],
            (
                [
                    last_use(info),
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
    paths = {info["path"] for info in infos}
    is_mixed = len({info.get("agent") for info in infos}) > 1
    has_tags = any(map(tags_text, infos))
    everything = everything or len({info["cwd"] for info in infos}) > 1
    columns = [
        Column("AGE", right=True),
        Column("ID", least=13, cut="middle"),
        Column("TITLE", least=16),
        *([Column("TAGS", least=8, rank=1)] if has_tags else []),
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
                last_use(info),
                info["shortId"],
                _SIGNS.get(state(info), "") + _title(info, paths),
                *([tags_text(info)] if has_tags else []),
                str(info["messageCount"]),
                size(info["sizeBytes"]),
                *([_dollars(info)] if cost else []),
                *([info.get("agent", "")] if is_mixed else []),
                *([_directory(info)] if everything else []),
            ]
            for info in infos
        ),
    )


def _title(info: Info, paths: Collection[str]) -> str:
    return f"↳ {marked_title(info)}" if _is_fork(info, paths) else marked_title(info)


def _below_their_own(infos: Sequence[Info], *, draws: bool) -> list[Info]:
    """Put the sessions that agents began behind those in which they began.

    `draws`: they are marked in the title, which programs get as it is.
    """
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
            mark = "  " * (depth - 1) + "└ " if depth and draws else ""
            placed[info["path"]] = {**info, "name": mark + title(info)} if mark else info
            waiting += [(each, depth + 1) for each in reversed(begun.get(info["path"], []))]
    return list(placed.values())


def _is_fork(info: Info, paths: Collection[str]) -> bool:
    """Whether a session is a fork of another one in the list."""
    return "subagent" not in info and info.get("parentSessionPath") in paths


def _directory(info: Info) -> str:
    """The working directory; of a session that another host writes, with the name of that host."""
    home = info.get("home")
    return f"{home['host']}:{info['cwd']}" if home else homely(info["cwd"])


def _dollars(info: Info) -> str:
    usage = info.get("usage", {})
    return dollars(usage.get("cost"), usage)
