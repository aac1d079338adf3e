"""`sessiond gateway …`: what a gateway's store says of its sessions."""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import click
import msgspec
from rich.text import Text

from sessiond.cli.astext import age, clean, one_line
from sessiond.cli.column import Column
from sessiond.cli.entries import ROLE_STYLES
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.errors import InvalidParams, SessiondError
from sessiond.profiles import PROFILES

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
    """List sessions, the latest first; those of all agents, unless one is given."""
    _expect_store(run, store)
    params = {
        "agentId": run.agent,
        "storePath": store,
        "activeMinutes": active,
        "search": search,
        "limit": limit,
        # An agent's sessions are never among the two that are nobody's.
        "includeGlobal": True,
        "includeUnknown": True,
    }
    if run.json:
        answer = await run.daemon.call_raw("gateway/list", **params)
        run.screen.raw(answer)
        return 0 if json.loads(answer)["sessions"] else FOUND_PROBLEMS
    found = await run.daemon.call("gateway/list", **params)
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
                row.get("model") or "-",
                _tokens(row, found["defaults"]["contextTokens"]),
                Text(_flags(row), style="dim"),
            ]
            for row in found["sessions"]
        ),
    )
    _tell_problems(found)
    if not found["sessions"]:
        run.tell(f"sessiond: no sessions in {found['path']}")
    return 0 if found["sessions"] else FOUND_PROBLEMS


def _expect_store(run: Run, store: str | None) -> None:
    if store is None and PROFILES[run.profile].layout != "gateway":
        raise click.UsageError(f"{run.profile} has no store of its own; --store names one")


def _age(ms: float | None) -> str:
    if ms is None:
        return "-"
    try:
        return age(datetime.fromtimestamp(ms / 1000, UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return "?"


def _tokens(row: dict[str, Any], default: float) -> Text:
    """As CoderClaw shows them: `12k/200k (6%)`."""
    total, context = row.get("totalTokens"), row.get("contextTokens") or default
    window = _thousands(context) if context > 0 else "?"
    if total is None:
        return Text(f"unknown/{window} (?%)", style="dim")
    if context <= 0:
        return Text(f"{_thousands(total)}/{window} (?%)")
    percent = min(999, math.floor(total / context * 100 + 0.5))
    style = "red" if percent >= 90 else "yellow" if percent >= 70 else "green"
    return Text(f"{_thousands(total)}/{window} ({percent}%)", style=style)


def _thousands(count: float) -> str:
    if count >= 10_000:
        return f"{math.floor(count / 1000 + 0.5)}k"
    return f"{math.floor(count / 100 + 0.5) / 10:.1f}k"


def _flags(row: dict[str, Any]) -> str:
    shown = (text.format(row[name]) for name, text in _FLAGS.items() if row.get(name))
    return one_line(" ".join(shown))


def _tell_problems(answer: dict[str, Any]) -> None:
    for problem in (*answer.get("problems", ()), *answer.get("configProblems", ())):
        where = f"{problem['path']}: " if "kind" not in problem else ""
        click.echo(one_line(f"sessiond: {where}{problem['message']}"), err=True)


async def show(run: Run, key: str, store: str | None) -> int:
    """Show what the store knows of a session, where it is, and how it ends."""
    _expect_store(run, store)
    where = {"agentId": run.agent, "storePath": store}
    if run.json:
        answer = await run.daemon.call_raw("gateway/get", sessionKey=key, **where)
        run.screen.raw(answer)
        return FOUND_PROBLEMS if json.loads(answer)["entry"] is None else 0
    found = await run.daemon.call("gateway/get", sessionKey=key, **where)
    _tell_problems(found)
    if found["entry"] is None:
        return _not_found(found)
    run.screen.line(Text(clean(found["sessionKey"]), style="bold underline"))
    run.screen.table(
        [Column(""), Column("", least=20)],
        [
            ("store", found["storePath"]),
            ("transcript", await _transcript(run, found) or "-"),
            *((name, _shown(name, value)) for name, value in found["entry"].items()),
        ],
    )
    (preview,) = (await run.daemon.call("gateway/preview", keys=[key], limit=4, **where))[
        "previews"
    ]
    for item in preview["items"]:
        run.screen.line(Text(item["role"], style=ROLE_STYLES.get(item["role"], "magenta")))
        for line in clean(item["text"]).splitlines():
            run.screen.line(Text(f"  {line}"))
    return 0


def _not_found(found: dict[str, Any]) -> int:
    told = f"sessiond: no session has the key {found['sessionKey']} in {found['storePath']}"
    click.echo(clean(told), err=True)
    return FOUND_PROBLEMS


async def _transcript(run: Run, found: dict[str, Any]) -> str | None:
    """The file of the session, or the likeliest place if there is none."""
    entry, store = found["entry"], found["storePath"]
    agent = (await run.daemon.call("gateway/resolveKey", key=found["sessionKey"]))["agentId"]
    places = []
    for params in (
        {"sessionFile": entry.get("sessionFile"), "storePath": store},
        {"sessionId": entry.get("sessionId"), "storePath": store},
        {"sessionId": entry.get("sessionId")},
    ):
        with suppress(SessiondError, InvalidParams, msgspec.ValidationError):
            asked = {**params, "agentId": agent}
            places.append((await run.daemon.call("gateway/transcriptPath", **asked))["path"])
    return next((path for path in places if os.path.exists(path)), next(iter(places), None))


def _shown(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if name.endswith("At") and isinstance(value, int | float):
        return f"{value} ({_age(value)})"
    return json.dumps(value, ensure_ascii=False)


async def reset(run: Run, key: str, store: str | None, yes: bool, force: bool) -> int:
    """Start a session over; its transcript is kept under another name."""
    _expect_store(run, store)
    where = {"agentId": run.agent, "storePath": store}
    found = await run.daemon.call("gateway/get", sessionKey=key, **where)
    if found["entry"] is None:
        return _not_found(found)
    question = f"Start {one_line(found['sessionKey'])} over, without what was said so far?"
    if not yes:
        click.confirm(question, abort=True, err=True)
    params = {"key": key, "force": force, **where}
    if run.json:
        run.screen.raw(await run.daemon.call_raw("gateway/reset", **params))
        return 0
    done = await run.daemon.call("gateway/reset", **params)
    _tell_problems(done)
    click.echo(clean(f"started over: {done['key']}, id {done['entry']['sessionId']}"), err=True)
    return 0


async def maintain(run: Run, store: str | None, enforce: bool, dry_run: bool) -> None:
    """Take old sessions and too many of them out of an agent's store."""
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
    if done["rotated"]:
        rows.append(("rotated", done["rotated"]))
    run.screen.table([Column(""), Column("", least=20)], rows)
    if done["mode"] == "warn":
        click.echo("nothing was touched: the mode is `warn`; `--enforce` acts", err=True)
    elif not rows:
        click.echo("nothing to do", err=True)
    elif dry_run:
        click.echo("nothing was touched: this was a dry run", err=True)
