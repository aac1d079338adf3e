"""`sessiond usage`: tokens and cost of all sessions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Literal

import click

from sessiond.cli.astext import (
    UNKNOWN,
    Column,
    amount,
    cost,
    homely,
    one_line,
    title,
)
from sessiond.cli.command import command, dates, flag, here, number, priced
from sessiond.cli.days import Period, period
from sessiond.cli.nothing import why_nothing_in
from sessiond.cli.running import FOUND_PROBLEMS, Run, refuse_several
from sessiond.cli.values import Names, NotEmpty
from sessiond.format.ids import short_ids

Answer = dict[str, Any]

_PERIODS = ("day", "week", "month", "block")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_NAMES = {
    "model": [Column("MODEL", least=24, cut="middle")],
    "project": [Column("DIRECTORY", least=20, cut="start")],
    "agent": [Column("AGENT", least=11)],
    "session": [Column("SESSION", least=8), Column("TITLE", least=24)],
}
_NAMELESS = {"model": "(no model)", "project": "(no directory)"}


@command("usage", shares=True, alone_with=("html",))
@click.option(
    "--by",
    type=Names([*_PERIODS, "model", "project", "agent", "session"]),
    default="day",
    metavar="NAME",
    help="What a row stands for: day (default), week, month, block, model, project, agent or"
    " session; two of them (model,project): rows within rows.",
)
@flag("--blocks", text="By windows of five hours, as subscriptions count: --by block.")
@dates("Of")
@click.option("--model", metavar="TEXT", help="Only models with TEXT in their name or provider.")
@click.option("--cwd", metavar="DIR", help="Only sessions of DIR.")
@here()
@flag("--project", text="Only sessions of this project.")
@flag("-a", "--all", "everything", text="Sessions of all directories (the default).")
@number("-n", "--limit", text="At most N rows; the latest days, the highest costs.")
@click.option(
    "--html",
    type=NotEmpty("file"),
    metavar="FILE",
    help="Write a page with charts to FILE; `-` is standard output.",
)
@priced()
@flag("--mask", text="Mask keys and passwords, and the home directory, in titles of the page.")
async def main(
    run: Run,
    *,
    by: tuple[str, ...],
    model: str | None,
    cwd: str | None,
    here: bool,
    project: bool,
    everything: bool,
    limit: int | None,
    html: str | None,
    prices: bool,
    mask: bool,
    blocks: bool,
    **when: str | None,
) -> int:
    """Add up tokens and cost of all sessions.

    The costs are those that the agents recorded. A `+` marks a cost that lacks that of some
    entries, a `~` one that is partly calculated.
    """
    if blocks:
        by = ("block",)
    options = {"--cwd": cwd is not None, "--here": here, "--project": project, "--all": everything}
    refuse_several(options)
    counted = period(**when)
    where = {"project": "."} if project else {"cwd": "." if here else cwd}
    params = {"model": model, **where, **counted.days(), "prices": prices}
    refuse_several({"--json": run.json, "--html": html is not None})
    if html is not None:
        return await _page(run, html, params, counted, mask=mask)
    if mask:
        raise click.UsageError("--mask goes with --html")
    nested = {"thenBy": by[1]} if len(by) > 1 else {}
    answer = await run.daemon.call("catalog/usage", by=by[0], **nested, **params)
    rows = answer["rows"]
    if limit is not None:
        rows = rows[-limit:] if by[0] in _PERIODS else rows[:limit]
    if run.json:
        run.screen.raw(json.dumps({**answer, "rows": rows}).encode())
        return 0 if rows else FOUND_PROBLEMS
    has_problems = run.tell_problems(answer)
    if not rows:
        if not has_problems:
            await _why_nothing(run, params, counted)
        return FOUND_PROBLEMS
    if run.screen.is_terminal:
        with run.screen.paged(from_end=by[0] in _PERIODS):
            _print(run, answer, rows, by)
    else:
        run.screen.table([], (cells for row in rows for cells in _plain(row)))
    if not run.screen.is_terminal or by[0] not in _PERIODS:
        # Below periods the table says it.
        run.tell_zone(counted)
    _tell_missing(run, answer)
    return 0


async def _why_nothing(run: Run, params: Answer, counted: Period) -> None:
    if any(params[name] is not None for name in ("model", "since", "until")):
        everything = await run.daemon.call("catalog/usage", by="month", **_where(params))
        if everything["rows"]:
            zone = f"; {counted.text}" if counted.is_given else ""
            run.tell(f"sessiond: no usage matches the dates and --model{zone}")
            return
    await why_nothing_in(run, _where(params))


def _where(params: Answer) -> Answer:
    """Return the params that say which sessions are counted."""
    return {name: params[name] for name in ("cwd", "project") if params.get(name) is not None}


def _tell_missing(run: Run, answer: Answer) -> None:
    """Say how many entries have no cost of their own, because a sum would hide that."""
    total = answer["sums"]
    run.tell_prices(answer, total.get("calculated", 0))
    if total["withoutCost"]:
        run.tell(
            f"sessiond: {total['withoutCost']:,} of {total['entries']:,} entries have no cost"
            f"{', nor a price' if 'prices' in answer else ' in their files'} (+); their tokens are"
            " counted, their cost is not"
        )


def _print(run: Run, answer: Answer, rows: list[Answer], by: tuple[str, ...]) -> None:
    """Print a table; the rows into which a row is divided follow it, indented."""
    from rich.text import Text

    first, then = by[0], by[-1]
    total = answer["sums"]
    measure = "cost" if _measured(total, "cost") > 0 else "tokens"
    most = max(_measured(row["sums"], measure) for row in rows)
    width = max(10, min(40, run.screen.width // 5))
    inner = [each for row in rows for each in row.get("rows", ())]
    short = short_ids([row["info"]["id"] for row in (*rows, *inner) if "info" in row])
    named = _NAMES.get(first, [Column(first.upper(), least=10)])
    if len(by) > 1:
        below = _NAMES.get(then, [Column(then.upper())])
        titles = f"{named[0].name}, {below[0].name}"
        cut: Literal["end", "middle"] = "end" if then == "session" else "middle"
        named = [Column(titles, least=28, cut=cut), *named[1:]]
    columns = [
        *named,
        Column("", rank=2),
        Column("COST", right=True),
        Column("TOKENS", right=True),
        Column("INPUT", rank=3, right=True),
        Column("OUTPUT", rank=4, right=True),
        Column("CACHE READ", rank=5, right=True),
        Column("CACHE WRITE", rank=6, right=True),
    ]
    has_gaps = bool(total["withoutCost"])
    gap = [""] * (len(named) - 1)
    cells: list[list[str | Text]] = []
    for row in rows:
        lines = [(_names(row, first, short), row)]
        lines += [
            ([f"  {'  '.join(_names(each, then, short))}", *gap], each)
            for each in row.get("rows", ())
        ]
        for at, (names, one) in enumerate(lines):
            style = "dim" if at else ""
            figures = map(str.strip, _figures(one["sums"], has_gaps=has_gaps))
            drawn = bar(_measured(one["sums"], measure), most, width)
            cells.append(
                [
                    *(Text(name, style=style) for name in names),
                    Text(drawn, style=f"{style} cyan"),
                    *(Text(each, style=style) for each in figures),
                ]
            )
    last = ["total", *gap, "", *_figures(total, has_gaps=has_gaps)]
    cells.append([Text(cell, style="bold") for cell in last])
    run.screen.table(columns, cells)
    run.screen.line(Text(_about(answer, first, len(rows)), style="dim"))


def _about(answer: Answer, by: str, count: int) -> str:
    sessions, omitted = answer["sessionCount"], answer["omittedCopies"]
    facts = [f"US dollars and tokens of {sessions:,} session{'' if sessions == 1 else 's'}"]
    if count < len(answer["rows"]):
        facts.append(f"{count:,} of {len(answer['rows']):,} rows")
    if by in _PERIODS:
        facts.append(f"days in {one_line(answer['timezone'])}")
    if omitted:
        facts.append(f"without {omitted:,} {'copy' if omitted == 1 else 'copies'} in forks")
    return "; ".join(facts)


def _names(row: Answer, by: str, short: dict[str, str]) -> list[str]:
    """The cells that name a row; they are clean."""
    if "info" in row:
        return [one_line(short[row["info"]["id"]]), title(row["info"])]
    name = homely(row["key"]) if by == "project" else row["key"]
    return [one_line(name) or _NAMELESS.get(by, "(no time)")]


def _measured(sums: Answer, measure: str) -> float:
    return float(sums[measure]["total"]) if measure in sums else 0.0


def _figures(sums: Answer, *, has_gaps: bool) -> list[str]:
    """Cost and tokens; if `has_gaps`, a `+` marks a cost that lacks that of some entries."""
    tokens = sums["tokens"]
    texts = cost(sums)
    return [
        texts if not has_gaps or texts.endswith(("+", UNKNOWN)) else f"{texts} ",
        *(amount(tokens[kind]) for kind in ("total", "input", "output", "cacheRead", "cacheWrite")),
    ]


def _plain(row: Answer) -> Iterator[list[str]]:
    """Yield whole values for programs; of a divided row those of its parts, behind its name."""
    if "rows" in row:
        for each in row["rows"]:
            for cells in _plain(each):
                yield [_plain_name(row), *cells]
        return
    sums = row["sums"]
    tokens = sums["tokens"]
    yield [
        _plain_name(row),
        f"{sums['cost']['total']:.6f}" if "cost" in sums else UNKNOWN,
        *(str(tokens[kind]) for kind in ("total", "input", "output", "cacheRead", "cacheWrite")),
        str(sums["entries"]),
        str(sums["withoutCost"]),
        *([title(row["info"])] if "info" in row else []),
    ]


def _plain_name(row: Answer) -> str:
    return str(row["info"]["id"] if "info" in row else row["key"])


def bar(value: float, most: float, width: int) -> str:
    """A bar of at most `width` cells, in steps of an eighth of a cell; something for any value."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(value / most * width * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


async def _page(run: Run, target: str, params: Answer, counted: Period, *, mask: bool) -> int:
    from sessiond.cli import usage_page
    from sessiond.cli.commands.export import checked

    answers = {
        by: await run.daemon.call("catalog/usage", by=by, **params)
        for by in ("day", "week", "month", "model", "project", "session")
    }
    run.tell_problems(answers["day"])
    if not answers["day"]["rows"]:
        await _why_nothing(run, params, counted)
        return FOUND_PROBLEMS
    if mask:
        answers["session"] = usage_page.without_secrets(answers["session"])
    elif count := usage_page.titles_with_secrets(answers["session"]):
        titles = "1 title has" if count == 1 else f"{count:,} titles have"
        run.tell(f"sessiond: {titles} what looks like keys or passwords; --mask hides them")
    content = usage_page.page(answers, params).encode("utf-8", "replace")
    if target == "-":
        run.screen.raw(content, b"")
    else:
        path = run.here.writable(checked(target))
        usage_page.write(path, content, run.here.client.places.kept_directories())
        run.screen.raw(os.fsencode(path))
    _tell_missing(run, answers["day"])
    return 0
