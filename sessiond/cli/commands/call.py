"""`sessiond call`: methods of the daemon by their names, for shells and scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click
from msgspec import Raw

from sessiond.cli.command import command, flag
from sessiond.cli.running import Run
from sessiond.text.spans import raw_members

_OF_CONNECTIONS = {"initialize", "initialized", "shutdown", "exit"}
"""Methods of a connection, which a command has not."""


@command("call", as_json=False)
@click.argument("words", metavar="METHOD [PARAMS] ...", nargs=-1, required=True)
@flag("-f", "--follow", text="Print notifications as lines, until interrupted.")
async def main(run: Run, *, words: Sequence[str], follow: bool) -> None:
    """Call methods of the daemon, and print each result as a line of JSON.

    PARAMS are an object in JSON. Sessions that one method opens are called s1, s2, ... in the
    params of the next ones: call session/open '{"id": "ID"}' session/getView '{"session": "s1"}'.
    """
    calls = list(_calls(words))
    for method, _ in calls:
        if method in _OF_CONNECTIONS or not run.here.serves(method):
            raise click.UsageError(f"no method is called {method}; docs/methods.md lists all")
    for method, params in calls:
        result = await run.here.call_raw(method, **params)
        while follow and not run.here.notifications.empty():
            _print(run, *run.here.notifications.get_nowait())
        run.screen.raw(result)
        run.screen.file.flush()
    while follow:
        _print(run, *await run.here.notifications.get())
        run.screen.file.flush()


def _print(run: Run, method: str, params: Any) -> None:
    run.screen.raw(json.dumps({"method": method, "params": params}).encode())


def _calls(words: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield methods, each with its params, whose values stay JSON as it was typed."""
    remaining = list(words)
    while remaining:
        method, params = remaining.pop(0), dict[str, Any]()
        if method.lstrip()[:1] in {"{", "["}:
            raise click.UsageError(f"these params follow no method: {method}")
        if remaining and remaining[0].lstrip()[:1] in {"{", "["}:
            given = remaining.pop(0)
            try:
                members = raw_members(given.encode(errors="surrogateescape"))
            except ValueError:
                raise click.UsageError(f"params must be an object in JSON: {given}") from None
            params = {name: Raw(value) for name, value in members.items()}
        yield method, params
