"""One round of watching: a thread that reports changes in the requested directories.

The changes come from one of three sources: inotify on Linux (`inotify_round`), watchfiles
elsewhere, and polling if the system cannot report changes or has reached its limits. It is a
thread because a round also reads directories, which can be slow.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator
from typing import Literal

import attrs

from sessiond.files import disk
from sessiond.files.watch import polling
from sessiond.files.watch.plan import Asked, Event, WatchPlan, make_plan

Mode = Literal["native", "polling", "off"]

CHECK_SECONDS = 2.0
"""Time between two checks whether the directories are still the ones that the plan names."""


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
    """Paths that may have changed; a directory from which on it is watched."""
    events: int = 0
    """How many changes were seen, including those outside `changed`."""
    stale: bool = False
    """Whether another round is needed, because the directories have changed."""
    error: BaseException | None = None
    ended: bool = False


class Round(ABC):
    """Watches directories in a thread, from `start` to `stop` or an error, which it reports."""

    def __init__(self, hear: Callable[[Round, News], None]) -> None:
        self._hear = hear
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=disk.in_context(self._run), name="sessiond watch", daemon=True
        )

    @property
    @abstractmethod
    def directories(self) -> int:
        """Number of directories whose files are reported."""

    def change(self, added: Collection[Asked], removed: Collection[Asked]) -> bool:  # noqa: ARG002
        """Add and remove requested directories; returns whether this round can do that."""
        return False

    def start(self) -> None:
        """Raises RuntimeError if the system cannot start a thread."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the thread, which has reported its end, to finish."""
        self._thread.join()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        try:
            self._watch()
        except BaseException as error:  # noqa: BLE001 - passed on to the event loop
            self._tell(News(error=error))
        self._tell(News(ended=True))

    @abstractmethod
    def _watch(self) -> None:
        """Watch until `_is_stopped`. Blocking."""

    def _is_stopped(self) -> bool:
        return self._stop.is_set() or self._loop.is_closed()

    def _tell(self, news: News) -> None:
        try:
            self._loop.call_soon_threadsafe(self._hear, self, news)
        except RuntimeError:
            # The event loop is closed; end the thread.
            self._stop.set()


class FixedRound(Round):
    """Watches one set of directories; for sources that cannot change it."""

    def __init__(
        self,
        asked: frozenset[Asked],
        hear: Callable[[Round, News], None],
        mode: Mode,
        timing: Timing,
        suffixes: tuple[str, ...],
    ) -> None:
        super().__init__(hear)
        self._suffixes = suffixes
        self._asked = asked
        self._plan: WatchPlan | None = None
        self._mode = mode
        self._timing = timing
        self._started = False
        self._stale = False
        self._next_check = 0.0

    @property
    def directories(self) -> int:
        return len(self._plan.names) if self._plan else 0

    def _watch(self) -> None:
        self._plan = plan = make_plan(self._asked, self._suffixes)
        source = self._polled if self._mode == "polling" else self._stepped
        with contextlib.closing(source(plan)) as batches:
            for events in batches:
                changed, stale = plan.interpret(events)
                self._stale |= stale
                if changed or stale:
                    self._tell(News(changed, len(events), stale=stale))
                elif events:
                    self._tell(News(events=len(events)))

    def _stepped(self, plan: WatchPlan) -> Generator[set[Event]]:
        # Imported here because it takes some milliseconds and Linux does not need it.
        from sessiond.files.watch import steps  # noqa: PLC0415

        step, debounce = self._timing.step, self._timing.debounce
        yield from steps.changes(plan, self._is_over, step, debounce)

    def _polled(self, plan: WatchPlan) -> Generator[set[Event]]:
        for events in polling.changes(plan, self._stop.wait, self._timing.poll):
            self._next_check = 0.0
            if self._is_over():
                return
            yield events

    def _is_over(self) -> bool:
        """Whether to stop; called repeatedly once everything is being watched.

        Also reports the start of the round, and checks now and then whether the plan is outdated.
        """
        if self._is_stopped():
            return True
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + CHECK_SECONDS
            stale = not self._stale and self._plan is not None and self._missed(self._plan)
            self._stale |= stale
            if stale or not self._started:
                begun = set() if self._started else {name for name, _ in self._asked}
                self._tell(News(begun, stale=stale))
                self._started = True
        return False

    def _missed(self, plan: WatchPlan) -> bool:
        """Whether the plan is outdated although no event reported it."""
        if self._started:
            return plan.outdated()
        # Directories that appeared after the plan was made and before watching began cause no
        # event: only making the plan again shows them.
        return make_plan(self._asked, self._suffixes) != plan
