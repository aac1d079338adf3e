"""A thread that reports the changes in one fixed set of directories.

The changes come from watchfiles, or from polling if the system cannot report them or has reached
its limits.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable

from sessiond.files import disk, polling
from sessiond.files.polling import Event

_STEP = 0.005
"""Seconds between two looks for changes; they are reported after one or two steps."""
_IDLE_STEP = 0.065
"""The same after a while without changes: every look wakes the processor up."""
_LIVELY_SECONDS = 5.0
"""How long the short step is kept after the last change."""
_DEBOUNCE = 0.05
"""A report is sent after this time even if changes keep coming."""


class WatchSource:
    """Watches directories from `start` to `stop` or an error."""

    def __init__(
        self,
        directories: Iterable[str],
        matters: Callable[[str], object],
        *,
        polls: bool,
        is_settled: bool,
    ) -> None:
        """`directories` are real paths; `matters` tells which names of files to compare."""
        self.directories = set(directories)
        """The directories whose changes are reported; one that was removed does not count any
        more."""
        self.polls = polls
        self.is_settled = is_settled
        """Whether it watches everything that was asked for when it was made."""
        self.has_begun = False
        self._matters = matters
        self._loop = asyncio.get_running_loop()
        self._news: asyncio.Queue[set[Event] | BaseException | None] = asyncio.Queue()
        self._stop = threading.Event()
        self._is_watching = False
        self._lively_until = 0.0
        self._thread = threading.Thread(
            target=disk.in_context(self._run), name="sessiond watch", daemon=True
        )

    async def news(self) -> set[Event] | BaseException | None:
        """Wait for changes, of which the first are none and tell that watching has begun.

        Or why watching ends, if it was not stopped. None is the last.
        """
        return await self._news.get()

    def start(self) -> None:
        """Raises RuntimeError if the system cannot start a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Let the thread end soon; what it still reports does not matter."""
        self._stop.set()

    def join(self) -> None:
        """Wait for the thread, which has reported its end, to finish."""
        self._thread.join()

    def _run(self) -> None:
        try:
            directories = sorted(self.directories)
            with contextlib.closing(
                self._polled(directories) if self.polls else self._reported(directories)
            ) as batches:
                for events in batches:
                    self._lively_until = time.monotonic() + _LIVELY_SECONDS
                    self._tell(events)
        except BaseException as error:  # noqa: BLE001 - passed on to the event loop
            self._tell(error)
        self._tell(None)

    def _reported(self, directories: list[str]) -> Generator[set[Event]]:
        """Changes as the system reports them.

        Each directory is watched separately, also those below a recursive one: when asked to
        recurse, watchfiles fails at the first directory that it may not read, or silently skips
        the rest if set to ignore that. Its environment variables have no effect here.
        """
        # It takes some milliseconds, which no command needs.
        import watchfiles

        # It logs every change at level INFO; with a log file in a watched directory that would
        # never end.
        logging.getLogger("watchfiles").setLevel(logging.WARNING)
        batches = watchfiles.watch(
            *directories,
            watch_filter=None,
            debounce=round(_DEBOUNCE * 1000),
            step=round(_STEP * 1000),
            stop_event=self,
            rust_timeout=0,  # at a timeout it may lose changes that arrive at that moment
            debug=False,
            force_polling=False,
            recursive=False,
            ignore_permission_denied=False,  # it would also ignore the system's limits
        )
        for batch in batches:
            yield {(change == watchfiles.Change.deleted, path) for change, path in batch}

    def is_set(self) -> bool:
        """Whether to stop: watchfiles asks in every step, the first time once it watches."""
        self._begin()
        # Waiting here makes the step longer, which its own argument cannot while it runs.
        if time.monotonic() > self._lively_until:
            time.sleep(_IDLE_STEP - _STEP)
        return self._is_stopped()

    def _polled(self, directories: list[str]) -> Generator[set[Event]]:
        for events in polling.changes(directories, self._matters, self._stop.wait):
            self._begin()
            if self._is_stopped():
                return
            if events:
                yield events

    def _begin(self) -> None:
        if not self._is_watching:
            self._is_watching = True
            self._lively_until = time.monotonic() + _LIVELY_SECONDS
            self._tell(set())

    def _is_stopped(self) -> bool:
        return self._stop.is_set() or self._loop.is_closed()

    def _tell(self, news: set[Event] | BaseException | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._news.put_nowait, news)
        except RuntimeError:
            # The event loop is closed; end the thread.
            self._stop.set()
