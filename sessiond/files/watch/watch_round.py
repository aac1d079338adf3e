"""One round of watching: a thread that reports changes in a fixed set of directories.

The changes come from one of three sources: inotify on Linux, watchfiles elsewhere, and polling if
the system cannot report changes or has reached its limits. It is a thread because a round also
reads directories, which can be slow.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Generator
from typing import Literal

import attrs

from sessiond.files import disk
from sessiond.files.watch import inotify, polling
from sessiond.files.watch.plan import Asked, Event, WatchPlan, make_plan

Mode = Literal["native", "polling", "off"]

_CHECK_SECONDS = 2.0


@attrs.frozen
class Timing:
    """Times in seconds; see the constants of `watcher`."""

    pause: float
    step: float
    debounce: float
    poll: float


@attrs.define
class News:
    """A message from a round's thread to the event loop."""

    changed: set[str] = attrs.Factory(set)
    """Paths that may have changed."""
    events: int = 0
    """How many changes were seen, including those outside `changed`."""
    started: bool = False
    """Whether all directories are being watched from now on."""
    stale: bool = False
    """Whether another round is needed, because the directories have changed."""
    error: BaseException | None = None
    ended: bool = False


class Round:
    """Watches one set of directories in a thread."""

    def __init__(
        self,
        asked: frozenset[Asked],
        hear: Callable[[Round, News], None],
        mode: Mode,
        timing: Timing,
    ) -> None:
        self.asked = asked
        self.plan: WatchPlan | None = None
        self._hear = hear
        self._mode = mode
        self._timing = timing
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self._inotify: inotify.Inotify | None = None
        self._started = False
        self._stale = False
        self._next_check = 0.0
        self._thread = threading.Thread(
            target=disk.in_context(self._run), name="sessiond watch", daemon=True
        )

    def start(self) -> None:
        """Raises RuntimeError if the system cannot start a thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the thread, which has reported its end, to finish."""
        self._thread.join()

    def stop(self) -> None:
        self._stop.set()
        if self._inotify:
            self._inotify.wake()

    def _run(self) -> None:
        try:
            self.plan = plan = make_plan(self.asked)
            source = self._polled if self._mode == "polling" else self._native
            with contextlib.closing(source(plan)) as batches:
                for events in batches:
                    changed, stale = plan.interpret(events)
                    self._stale |= stale
                    if changed or stale:
                        self._tell(News(changed, len(events), stale=stale))
                    elif events:
                        self._tell(News(events=len(events)))
        except BaseException as error:  # noqa: BLE001 - passed on to the event loop
            self._tell(News(error=error))
        self._tell(News(ended=True))

    def _native(self, plan: WatchPlan) -> Generator[set[Event]]:
        if not inotify.AVAILABLE:
            # Imported here because it takes some milliseconds and Linux does not need it.
            from sessiond.files.watch import steps  # noqa: PLC0415

            step, debounce = self._timing.step, self._timing.debounce
            yield from steps.changes(plan, self._is_stopped, step, debounce)
            return
        with inotify.Inotify(self._timing.pause) as self._inotify:
            self._inotify.watch(plan)
            while not self._is_stopped():
                yield self._inotify.changes(self._next_check - time.monotonic())

    def _polled(self, plan: WatchPlan) -> Generator[set[Event]]:
        for events in polling.changes(plan, self._stop.wait, self._timing.poll):
            self._next_check = 0.0
            if self._is_stopped():
                return
            yield events

    def _is_stopped(self) -> bool:
        """Whether to stop; called repeatedly once everything is being watched.

        Also reports the start of the round, and checks now and then whether the plan is outdated.
        """
        if self._stop.is_set() or self._loop.is_closed():
            return True
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + _CHECK_SECONDS
            stale = not self._stale and self.plan is not None and self._missed(self.plan)
            self._stale |= stale
            if stale or not self._started:
                self._tell(News(started=not self._started, stale=stale))
                self._started = True
        return False

    def _missed(self, plan: WatchPlan) -> bool:
        """Whether the plan is outdated although no event said so."""
        if self._started:
            return plan.outdated()
        # Directories that appeared after the plan was made and before watching began cause no
        # event: only making the plan again shows them.
        return make_plan(self.asked) != plan

    def _tell(self, news: News) -> None:
        try:
            self._loop.call_soon_threadsafe(self._hear, self, news)
        except RuntimeError:
            # The event loop is closed; end the thread.
            self._stop.set()
