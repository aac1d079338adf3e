"""`sessiond gateway …`: show and maintain the sessions in a gateway's store."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import click
from rich.text import Text

from sessiond.agents.registry import AGENTS
from sessiond.cli.astext import Column, age, clean, one_line
from sessiond.cli.commands.show import print_last
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.errors import SessiondError
from sessiond.front.caller import Failed

_MANY_STORES = "(multiple)"
"""The path of the store in answers that are about all agents."""

_LAST = 4
"""How many entries of a conversation are shown with its settings."""

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


async def list_sessions(
    run: Run, store: str | None, active: int | None, search: str | None, limit: int | None
) -> int:
    """List the sessions of all agents or of one agent, the latest first."""
    _expect_store(run, store)
    params = {
        "agentId": run.agent,
        "storePath": store,
        "activeMinutes": active,
        "search": search,
        "limit": limit,
        # The sessions `global` and `unknown` belong to no agent.
        "includeGlobal": True,
        "includeUnknown": True,
    }
    if run.json:
        answer = await run.daemon.call_raw("gateway/list", **params)
        run.screen.raw(answer)
        return 0 if json.loads(answer)["sessions"] else FOUND_PROBLEMS
    answer = await run.daemon.call("gateway/list", **params)
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
    place = f"the stores of all agents of {run.profile}" if path == _MANY_STORES else path
    return f"no sessions in {place}"


def _expect_store(run: Run, store: str | None) -> None:
    if store is None and not AGENTS[run.profile].has_gateway:
        raise click.UsageError(f"{run.profile} has no session store; name one with --store")


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
    shown = (text.format(entry[name]) for name, text in _FLAGS.items() if entry.get(name))
    return one_line(" ".join(shown))


def _tell_problems(answer: dict[str, Any]) -> None:
    for problem in (*answer.get("problems", ()), *answer.get("configProblems", ())):
        where = f"{problem['path']}: " if "kind" not in problem else ""
        click.echo(one_line(f"sessiond: {where}{problem['message']}"), err=True)


async def show(run: Run, key: str, store: str | None) -> int:
    """Show the entry of a session, the path of its transcript, and its last messages."""
    _expect_store(run, store)
    where = {"agentId": run.agent, "storePath": store}
    if run.json:
        answer = await run.daemon.call_raw("gateway/get", sessionKey=key, **where)
        run.screen.raw(answer)
        return FOUND_PROBLEMS if json.loads(answer)["entry"] is None else 0
    answer = await run.daemon.call("gateway/get", sessionKey=key, **where)
    _tell_problems(answer)
    if answer["entry"] is None:
        return _not_found(answer)
    run.screen.line(Text(clean(answer["sessionKey"]), style="bold underline"))
    run.screen.table(
        [Column("", least=12), Column("", least=20)],
        [
            ("store", answer["storePath"]),
            ("transcript", answer.get("transcript", "-")),
            *((name, _shown(name, value)) for name, value in answer["entry"].items()),
        ],
    )
    if "transcript" in answer:
        with suppress(Failed, SessiondError):
            await print_last(run, answer["transcript"], _LAST)
    return 0


def _not_found(answer: dict[str, Any]) -> int:
    told = f"sessiond: no session has the key {answer['sessionKey']} in {answer['storePath']}"
    click.echo(clean(told), err=True)
    return FOUND_PROBLEMS


def _shown(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if name.endswith("At") and isinstance(value, int | float):
        return f"{value} ({_age(value)})"
    return json.dumps(value, ensure_ascii=False)


async def reset(run: Run, key: str, store: str | None, yes: bool, force: bool) -> int:
    """Start a new session under a key; the old transcript is archived."""
    _expect_store(run, store)
    where = {"agentId": run.agent, "storePath": store}
    answer = await run.daemon.call("gateway/get", sessionKey=key, **where)
    if answer["entry"] is None:
        return _not_found(answer)
    question = f"Start a new session for {one_line(answer['sessionKey'])} and archive the old one?"
    if not yes:
        click.confirm(question, abort=True, err=True)
    params = {"key": key, "force": force, **where}
    if run.json:
        run.screen.raw(await run.daemon.call_raw("gateway/reset", **params))
        return 0
    done = await run.daemon.call("gateway/reset", **params)
    _tell_problems(done)
    click.echo(clean(f"new session: {done['key']}, id {done['entry']['sessionId']}"), err=True)
    return 0


async def maintain(run: Run, store: str | None, enforce: bool, dry_run: bool) -> None:
    """Remove old and excess sessions from an agent's store."""
    _expect_store(run, store)
    params = {
        "agentId": run.agent,
        "storePath": store,
        "mode": "enforce" if enforce else None,
        "dryRun": dry_run,
    }
    if run.json:
        run.screen.raw(await run.daemon.call_raw("gateway/maintain", **params))
        return
    done = await run.daemon.call("gateway/maintain", **params)
    _tell_problems(done)
    rows = [
        (what, name)
        for what in ("pruned", "capped", "reaped", "archived", "removed")
        for name in done[what]
    ]
    run.screen.table([Column(""), Column("", least=20)], rows)
    if done["mode"] == "warn":
        click.echo("nothing was changed: the mode is `warn`; use `--enforce`", err=True)
    elif not rows:
        click.echo("nothing to do", err=True)
    elif dry_run:
        click.echo("nothing was changed: this was a dry run", err=True)
