"""`sessiond gateway list`: the sessions of a gateway."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any

import click
from rich.text import Text

from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import Column, age, one_line
from sessiond.cli.command import Group, command, number
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.cli.values import NotEmpty

_POSITIVE = re.compile("0*[1-9][0-9]{0,9}")
_MANY = "(multiple)"
"""The path in answers that are about all agents."""

_FLAGS = {
    "thinkingLevel": "think:{}",
    "verboseLevel": "verbose:{}",
    "reasoningLevel": "reasoning:{}",
    "elevatedLevel": "elev:{}",
    "responseUsage": "usage:{}",
    "systemSent": "system",
    "abortedLastRun": "aborted",
    "sessionId": "id:{}",
}


def _minutes(_context: click.Context, _option: click.Parameter, given: str | None) -> int | None:
    if given is None:
        return None
    if not _POSITIVE.fullmatch(given.strip()):
        raise click.UsageError("--active must be a positive integer (minutes)")
    return int(given)


@command("list", profile="coderclaw", agent_names=("--agent", "--agent-id"), shares=True)
@click.option(
    "--path",
    # The name before 0.3, which means PostgreSQL everywhere else.
    "--store",
    type=NotEmpty("path"),
    metavar="PATH",
    help="The gateway's `sessions.json`; `{agentId}` in it is replaced by the agent.",
)
@click.option(
    "--active", metavar="MINUTES", callback=_minutes, help="Only sessions used in the last MINUTES."
)
@click.option("--search", metavar="TEXT", help="Only with TEXT in name, key or id.")
@number("-n", "--limit", text="At most N sessions.")
async def list_sessions(
    run: Run, path: str | None, active: int | None, search: str | None, limit: int | None
) -> int:
    """List the sessions of all agents or of one agent, the latest first."""
    if path is None and not AGENTS[run.profile].has_gateway:
        raise click.UsageError(f"{run.profile} has no gateway; name a sessions.json with --path")
    params = {
        "agentId": run.agent,
        "storePath": path,
        "activeMinutes": active,
        "search": search,
        "limit": limit,
        # The sessions `global` and `unknown` belong to no agent.
        "includeGlobal": True,
        "includeUnknown": True,
    }
    answer = await run.answer("gateway/list", **params)
    if run.json:
        return 0 if answer["sessions"] else FOUND_PROBLEMS
    run.screen.table(
        [
            Column("KIND", rank=2),
            Column("KEY", least=20, cut="middle"),
            Column("AGE", right=True),
            Column("MODEL", rank=1),
            Column("TOKENS", rank=3),
            Column("FLAGS", least=8, rank=4),
        ],
        (
            [
                row["kind"],
                row["key"],
                _age(row["updatedAt"]),
                row.get("model") or answer["defaults"]["model"] or "-",
                _tokens(row, answer["defaults"]["contextTokens"]),
                Text(_flags(row), style="dim"),
            ]
            for row in answer["sessions"]
        ),
    )
    _tell_problems(answer)
    if not answer["sessions"]:
        is_filtered = active is not None or search is not None
        run.tell(f"sessiond: {_why_nothing(run, answer['path'], is_filtered=is_filtered)}")
    return 0 if answer["sessions"] else FOUND_PROBLEMS


def _why_nothing(run: Run, path: str, *, is_filtered: bool) -> str:
    if is_filtered:
        return "no session matches"
    if path == _MANY:
        return f"no gateway sessions of any agent of {run.profile}"
    return f"no sessions in {path}"


def _age(ms: float | None) -> str:
    if ms is None:
        return "-"
    try:
        return age(datetime.fromtimestamp(ms / 1000, UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return "?"


def _tokens(row: dict[str, Any], default: float) -> Text:
    """Format tokens as CoderClaw does: `12k/200k (6%)`."""
    total, context = row.get("totalTokens"), _number(row["entry"].get("contextTokens")) or default
    window = _thousands(context) if context > 0 else "?"
    if total is None:
        return Text(f"unknown/{window} (?%)", style="dim")
    if context <= 0:
        return Text(f"{_thousands(total)}/{window} (?%)")
    percent = min(999, math.floor(total / context * 100 + 0.5))
    style = "red" if percent >= 90 else "yellow" if percent >= 70 else "green"
    return Text(f"{_thousands(total)}/{window} ({percent}%)", style=style)


def _number(value: Any) -> float:
    return value if isinstance(value, int | float) else 0


def _thousands(count: float) -> str:
    if count >= 10_000:
        return f"{math.floor(count / 1000 + 0.5)}k"
    return f"{math.floor(count / 100 + 0.5) / 10:.1f}k"


def _flags(row: dict[str, Any]) -> str:
    entry = row["entry"]
    texts = (text.format(entry[name]) for name, text in _FLAGS.items() if entry.get(name))
    return one_line(" ".join(texts))


def _tell_problems(answer: dict[str, Any]) -> None:
    for problem in (*answer.get("problems", ()), *answer.get("configProblems", ())):
        where = f"{problem['path']}: " if "kind" not in problem else ""
        click.echo(one_line(f"sessiond: {where}{problem['message']}"), err=True)


main = Group("gateway", "List the sessions of a gateway.", list_sessions)
