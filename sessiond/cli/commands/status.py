"""`sessiond status`: what today has cost so far, and which sessions run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sessiond.cli.astext import amount, cost, homely, moment, now, one_line, title
from sessiond.cli.command import command, flag, priced
from sessiond.cli.days import period
from sessiond.cli.running import Run

_LATELY = timedelta(minutes=2)


@command("status", shares=True)
@flag("--line", text="One line, for a prompt, tmux or an agent's status line.")
@priced()
async def main(run: Run, *, line: bool, prices: bool) -> None:
    """Show what today has cost, and the sessions that run."""
    today = period("today", None, None)
    sums = (await run.daemon.call("catalog/usage", by="day", **today.days(), prices=prices))["sums"]
    used = (await run.daemon.call("session/listAll", **today.times()))["sessions"]
    running = [*filter(_is_running, used)]
    if run.json:
        run.screen.raw(json.dumps({"sums": sums, "running": running}).encode())
        return
    tokens = amount(sums["tokens"]["total"])
    run.screen.line(f"{cost(sums)} · {tokens} tokens · {len(running)} running")
    for info in () if line else running:
        run.screen.line(f"{info['id']}  {homely(one_line(info['cwd']))}  {title(info)}")


def _is_running(info: Mapping[str, Any]) -> bool:
    """Whether a program has the session open, or wrote to it lately.

    Agents do not say that they run, but they write at least when a call begins and ends.
    """
    written = moment(info.get("activeSince", ""))
    return "inUse" in info or (written is not None and now() - written < _LATELY)
