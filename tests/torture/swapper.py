"""The attacker of the campaign `escapes`: replaces directories and files by links continuously.

    python swapper.py <inside> <outside> <seed>

Below `inside` it creates the tree of `every_method.lay`, and replaces parts of it, one at a time,
by links to the same names below `outside`. It reads commands, one per line, from stdin and answers
each with a line on stdout: `lay` restores everything and stops, `go` starts replacing, `count`
stops and answers the number of replacements.
"""

from __future__ import annotations

import ctypes
import os
import random
import select
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from support.every_method import lay

_AT_FDCWD = -100
_EXCHANGE = 2
_TIMES = 10
_SESSIONS = "state/agents/main/sessions"
DIRECTORIES = ("state", "state/agents", "state/agents/main", _SESSIONS, "state/sessions", "work")
FILES = (
    *(f"{_SESSIONS}/{name}.jsonl" for name in ("s1", "s2", "s3", "old", "damaged", "gone")),
    f"{_SESSIONS}/sessions.json",
    "state/coderclaw.json",
    "state/sessions/sessions.json",
    "state/sessions/l1.jsonl",
    "work/page.html",
)


class Swapper:
    def __init__(self, inside: Path, outside: Path, seed: int) -> None:
        self._inside = inside
        self._outside = outside
        self._chance = random.Random(seed)
        self._exchange = _exchange_of_libc() or _exchange_in_steps
        self.swaps = 0

    def lay(self) -> None:
        for entry in self._inside.iterdir():
            shutil.rmtree(entry)
        lay(self._inside / "state")

    def swap(self) -> None:
        """Replace one name by a link and back, several times."""
        name = self._chance.choice(self._chance.choice((DIRECTORIES, FILES)))
        path, spare = self._inside / name, self._inside / f"{name}.way"
        with suppress(OSError):
            spare.symlink_to(self._target(name))
        pause = self._chance.choice((0, 300, 3000))
        with suppress(OSError):
            for _ in range(_TIMES):
                self._exchange(path, spare)
                self.swaps += 1
                for _ in range(pause):
                    os.getpid()
                self._exchange(path, spare)
        self._heal(path, spare)
        self._link()

    def _target(self, name: str) -> str:
        real = str(self._outside / name)
        up = "../" * len(Path(name).parents)
        return self._chance.choice(
            (
                real,
                f"{up}{self._outside.name}/{name}",
                f"/proc/self/root{real}",
                f"/proc/{os.getpid()}/root{real}",
                f"/proc/{os.getpid()}/cwd/{name}",
                f"{self._inside}/{up}{self._outside.name}/{name}",
            )
        )

    def _heal(self, path: Path, spare: Path) -> None:
        """Restore the names; the daemon may have removed one of the two meanwhile."""
        with suppress(OSError):
            if os.path.lexists(spare) and not spare.is_symlink():
                os.rename(spare, path)
        for each in (spare, path):
            with suppress(OSError):
                if each.is_symlink():
                    each.unlink()

    def _link(self) -> None:
        """Create a second name for a file inside."""
        one, other = (self._inside / self._chance.choice(FILES) for _ in range(2))
        hard = other.with_name("hard")
        with suppress(OSError):
            hard.unlink()
        with suppress(OSError):
            os.link(one, hard, follow_symlinks=False)


def _exchange_of_libc() -> Callable[[Path, Path], None] | None:
    """Exchange two names, in one step if the system supports that."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return None

    def exchange(one: Path, other: Path) -> None:
        if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) != 0:
            raise OSError(ctypes.get_errno(), "renameat2")

    return exchange


def _exchange_in_steps(one: Path, other: Path) -> None:
    third = f"{one}.third"
    os.rename(one, third)
    os.rename(other, one)
    os.rename(third, other)


def main(inside: Path, outside: Path, seed: int) -> None:
    # Its working directory is outside: /proc/<pid>/cwd leads there.
    os.chdir(outside)
    swapper = Swapper(inside, outside, seed)
    active = False
    while True:
        if not active or select.select([sys.stdin], [], [], 0)[0]:
            command = sys.stdin.buffer.raw.readline().decode().strip()  # type: ignore[union-attr]
            if not command:
                return
            active = command == "go"
            if command == "lay":
                swapper.lay()
            print(swapper.swaps, flush=True)
        if active:
            swapper.swap()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
