"""Run a command in a terminal, so that it prints what people see."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COLUMNS = 96
LINES = 60
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def environment(home: Path) -> dict[str, str]:
    """Return variables with which a command finds only the sessions below a home directory."""
    kept = {name: os.environ[name] for name in ("PATH", "TZ", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PAGER": "cat",
        "SESSIOND_SHARED": "0",
        "TERM": "xterm-256color",
        "XDG_RUNTIME_DIR": str(home),
    }


class Terminal:
    """The screen of a command that runs."""

    def __init__(self, screen: int) -> None:
        self._screen = screen
        self.shown = ""

    def until(self, text: str) -> str:
        """Read until the command has printed this text, or has ended; returns everything."""
        # Within coloured code styles stand between the words.
        while text not in STYLES.sub("", self.shown) and self.read():
            pass
        return self.shown

    def rest(self) -> str:
        """Read until the command has ended; returns everything that it printed."""
        while self.read():
            pass
        return self.shown.rstrip("\n")

    def read(self) -> bool:
        try:
            new = os.read(self._screen, 65536)
        except OSError:  # the end of a terminal on Linux
            return False
        self.shown += new.decode(errors="replace").replace("\r\n", "\n")
        return bool(new)


@contextmanager
def running(words: list[str], home: Path, cwd: str | Path = "/") -> Iterator[Terminal]:
    """Run a command in a terminal of its own; it is ended when the block ends."""
    screen, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = subprocess.Popen(words, **streams, cwd=cwd, env=environment(home))
    os.close(theirs)
    try:
        yield Terminal(screen)
    finally:
        process.terminate()
        process.wait()
        os.close(screen)


_ERASED = re.compile(r"[^\n]*\r\x1b\[K")


def output(words: list[str], home: Path, cwd: str | Path = "/") -> str:
    """Return what a command leaves on the screen, with its colours; `STYLES` matches them."""
    with running(words, home, cwd) as terminal:
        # A slow machine sees how far it is, on a line that is erased.
        return _ERASED.sub("", terminal.rest())
