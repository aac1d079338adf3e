"""One round of watching: a thread that tells what happens in a fixed set of directories.

What happens comes from one of three sources: inotify on Linux, watchfiles elsewhere, and polling
where the system cannot tell or has reached its limits. A thread, because a round looks at the disk,
too, and waits for slow ones.
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
    """In seconds: see the constants of `watch`."""

    pause: float
    step: float
    debounce: float
    poll: float


@attrs.define
class News:
    """From a round's thread to the event loop."""

    found: set[str] = attrs.Factory(set)
    events: int = 0
    started: bool = False
    stale: bool = False
    error: BaseException | None = None
    ended: bool = False


class Round:
    """One set of directories being watched, in a thread."""

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
        """Raises RuntimeError if the system gives no thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the last instructions of a round that has told that it is ended."""
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
                    found, stale = plan.interpret(events)
                    self._stale |= stale
                    if found or stale:
                        self._tell(News(found, len(events), stale=stale))
                    elif events:
                        self._tell(News(events=len(events)))
        except BaseException as error:  # noqa: BLE001 - nobody else hears of it in a thread
            self._tell(News(error=error))
        self._tell(News(ended=True))

    def _native(self, plan: WatchPlan) -> Generator[set[Event]]:
        if not inotify.AVAILABLE:
            # Imported here because it takes some milliseconds, which Linux can do without.
            from sessiond.files.watch import steps  # noqa: PLC0415

            step, debounce = self._timing.step, self._timing.debounce
            yield from steps.changes(plan, self, step, debounce)
            return
        with inotify.Inotify(self._timing.pause) as self._inotify:
            self._inotify.watch(plan)
            while not self.is_set():
                yield self._inotify.changes(self._next_check - time.monotonic())

    def _polled(self, plan: WatchPlan) -> Generator[set[Event]]:
        for events in polling.changes(plan, self._stop.wait, self._timing.poll):
            self._next_check = 0.0
            if self.is_set():
                return
            yield events

    def is_set(self) -> bool:
        """Whether to stop: asked again and again once everything is being watched."""
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
        """Whether the plan has become another one without an event."""
        if self._started:
            return plan.outdated()
        # What appeared between the look that made the plan and the first event that could tell of
        # it shows only in another look.
        return make_plan(self.asked) != plan

    def _tell(self, news: News) -> None:
        try:
            self._loop.call_soon_threadsafe(self._hear, self, news)
        except RuntimeError:
            # The event loop is closed: nobody is left to tell, and `is_set` ends the thread.
            self._stop.set()
