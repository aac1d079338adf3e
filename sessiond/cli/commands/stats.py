"""`sessiond stats`: the figures of one session."""

from __future__ import annotations

from sessiond.cli.astext import Column, cost, size
from sessiond.cli.command import command, dates, priced, session
from sessiond.cli.days import period
from sessiond.cli.running import Run


@command("stats", shares=True)
@session()
@dates("Of")
@priced()
async def main(run: Run, session: str, *, prices: bool, **when: str | None) -> None:
    """Count messages, tokens and cost of a session.

    It counts them by model and by day, on all branches.
    """
    counted = period(**when)
    params = {"path": await run.path(session), **counted.days(), "prices": prices}
    result = await run.answer("catalog/stats", **params)
    if run.json:
        return
    facts = [
        ("size", size(result["sizeBytes"])),
        *(
            (f"messages, {role}", str(count))
            for role, count in result["messages"]["byRole"].items()
        ),
        ("tool calls", str(result["toolCalls"])),
        ("branches", str(result["branches"])),
        ("compactions", str(result["compactions"])),
        ("tokens", f"{result['tokens']['total']:,}"),
        ("cost", cost(result, 4)),
    ]
    with run.screen.paged():
        run.screen.table([Column("", least=20), Column("", right=True)], facts)
        for name, key, rows in (
            ("MODEL", "model", result["byModel"]),
            ("DAY", "day", result["byDay"]),
        ):
            columns = [Column(name, least=10)]
            columns += [Column(each, right=True) for each in ("MESSAGES", "TOKENS", "COST")]
            run.screen.table(
                columns,
                (
                    [
                        row[key],
                        str(row["messages"]),
                        f"{row['tokens']['total']:,}",
                        cost(row, 4),
                    ]
                    for row in rows
                ),
            )
    run.tell_zone(counted)
    run.tell_prices(result, result.get("calculated", 0))
