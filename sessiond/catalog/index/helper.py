"""A process that indexes files for a daemon.

`python -m sessiond.catalog.index.helper DATABASE BUILD` reads a line of JSON for each batch of
files and writes one when it has indexed them. It ends with its input. It has a lower priority than
the daemon, and an interpreter of its own, so that a daemon which indexes gigabytes still answers at
once.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from typing import BinaryIO

import msgspec

from sessiond.catalog.index import blocks
from sessiond.catalog.index.database import Store, Unavailable
from sessiond.catalog.index.filling import Filling
from sessiond.catalog.index.words import BlockBuilder
from sessiond.files import disk
from sessiond.front.place import BUILD
from sessiond.isolation import Abandoned, Faults

NICENESS = 10

_BUSY_SECONDS = 60.0
"""Another helper may write a block, or wait for the disk."""

_COLLECTED_AFTER = 200_000
"""New objects until the collector of garbage runs. A block has some hundred thousand lists."""


class IndexBatch(msgspec.Struct):
    """Files to index."""

    roots: list[str] | None
    """The directories that confine the client who asked for the files; None: no limit."""
    paths: list[str]
    """Each path in hexadecimal digits, because it need not be UTF-8."""


class Done(msgspec.Struct):
    """The answer to a batch."""

    moving: list[int]
    """Places in the batch of files that changed too recently to be trusted."""
    is_available: bool = True
    """Whether the store can be used; if not, the rest of the batch was not indexed."""


def main() -> None:
    """Index batches until the input ends; none if the daemon is of another build than this."""
    if sys.argv[2] != BUILD:
        return
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    # The daemon decides when this ends, also if a terminal sends the signal to both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(_COLLECTED_AFTER)
    store = Store(sys.argv[1], busy_seconds=_BUSY_SECONDS)
    with contextlib.suppress(Abandoned, BrokenPipeError):
        _Work(store).serve(sys.stdin.buffer, sys.stdout.buffer)
    store.close()


class _Work:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._builder = BlockBuilder()
        self._parent = os.getppid()

    def serve(self, source: BinaryIO, target: BinaryIO) -> None:
        for line in source:
            done = self._index(msgspec.json.decode(line, type=IndexBatch))
            target.write(msgspec.json.encode(done) + b"\n")
            target.flush()
        with contextlib.suppress(Unavailable):
            self._save()

    def _index(self, batch: IndexBatch) -> Done:
        done = Done([])
        paths = [os.fsdecode(bytes.fromhex(digits)) for digits in batch.paths]
        filling = Filling(self._store, self._alive, self._builder)
        try:
            with disk.confined(batch.roots):
                filling.add(paths, Faults())
            if self._builder.is_full:
                self._save()
        except Unavailable:
            done.is_available = False
        places = {path: place for place, path in enumerate(paths)}
        done.moving = [places[path] for path in filling.moving]
        return done

    def _save(self) -> None:
        # If it fails, the segments wait for a block that the daemon makes.
        builder, self._builder = self._builder, BlockBuilder()
        blocks.save(self._store, builder)

    def _alive(self) -> None:
        if os.getppid() != self._parent:
            raise Abandoned


if __name__ == "__main__":
    main()
