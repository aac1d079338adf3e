"""What the campaign `shortages` takes away: context managers that take it and give it back."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
from support.every_method import lay

from torture.campaigns import Settings

_DISK = "64m"
_PAGE = 4096
_YEAR = 365 * 86400


def _nothing() -> None:
    return


@attrs.define
class Stage:
    """The directories of one daemon, which all lie below `directory`, and the daemon's process."""

    directory: Path
    chance: random.Random
    is_small: bool
    """Whether `directory` is a disk of its own, which can be filled."""
    settings: Settings
    pid: int = 0
    before_each: Callable[[], None] = _nothing
    """Called before each request while something is lacking."""
    only_appends: bool = False
    """Whether requests that create files would be in the way of what comes back."""
    others_write: bool = True
    """Whether another program can write whole lines."""

    @property
    def state(self) -> Path:
        return self.directory / "state"

    @property
    def sessions(self) -> Path:
        return self.state / "agents" / "main" / "sessions"

    @property
    def ledgers(self) -> list[Path]:
        """Session files that no request but `session/open` and appends is about."""
        return [self.sessions / f"ledger{number}.jsonl" for number in range(3)]

    @property
    def large(self) -> Path:
        """A large session file."""
        return self.sessions / "large.jsonl"

    def lay(self) -> None:
        """Make the files that requests of `every_method` are about, or make them anew."""
        lay(self.state)
        self.settings.give_away(self.state)

    @property
    def is_calm(self) -> bool:
        """Whether the files change only through requests and other programs' appends."""
        return self.before_each is _nothing


Lack = Callable[[Stage], contextlib.AbstractContextManager[None]]


@contextmanager
def small_disk(directory: Path) -> Iterator[bool]:
    """Mount a small tmpfs at `directory`, where that is permitted; yields whether it was."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "none", str(directory)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


@contextmanager
def _limited(stage: Stage, kind: str, soft: int) -> Iterator[None]:
    """Set a soft limit of the daemon: a name as prlimit(1) has it."""

    def run(*arguments: str) -> str:
        # As the daemon's user: to be root is not enough everywhere.
        command = stage.settings.unprivileged("prlimit", "--pid", str(stage.pid), *arguments)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    before = run(f"--{kind}", "--raw", "--noheadings", "--output", "SOFT").strip()
    run(f"--{kind}={soft}:")
    try:
        yield
    finally:
        # Of a daemon that has ended, its client will tell.
        with contextlib.suppress(subprocess.CalledProcessError):
            run(f"--{kind}={before}:")


@contextmanager
def descriptors(stage: Stage) -> Iterator[None]:
    """No descriptor can be opened, or only a few."""
    used = {int(name) for name in os.listdir(f"/proc/{stage.pid}/fd")}
    free = next(number for number in itertools.count() if number not in used)
    with _limited(stage, "nofile", free + stage.chance.choice([0, 0, 1, 2, 6])):
        yield


@contextmanager
def file_size(stage: Stage) -> Iterator[None]:
    """No file may be larger than some size."""
    size = max(path.stat().st_size for path in stage.ledgers) + 100
    with _limited(stage, "fsize", stage.chance.choice([0, 1000, size, 50_000])):
        yield


@contextmanager
def room(stage: Stage) -> Iterator[None]:
    """The disk is full, or nearly so."""
    if not stage.is_small:
        with file_size(stage):
            yield
        return
    filler = stage.directory / "filler"
    stage.others_write = False
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(b"x" * (1 << 20)):
            pass
    pages = filler.stat().st_size // _PAGE - stage.chance.choice([0, 0, 1, 9])
    os.truncate(filler, pages * _PAGE)
    try:
        yield
    finally:
        filler.unlink()
        stage.others_write = True


@contextmanager
def rights(stage: Stage) -> Iterator[None]:
    """Directories or files, or both, may only be read."""
    which = stage.chance.choice(["directories", "files", "both"])
    before = {}
    for path in (stage.state, *stage.state.rglob("*")):
        if which == "both" or path.is_dir() == (which == "directories"):
            before[path] = path.stat().st_mode & 0o777
    for path, mode in before.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in before.items():
            if path.exists():
                path.chmod(mode)


@contextmanager
def directory(stage: Stage) -> Iterator[None]:
    """The directory of the sessions is away, and comes back: itself, or another one like it."""
    sessions, away = stage.sessions, stage.sessions.with_name("away")

    def leave() -> None:
        sessions.rename(away)

    def come() -> None:
        if sessions.exists():
            raise AssertionError(f"was made while it was away: {list(sessions.iterdir())}")
        away.rename(sessions)

    def flicker() -> None:
        if stage.chance.random() < 0.3:
            (come if away.exists() else leave)()

    stage.only_appends = True
    way = stage.chance.choice(["away", "copied", "flickers"])
    if way == "flickers":
        stage.before_each = flicker
    else:
        leave()
    try:
        yield
    finally:
        stage.before_each, stage.only_appends = _nothing, False
        if away.exists():
            come()
        if way == "copied":
            leave()
            shutil.copytree(away, sessions)
            for path in (sessions, *sessions.iterdir()):
                seen = away.stat()
                with contextlib.suppress(PermissionError):
                    os.chown(path, seen.st_uid, seen.st_gid)
            shutil.rmtree(away)


@contextmanager
def clock(stage: Stage) -> Iterator[None]:
    """The times of files jump between requests, and so do single bytes of them."""

    def jump() -> None:
        path = stage.chance.choice(list(stage.ledgers))
        with path.open("r+b") as file:
            # Of the same length, so that only the times can tell.
            file.seek(path.read_bytes().index(b"said ") + 5)
            file.write(b"%d" % stage.chance.randrange(10))
        now = path.stat().st_mtime
        to = stage.chance.choice([0, now - _YEAR, now - 1, now, now + 1, now + 50 * _YEAR])
        os.utime(path, (to, to))

    stage.before_each = jump
    try:
        yield
    finally:
        stage.before_each = _nothing


LACKS: tuple[Lack, ...] = (descriptors, room, rights, directory, clock, file_size)
