"""`sessiond sync`: the same sessions on two machines, over ssh or through a folder."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

from sessiond.cli.astext import clean
from sessiond.cli.command import command, flag
from sessiond.cli.days import When, period
from sessiond.cli.running import FOUND_PROBLEMS, Run
from sessiond.cli.values import NotEmpty, OneOf, profiles
from sessiond.files import workers
from sessiond.runtime.errors import SessiondError

_FAR_SECONDS = 60.0
"""How often `--watch` looks at the other side, which sends no notifications."""
_PAUSE_SECONDS = 2.0
"""An agent that works writes many lines one after another."""

_KINDS = {
    "session": "session",
    "entries": "entries",
    "bytes": "continuation",
    "deletion": "to the trash",
}


@command("sync")
@click.argument("target", type=NotEmpty("target"), required=False)
@flag("-n", "--dry-run", text="Say what would move, and change nothing.")
@flag("--watch", text="Go on until interrupted.")
@flag("--pull", text="Change only this side.")
@flag("--push", text="Change only the other side.")
@flag("--deletions", text="Also move to the trash what the other side has moved there.")
@click.option("--project", metavar="DIR", help="Only sessions of the project of DIR.")
@click.option(
    "--agent", "agents", type=OneOf("NAME", profiles), multiple=True, help="Only this agent's."
)
@click.option("--since", type=When(), metavar="WHEN", help="Only those that changed since then.")
@click.option(
    "--map",
    "mapping",
    metavar="OLD=NEW",
    multiple=True,
    help="The directory OLD here is NEW on the other side.",
)
@click.option(
    "--program", metavar="PATH", help="How sessiond is called on HOST (default sessiond)."
)
@flag("--answer", text="Answer another `sessiond sync` on standard input.")
async def main(
    run: Run, target: str | None, *, watch: bool, answer: bool, **options: Any
) -> int | None:
    """Keep the same sessions on two machines, over ssh or in a folder.

    TARGET is HOST, as ssh names it, or a directory that several machines may use: name it with a
    slash, such as ./DIR. Entries that one side lacks are added to its files, each on its branch.
    """
    if answer:
        await _answer(run)
        return None
    if target is None:
        raise click.UsageError("name HOST or a directory")
    params = _params(target, **options)
    if not watch:
        result = await run.answer("catalog/sync", **params)
        return _put(run, result, is_trial=options["dry_run"])
    await run.daemon.call("catalog/subscribe")
    while True:
        try:
            result = await run.answer("catalog/sync", **params)
            _put(run, result, is_trial=options["dry_run"])
        except SessiondError as error:
            # The network may come back.
            run.tell(f"sessiond: {error.message}")
        sys.stdout.flush()
        await _change(run)


def _params(target: str, **options: Any) -> dict[str, Any]:
    """Return the params of `catalog/sync`. Raises UsageError."""
    if options["pull"] and options["push"]:
        raise click.UsageError("--pull goes without --push; without both, both sides change")
    direction = next((name for name in ("pull", "push") if options[name]), None)
    is_directory = "/" in target or target in (".", "..", "~")
    return {
        "directory" if is_directory else "host": target if is_directory else target.rstrip(":"),
        "program": options["program"],
        "direction": direction,
        "dryRun": options["dry_run"],
        "deletions": options["deletions"],
        "agents": list(options["agents"]) or None,
        "project": options["project"],
        "since": period(None, options["since"], None).times()["since"],
        "map": [_mapped(each) for each in options["mapping"]] or None,
    }


def _mapped(text: str) -> dict[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise click.UsageError(f"{text} is not OLD=NEW")
    return {"here": old, "there": new}


def _put(run: Run, result: Mapping[str, Any], *, is_trial: bool) -> int:
    """Print what moved; returns the exit code."""
    for each in result["problems"]:
        run.tell(f"{each['name']}: {each['message']}")
    if not run.json:
        for each in result["moves"]:
            arrow = "<-" if each["direction"] == "pull" else "->"
            count = f" {each['entries']}" if "entries" in each else ""
            words = (arrow, f"{_KINDS.get(each['kind'], each['kind'])}{count}", each["session"])
            run.screen.raw(clean("  ".join((*words, each["cwd"]))).encode(errors="replace"))
        verb = "would move" if is_trial else "moved"
        run.tell(f"{result['compared']} sessions compared, {len(result['moves'])} {verb}")
    return FOUND_PROBLEMS if result["problems"] else 0


async def _change(run: Run) -> None:
    """Wait until sessions have changed here, or until it is time to look at the other side."""
    notifications = run.here.notifications
    try:
        async with asyncio.timeout(_FAR_SECONDS):
            while (await notifications.get())[0] != "catalog/didChange":
                pass
        await asyncio.sleep(_PAUSE_SECONDS)
    except TimeoutError:
        pass
    while not notifications.empty():
        notifications.get_nowait()


async def _answer(run: Run) -> None:
    """Be the other side of a sync whose program is at the other end of the pipes."""
    from sessiond.sync.methods.sync import side_of
    from sessiond.sync.remote import answer

    run.here.expect_writable()
    client = run.here.client
    client.engine.source.refuse("sync", client.places.listed_dir)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await answer(side_of(client), reader, _Output())


class _Output:
    """Standard output, which may be a file."""

    def __init__(self) -> None:
        self._data: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keep bytes until `drain`."""
        self._data.append(data)

    async def drain(self) -> None:
        """Write what was kept, in a thread."""
        data, self._data = b"".join(self._data), []
        await workers.undisturbed(self._write, memoryview(data))

    def _write(self, data: memoryview) -> None:
        while data:
            data = data[os.write(1, data) :]
