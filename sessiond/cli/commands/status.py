"""`sessiond status`: what today has cost so far, and which sessions run or wait."""

from __future__ import annotations

import json

from sessiond.cli.astext import amount, cost, homely, one_line, state, title
from sessiond.cli.command import command, flag, priced
from sessiond.cli.days import period
from sessiond.cli.running import Run


@command("status", shares=True)
@flag("--line", text="One line, for a prompt, tmux or an agent's status line.")
@priced()
async def main(run: Run, *, line: bool, prices: bool) -> None:
    """Show what today has cost, and the sessions that run."""
    today = period("today", None, None)
    sums = (await run.daemon.call("catalog/usage", by="day", **today.days(), prices=prices))["sums"]
    used = (await run.daemon.call("session/listAll", **today.times()))["sessions"]
    running = [info for info in used if state(info) == "running"]
    waiting = [info for info in used if state(info) == "waiting"]
    if run.json:
        content = {"sums": sums, "running": running, "waiting": waiting}
        run.screen.raw(json.dumps(content).encode())
        return
    tokens = amount(sums["tokens"]["total"])
    waits = f" · {len(waiting)} waiting" if waiting else ""
    run.screen.line(f"{cost(sums)} · {tokens} tokens · {len(running)} running{waits}")
    for info in () if line else [*waiting, *running]:
        run.screen.line(f"{info['id']}  {homely(one_line(info['cwd']))}  {title(info)}")
