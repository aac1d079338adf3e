"""Let every changing system call of an operation fail, one after another.

An operation is repeated with a fault at its first changing call, at the second, and so on, until it
makes fewer. From that call on, or only then, the system answers ENOSPC, EIO or EDQUOT, or writes a
part of what it gets. What was there before and what was acknowledged is in some file afterwards, no
answer is an internal error, nothing is logged with a traceback, and once the fault is over the
daemon appends to the session again.
"""

from __future__ import annotations

import collections
import errno
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from sessiond_protocol.errors import INVALID_PARAMS
from support.app import daemon, user
from support.client import RpcError
from support.session_lines import header, line

from torture.campaigns import Figures, Settings, Violation
from torture.watched import Watched, no_tracebacks

_ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
_BY_NAME = ("link", "rename", "unlink", "symlink", "mkdir", "rmdir")
_BY_DESCRIPTOR = ("write", "writev", "pwrite", "ftruncate", "fsync", "fchmod")
_MOST_CALLS = 40
_TEXT = "kept"


@attrs.define
class Faults:
    """Fails changing calls below a directory while it is armed."""

    home: Path
    number: int = 0
    error: int = 0
    lasts: bool = False
    is_short: bool = False
    armed: bool = False
    calls: int = 0

    def arm(self, number: int, chance: random.Random) -> None:
        """Let the call with this number, from 0, fail."""
        self.number, self.calls, self.armed = number, 0, True
        self.error = chance.choice(_ERRORS)
        self.lasts, self.is_short = chance.random() < 0.5, chance.random() < 0.3

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for name in (*_BY_NAME, *_BY_DESCRIPTOR, "open"):
            patch.setattr(os, name, self._failing(name, getattr(os, name)))

    def _failing(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def failing(*args: Any, **more: Any) -> Any:
            if not (self.armed and self._changes(name, args, more)):
                return call(*args, **more)
            at, self.calls = self.calls, self.calls + 1
            if at < self.number or (at > self.number and not self.lasts):
                return call(*args, **more)
            if name == "write" and self.is_short and at == self.number and len(args[1]) > 1:
                return call(args[0], bytes(args[1])[: len(args[1]) // 2])
            raise OSError(self.error, os.strerror(self.error))

        return failing

    def _changes(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> bool:
        """Whether a call would change something below the directory."""
        if name == "open" and not args[1] & (os.O_CREAT | os.O_TRUNC):
            return False
        if name in _BY_DESCRIPTOR:
            place = f"/proc/self/fd/{args[0]}"
        else:
            below = next((more[key] for key in ("dir_fd", "src_dir_fd") if more.get(key)), None)
            place = os.fsdecode(args[0]) if below is None else f"/proc/self/fd/{below}"
        real = os.path.realpath(place)
        return real.startswith(f"{self.home}/") and "/.cache/" not in real


Operation = tuple[str, dict[str, Any]]


def _operations(home: Path, path: str, number: str) -> list[Operation]:
    """Return the operations on a session; HANDLE is that of the open session."""
    return [
        ("session/appendMessage", {"session": "HANDLE", "message": user(f"{_TEXT} {number}")}),
        ("session/create", {"cwd": f"/w{number}"}),
        ("session/forkFrom", {"sourcePath": path, "targetCwd": f"/f{number}"}),
        ("catalog/rename", {"path": path, "name": f"name {number}"}),
        ("catalog/repair", {"path": path, "dryRun": False}),
        ("catalog/export", {"path": path, "format": "html", "outputPath": f"{home}/{number}.html"}),
        ("catalog/delete", {"path": path}),
        ("catalog/restore", {"path": path}),
    ]


async def run(settings: Settings) -> Figures:
    figures: collections.Counter[str] = collections.Counter()
    for number in range(settings.rounds):
        home = settings.directory.resolve() / str(number)
        await _round(home, settings.random("faults", number), figures)
    return dict(figures)


async def _round(home: Path, chance: random.Random, figures: collections.Counter[str]) -> None:
    file = home / ".pi" / "agent" / "sessions" / "--w--" / "s.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(header() + line("a", None, _TEXT) + line("b", "a", _TEXT))
    faults = Faults(home)
    expected = {each.encode() for each in file.read_text().splitlines()}
    kind = chance.randrange(len(_operations(home, "", "")))
    with pytest.MonkeyPatch.context() as patch, no_tracebacks():
        faults.install(patch)
        async with daemon(home, watch="off", lock_timeout=0.1) as client:
            watched = Watched(client, 0)
            for at in range(_MOST_CALLS):
                method, params = _operations(home, str(file), str(at))[kind]
                expected |= await _prepared(watched, file, method, at)
                handle = ""
                if "session" in params:
                    opened = await watched.ask("session/open", {"path": str(file)})
                    handle = opened["session"]
                    params = {**params, "session": handle}
                faults.arm(at, chance)
                answer = await watched.attempt(method, params)
                faults.armed = False
                figures["faults"] += 1
                if isinstance(answer, RpcError) and answer.code == INVALID_PARAMS:
                    raise Violation(f"{method}: {answer}")
                if handle and not isinstance(answer, RpcError):
                    expected.add(answer["id"].encode())
                _expect_kept(home, expected, (method, at, faults))
                if handle:
                    await watched.ask("session/close", {"session": handle})
                if faults.calls <= at:
                    break
            expected |= await _prepared(watched, file, "", _MOST_CALLS)
            _expect_kept(home, expected, "the last append")
        figures["operations"] += 1


async def _prepared(watched: Watched, file: Path, method: str, at: int) -> set[bytes]:
    """Bring the session to where the operation finds it, and append; returns what is known then."""
    if not file.exists():
        await watched.ask("catalog/restore", {"path": str(file)})
    if method == "catalog/repair":
        with file.open("a") as out:
            out.write('{"torn":\n')
    opened = await watched.ask("session/open", {"path": str(file)})
    entry = f"after-{at}"
    given = {"session": opened["session"], "message": user(_TEXT), "newEntryId": entry}
    await watched.ask("session/appendMessage", given)
    await watched.ask("session/close", {"session": opened["session"]})
    if method == "catalog/restore":
        await watched.ask("catalog/delete", {"path": str(file)})
    return {entry.encode()}


def _expect_kept(home: Path, expected: set[bytes], what: object) -> None:
    content = b"\n".join(
        path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    )
    lost = [each for each in expected if each not in content]
    if lost:
        raise Violation(f"lost {lost[:3]} by {what}")
