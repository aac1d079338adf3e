"""Start processes that index files, and give them work."""

from __future__ import annotations

import os
import select
from typing import Self

import msgspec

from sessiond.catalog.index.helper import Done, IndexBatch
from sessiond.catalog.message_text import Alive
from sessiond.front.place import BUILD
from sessiond.processes import start_python

MOST = 2
"""Helpers of a daemon, at most; fewer with one processor."""

_TICK_MS = 50
_MODULE = "sessiond.catalog.index.helper"


class NoHelper(Exception):
    """The process could not be started, or has ended."""


class Helper:
    """A process that indexes files; ends when the block is left."""

    def __init__(self, database: str) -> None:
        """Start it. Raises NoHelper."""
        try:
            self._process = start_python("-m", _MODULE, database, BUILD)
        except OSError as error:
            raise NoHelper(str(error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # With work left to do, the text that it has read is lost, and nothing else.
        if not self._is_idle:
            self._process.kill()
        with self._process:
            pass

    _is_idle = True

    def index(self, paths: list[str], roots: tuple[str, ...] | None, alive: Alive) -> Done:
        """Index a batch of files. Raises NoHelper, and whatever `alive` raises."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        digits = [os.fsencode(path).hex() for path in paths]
        batch = IndexBatch(None if roots is None else list(roots), digits)
        self._is_idle = False
        try:
            self._process.stdin.write(msgspec.json.encode(batch) + b"\n")
        except OSError as error:
            raise NoHelper(str(error)) from None
        done = msgspec.json.decode(self._line(alive), type=Done)
        self._is_idle = True
        return done

    def _line(self, alive: Alive) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        output = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        line = b""
        while not line.endswith(b"\n"):
            alive()
            if not poll.poll(_TICK_MS):
                continue
            part = os.read(output, 64 * 1024)
            if not part:
                raise NoHelper("It has ended")
            line += part
        return line
