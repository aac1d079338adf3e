"""`sessiond daemon`: the shared daemons of this user, found by their sockets."""

from __future__ import annotations

import glob
import json
import os
from collections import deque
from typing import Any

import click

from sessiond.cli.astext import clean
from sessiond.cli.command import Group, flag, number, standalone
from sessiond.shared.front import wire
from sessiond.shared.front.main import ask
from sessiond.shared.front.place import Refused, private_directory

_NONE_FOUND = 1


@standalone("status")
@flag("--json", "as_json", text="Print JSON.")
def status(*, as_json: bool) -> int:
    """Show the shared daemons of this user and who is connected."""
    running = _ask_all(wire.STATUS)
    if as_json:
        click.echo(json.dumps(running, indent=2))
    else:
        for daemon in running:
            _print(daemon)
    return _found(bool(running))


@standalone("stop")
def stop() -> int:
    """End the shared daemons of this user; running requests are finished."""
    stopped = _ask_all(wire.END)
    for daemon in stopped:
        count = len(daemon["connections"])
        click.echo(f"process {daemon['pid']} ends, with {_count(count, 'connection')}")
    return _found(bool(stopped))


@standalone("logs")
@number("-n", "lines", text="How many lines of each (default 50).", default=50)
def logs(*, lines: int) -> int:
    """Print the newest lines of the logs of shared daemons."""
    # Also of daemons that have ended.
    paths = _files(".log")
    for path in paths:
        if len(paths) > 1:
            click.echo(f"==> {path} <==")
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in deque(file, maxlen=lines):
                click.echo(clean(line.rstrip("\n")))
    return _found(bool(paths), "no shared daemon has written a log")


def _found(any_found: bool, otherwise: str = "no shared daemon runs") -> int:
    if any_found:
        return 0
    click.echo(f"sessiond: {otherwise}", err=True)
    return _NONE_FOUND


def _files(suffix: str) -> list[str]:
    try:
        directory = private_directory(os.environ)
    except Refused as error:
        click.echo(f"sessiond: {error}", err=True)
        return []
    return sorted(glob.glob(f"{glob.escape(directory)}/*{suffix}"))


def _ask_all(wish: str) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    for path in _files(".sock"):
        try:
            answers.append(json.loads(ask(path, wish)))
        except ConnectionRefusedError:
            # Left by a daemon that was killed; the next front removes it.
            continue
        except (OSError, Refused) as error:
            click.echo(f"sessiond: {path}: {error}", err=True)
    return answers


def _print(daemon: dict[str, Any]) -> None:
    up, memory = _duration(daemon["uptimeMs"]), _megabytes(daemon["memoryBytes"])
    documents = _count(daemon["documents"], "document")
    click.echo(f"process {daemon['pid']}, version {daemon['version']}, up {up}, memory {memory}")
    click.echo(f"  {documents} in memory, {_megabytes(daemon['cacheBytes'])}")
    click.echo(f"  log {clean(daemon['log'])}")
    for each in daemon["connections"]:
        click.echo(clean(_connection(each)))


def _connection(each: dict[str, Any]) -> str:
    return (
        f"  {each['pid']:>8}  {each['client'] or '(unnamed)'}  {each['profile']}  "
        f"{_count(each['openSessions'], 'session')} open  "
        f"since {_duration(each['connectedMs'])}  {each['cwd']}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _duration(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


main = Group(
    "daemon",
    "Show or end the daemons that clients share with `sessiond --shared`.",
    *(status, stop, logs),
)
