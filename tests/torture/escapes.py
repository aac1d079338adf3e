"""Replace directories and files by links out of `--root` while calling every method.

Another process without privileges swaps, some hundred times a second, parts of the tree inside for
links to a tree outside that has the same names. A daemon with `--root` answers every request of
`every_method` meanwhile; in every second round it is one with `--read-only` as well. No byte
outside may change, no answer may tell what is in it or what it is called, and with `--read-only` no
byte inside may change either.
"""

from __future__ import annotations

import asyncio
import collections
import hashlib
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from support.client import Client, RpcError
from support.every_method import Filling, every_request, lay
from support.process import isolated_environment

from torture.campaigns import Figures, Settings, Violation
from torture.watched import SILENCE_SECONDS, digest, expect_unchanged, result_of, watched

_NAME = b"canary-tree"
_CONTENT = b"canary-secret"
_SWAPPER = Path(__file__).with_name("swapper.py")
_IMPORTS = os.pathsep.join(
    str(Path(__file__).parents[2] / directory) for directory in ("", "tests")
)
_HANDED_OUT = ("session/open", "session/inMemory")


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    inside, outside, home = (settings.directory / name for name in ("in", _NAME.decode(), "home"))
    for directory in (inside, outside, home):
        directory.mkdir()
    _lay_canary(outside)
    settings.give_away(inside, outside, home)
    before = digest([outside])
    where = ["--profile", "coderclaw", "--agent-dir", str(inside / "state"), "--root", str(inside)]
    async with (
        _swapper(settings, inside, outside) as swapper,
        watched(settings, home, *where) as writing,
        watched(settings, home, *where, "--read-only") as reading,
    ):
        # The tasks end with the daemons' output.
        listening = [asyncio.create_task(_listen(each.client)) for each in (writing, reading)]
        for number in range(settings.rounds):
            daemon = reading if number % 2 else writing
            await swapper.tell("lay")
            laid = _contents(inside)
            await swapper.tell("go")
            await _round(daemon.client, inside, number, figures)
            figures["swaps"] = int(await swapper.tell("count"))
            for each in listening:
                if each.done():
                    each.result()
            expect_unchanged(before, [outside], f"round {number}")
            if daemon is reading and _contents(inside) != laid:
                raise Violation(f"a byte inside was changed with --read-only in round {number}")
    await asyncio.gather(*listening)
    return dict(figures)


def _lay_canary(outside: Path) -> None:
    """Create the same tree as inside, with other contents, and with names that occur only here."""
    lay(outside / "state")
    (outside / "work" / "page.html").write_text("")
    for path in sorted(outside.rglob("*.json*")):
        text = path.read_text().replace("said", f"said {_CONTENT.decode()}")
        path.write_text(text.replace('"sessionId"', f'"label": "{_CONTENT.decode()}", "sessionId"'))
        path.with_name(f"{_CONTENT.decode()}-{path.name}").write_text(path.read_text())
    (outside / "state" / "agents" / _CONTENT.decode() / "sessions").mkdir(parents=True)
    config = outside / "state" / "coderclaw.json"
    config.write_text(json.dumps({"agents": {"list": [{"id": _CONTENT.decode()}]}}))


async def _round(
    client: Client, inside: Path, number: int, figures: collections.Counter[str]
) -> None:
    filling, handles = Filling(), []
    for asked in every_request(inside / "state"):
        params = filling.filled(asked.params)
        # The other requests need an open session.
        for _ in range(100 if asked.method in _HANDED_OUT else 3):
            try:
                result = await _answered(client, asked.method, params)
            except RpcError as error:
                figures[f"refused ({error.kind})"] += 1
                continue
            figures["answered"] += 1
            filling.keep(asked.method, result)
            if asked.method in _HANDED_OUT:
                handles.append(result["session"])
            break
    for handle in handles:
        with suppress(RpcError):
            await _answered(client, "session/close", {"session": handle})
    figures["rounds that read only" if number % 2 else "rounds that write"] += 1


async def _answered(client: Client, method: str, params: dict[str, Any]) -> Any:
    answer = client.start(method, params)
    try:
        received = await asyncio.wait_for(answer, SILENCE_SECONDS)
    except TimeoutError:
        raise Violation(f"no answer within {SILENCE_SECONDS} s: {method}") from None
    _check(received.raw, (method, params))
    return result_of(received.value, (method, params))


def _check(raw: bytes, request: object) -> None:
    for secret in (_NAME, _CONTENT):
        if secret in raw:
            at = raw.index(secret)
            told = raw[max(0, at - 200) : at + 200]
            raise Violation(f"told of what lies outside: {told!r} for {request}")


async def _listen(client: Client) -> None:
    """Check the notifications of the daemon."""
    with suppress(EOFError):
        while True:
            with suppress(TimeoutError):
                _check((await client.receive()).raw, "a notification")


def _contents(inside: Path) -> list[str]:
    """The contents of the files inside, under their present names."""
    files = [path for path in inside.rglob("*") if path.name != "hard" and not path.is_symlink()]
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file())


class _Swapper:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def tell(self, command: str) -> str:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(command.encode() + b"\n")
        line = await asyncio.wait_for(self._process.stdout.readline(), SILENCE_SECONDS)
        if not line:
            raise RuntimeError("the swapping process has ended")
        return line.decode().strip()


@asynccontextmanager
async def _swapper(settings: Settings, inside: Path, outside: Path) -> AsyncIterator[_Swapper]:
    process = await asyncio.create_subprocess_exec(
        *settings.unprivileged(
            sys.executable, str(_SWAPPER), str(inside), str(outside), str(settings.seed)
        ),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=isolated_environment(settings.directory / "home", PYTHONPATH=_IMPORTS),
    )
    try:
        yield _Swapper(process)
    finally:
        assert process.stdin
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), SILENCE_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
