"""Watching with inotify: a thread whose set of directories can change while it watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from queue import SimpleQueue

from sessiond.files.watch import watch_round
from sessiond.files.watch.inotify import Inotify
from sessiond.files.watch.plan import Asked, make_plan
from sessiond.files.watch.plans import Plans
from sessiond.files.watch.watch_round import News, Round, Timing

_AGAIN_SECONDS = 0.05
"""Time until a plan that was outdated when watching began is made again."""
_PAUSES = 400
"""The pause after a check is at least so many times as long as the check took."""


class InotifyRound(Round):
    """Adds and removes directories one by one, so that the cost does not grow with their number.

    A directory whose plan is outdated is removed and added again. Changes in between are not
    seen, so every directory that is added is reported as a whole once it is watched.
    """

    def __init__(
        self,
        asked: frozenset[Asked],
        hear: Callable[[Round, News], None],
        timing: Timing,
        suffixes: tuple[str, ...],
    ) -> None:
        super().__init__(hear)
        self._suffixes = suffixes
        self._inotify: Inotify | None = None
        self._requests: SimpleQueue[tuple[Asked, bool]] = SimpleQueue()
        """Directories, and whether to watch them."""
        self.change(asked, frozenset())
        self._plans = Plans()
        self._stale: set[Asked] = set()
        self._next_check = self._next_whole_check = 0.0
        self._pause = timing.pause

    @property
    def directories(self) -> int:
        return self._plans.directories

    def change(self, added: Collection[Asked], removed: Collection[Asked]) -> bool:
        for asked in removed:
            self._requests.put((asked, False))
        for asked in added:
            self._requests.put((asked, True))
        if self._inotify:
            self._inotify.nudge()
        return True

    def stop(self) -> None:
        super().stop()
        if self._inotify:
            self._inotify.wake()

    def _watch(self) -> None:
        with Inotify(self._pause) as self._inotify:
            inotify = self._inotify
            while not self._is_stopped():
                self._update(inotify)
                until = time.monotonic() + _AGAIN_SECONDS if self._stale else self._next_check
                events = inotify.changes(until - time.monotonic())
                changed, stale = self._plans.interpret(events)
                self._stale |= stale
                if events:
                    self._tell(News(changed, len(events)))

    def _update(self, inotify: Inotify) -> None:
        """Update the plans, and watch their directories."""
        if time.monotonic() >= self._next_check:
            self._check()
        # All removals come before all additions: if another directory took the place of one, the
        # old watch must end first.
        added, self._stale = self._stale, set()
        for asked in added:
            self._remove(asked, inotify)
        while not self._requests.empty():
            asked, is_wanted = self._requests.get()
            added.discard(asked)
            if asked in self._plans:
                self._remove(asked, inotify)
            if is_wanted:
                added.add(asked)
        for asked in added:
            plan = make_plan((asked,), self._suffixes)
            self._plans.add(asked, plan)
            inotify.watch(plan)
            # Directories that appeared after the plan was made and before watching began cause no
            # event: only making the plan again shows them.
            if make_plan((asked,), self._suffixes) != plan:
                self._stale.add(asked)
        if added:
            self._tell(News({name for name, _ in added}))

    def _check(self) -> None:
        """Find plans that are outdated although no event said so: see `WatchPlan.outdated`.

        With thousands of directories only the places around them are examined each time, and
        everything at longer intervals.
        """
        now, began = time.monotonic(), time.thread_time()
        is_whole = now >= self._next_whole_check
        self._stale |= self._plans.outdated() if is_whole else self._plans.moved()
        pause = max(watch_round.CHECK_SECONDS, _PAUSES * (time.thread_time() - began))
        self._next_check = now + (watch_round.CHECK_SECONDS if is_whole else pause)
        if is_whole:
            self._next_whole_check = now + pause

    def _remove(self, asked: Asked, inotify: Inotify) -> None:
        for directory in self._plans.remove(asked):
            inotify.forget(directory)
