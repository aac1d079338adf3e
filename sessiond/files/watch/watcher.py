"""Notices that files may have changed, and says no more than where to look.

A round of watching has a fixed set of directories, so another set is another round. What happens
between two rounds goes unseen; therefore every round begins by reporting all directories as a
whole.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections import Counter
from collections.abc import Callable

from sessiond.files.watch.plan import Asked
from sessiond.files.watch.watch_round import Mode, News, Round, Timing

PAUSE_MS = 2.5
"""On Linux: between the first of some changes and their report, longer while they keep coming."""
STEP_MS = 7
"""Elsewhere: between two looks at what the system has told. A change is reported after one to two
steps."""
DEBOUNCE_MS = 50
"""Elsewhere: after this long a report goes out though changes keep coming."""
POLL_MS = 300

_SPACING = 0.05
_LONGEST_PAUSE = 5.0
_TRIES = 3
_CLOSE_SECONDS = 1.0
_LIMITS = (errno.EMFILE, errno.ENFILE, errno.ENOSPC)
_CHANGED = (FileNotFoundError, NotADirectoryError, PermissionError)

_log = logging.getLogger(__name__)


class Watcher:
    """Tells which paths below some directories may have changed, never what has happened.

    `report` is called on the event loop with names below the directories as they were asked for:
    session files, the gateway's stores, and directories, where everything below may have changed.
    Everything that matters is reported in time, but also more than that.

    A directory may be missing, come later, go and come again; a link may be pointed elsewhere. What
    the system does not tell of is found within two seconds. Where the system's limits are reached
    it is polling for all of them from then on. With `off` nothing is watched.
    """

    def __init__(
        self,
        report: Callable[[set[str]], None],
        *,
        mode: Mode = "native",
        pause_ms: float = PAUSE_MS,
        step_ms: int = STEP_MS,
        debounce_ms: int = DEBOUNCE_MS,
        poll_ms: int = POLL_MS,
    ) -> None:
        self.mode: Mode = mode
        """How it is watched by now."""
        self.events = 0
        """Changes heard of so far, those of no interest included."""
        self._report = report
        self._timing = Timing(pause_ms / 1000, step_ms / 1000, debounce_ms / 1000, poll_ms / 1000)
        self._asked: Counter[Asked] = Counter()
        self._round: Round | None = None
        self._running: set[Round] = set()
        self._ended = asyncio.Event()
        self._next: asyncio.Handle | None = None
        self._earliest = 0.0
        self._failures = 0
        self._failed = 0.0
        self._closed = False

    @property
    def directories(self) -> int:
        """How many directories are watched, those below recursive ones included."""
        plan = self._round.plan if self._round else None
        return len(plan.names) if plan else 0

    def watch(self, directory: str, *, recursive: bool = False) -> None:
        """Begin to watch an absolute path; it is reported as a whole once that has begun.

        Counted: each needs its `unwatch`. `recursive` includes two levels of directories below it,
        also those still to come.
        """
        key = (directory, recursive)
        if not self._asked[key]:
            self._again()
        self._asked[key] += 1

    def unwatch(self, directory: str, *, recursive: bool = False) -> None:
        """Undo one `watch` with the same arguments."""
        key = (directory, recursive)
        self._asked[key] -= 1
        if self._asked[key] <= 0:
            del self._asked[key]
            self._again()

    async def close(self) -> None:
        """End all watching; takes some milliseconds."""
        self._closed = True
        if self._next:
            self._next.cancel()
        for one in self._running:
            one.stop()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                while self._running:
                    self._ended.clear()
                    await self._ended.wait()
        except TimeoutError:
            # It ends by itself when the disk answers, or with the process.
            _log.warning("watching has not ended: a disk does not answer")

    def _again(self, pause: float = 0.0) -> None:
        """Begin another round soon, one for everything that is asked for in this turn."""
        if self.mode == "off" or self._closed or self._next:
            return
        loop = asyncio.get_running_loop()
        pause = max(pause, self._earliest - loop.time())
        self._next = (
            loop.call_later(pause, self._begin) if pause > 0 else loop.call_soon(self._begin)
        )

    def _begin(self) -> None:
        self._next = None
        self._earliest = asyncio.get_running_loop().time() + _SPACING
        if self._round:
            self._round.stop()
            self._round = None
        if not self._asked:
            return
        self._round = Round(frozenset(self._asked), self._hear, self.mode, self._timing)
        try:
            self._round.start()
        except RuntimeError as error:
            self._fail(error)
        else:
            self._running.add(self._round)

    def _hear(self, one: Round, news: News) -> None:
        if news.ended:
            one.join()
            self._running.discard(one)
            self._ended.set()
        # What an ended round still has to tell is covered by the beginning of the next one.
        if self._closed or one is not self._round:
            return
        self.events += news.events
        if news.error:
            self._fail(news.error)
        elif news.stale:
            self._again()
        found = {name for name, _ in one.asked} if news.started else news.found
        if one.asked != self._asked.keys():
            found = {name for name in found if self._wants(name)}
        if found:
            self._report(found)

    def _wants(self, path: str) -> bool:
        return any(
            name in (path, os.path.dirname(path)) or (recursive and path.startswith(name + "/"))
            for name, recursive in self._asked
        )

    def _fail(self, error: BaseException) -> None:
        """Try again, or where that is no use watch in another way."""
        self._round = None
        now = asyncio.get_running_loop().time()
        lately = now - self._failed < _LONGEST_PAUSE + 1
        self._failures, self._failed = self._failures + 1 if lately else 1, now
        if self.mode == "native" and (self._failures >= _TRIES or _is_limit(error)):
            self.mode = "polling"
            _log.warning(
                "cannot be told of changes (%s); looking for them every %d ms from now on. "
                "On Linux, fs.inotify.max_user_watches or max_user_instances may be too low.",
                error,
                self._timing.poll * 1000,
            )
        elif not isinstance(error, _CHANGED):
            # Those are directories that changed while the round began.
            _log.warning("watching was interrupted: %r", error)
        self._again(min(_SPACING * 2 ** min(self._failures, 10), _LONGEST_PAUSE))


def _is_limit(error: BaseException) -> bool:
    """Whether the system refuses to watch that much; of watchfiles, as far as its message tells."""
    if isinstance(error, OSError) and error.errno in _LIMITS:
        return True
    return any(limit in str(error) for limit in ("watch limit", "Too many open files"))
