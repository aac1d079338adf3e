"""Report paths that may have changed.

On Linux a running round of watching accepts further directories. On other systems, and while it
polls, its set of directories is fixed, and another set needs another round.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections import Counter
from collections.abc import Callable

from sessiond.files import disk
from sessiond.files.watch import inotify
from sessiond.files.watch.inotify_round import InotifyRound
from sessiond.files.watch.plan import Asked, WatchedNames
from sessiond.files.watch.repeating import Repeating
from sessiond.files.watch.watch_round import FixedRound, Mode, News, Round, Timing

PAUSE_MS = 2.5
"""On Linux: time from the first change to the report; longer while changes keep coming."""
STEP_MS = 7
"""On other systems: interval at which watchfiles polls. A change is reported after one or two
steps."""
DEBOUNCE_MS = 50
"""On other systems: a report is sent after this time even if changes keep coming."""
POLL_MS = 300

_SPACING = 0.05
_LONGEST_PAUSE = 5.0
_TRIES = 3
_CLOSE_SECONDS = 1.0
_FIRST_POLLING_SECONDS = 10.0
_LONGEST_POLLING_SECONDS = 300.0
"""Time of polling before another attempt to let the system report changes; it doubles with each
attempt that reaches a limit again."""
_LIMITS = (errno.EMFILE, errno.ENFILE, errno.ENOSPC)
_CHANGED = (FileNotFoundError, NotADirectoryError, PermissionError)

_log = logging.getLogger(__name__)


class Watcher:
    """Reports which paths below some directories may have changed, but not how.

    `report` is called on the event loop with paths below the watched directories, by the names
    given to `watch`: session files, the gateway's stores, and directories, below which everything
    may have changed. No change is missed, but unchanged paths may be reported, too.

    A directory may be missing, be created later, be removed and created again; a link may get
    another target. Changes that the system does not report are found within two seconds. If the
    system's limits are reached, all directories are polled, and after a while, with pauses that
    grow to some minutes, the system is asked again. With mode `off` nothing is watched.
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
        names: WatchedNames | None = None,
    ) -> None:
        self.mode: Mode = mode
        """How directories are watched at present."""
        self.events = 0
        """Number of changes seen so far, including those that were not reported."""
        self._report = report
        self._names = names or WatchedNames()
        self._timing = Timing(pause_ms / 1000, step_ms / 1000, debounce_ms / 1000, poll_ms / 1000)
        self._asked: Counter[Asked] = Counter()
        self._altered: set[Asked] = set()
        """Requests added or removed since the round was last changed."""
        self._round: Round | None = None
        self._running: set[Round] = set()
        self._ended = asyncio.Event()
        self._next: asyncio.Handle | None = None
        self._earliest = 0.0
        self._failures = 0
        self._failed = 0.0
        self._retry: asyncio.TimerHandle | None = None
        """Ends the polling that a limit of the system requires."""
        self._polling_seconds = 0.0
        self._tried_again = 0.0
        self._closed = False
        self._repeating = Repeating(report)

    @property
    def directories(self) -> int:
        """How many directories are watched, including those below recursive ones."""
        return self._round.directories if self._round else 0

    def names(self, path: str) -> list[str]:
        """The path of a file, and the resolved path if it is a link or below one."""
        return list(dict.fromkeys((path, disk.realname(path))))

    def watch(self, directory: str, *, recursive: bool = False) -> None:
        """Begin to watch an absolute path; the directory is reported once watching has begun.

        Calls are counted: each needs its `unwatch`. `recursive` includes three levels of
        directories below it, also those created later. For a database, its directory is watched.
        """
        key = self._key(directory), recursive
        if not self._asked[key]:
            self._alter(key)
        self._asked[key] += 1

    def unwatch(self, directory: str, *, recursive: bool = False) -> None:
        """Undo one `watch` with the same arguments."""
        key = self._key(directory), recursive
        self._asked[key] -= 1
        if self._asked[key] <= 0:
            del self._asked[key]
            self._alter(key)

    async def close(self) -> None:
        """End all watching; takes some milliseconds."""
        self._closed = True
        self._repeating.close()
        for handle in (self._next, self._retry):
            if handle:
                handle.cancel()
        for one in self._running:
            one.stop()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                while self._running:
                    self._ended.clear()
                    await self._ended.wait()
        except TimeoutError:
            # The thread ends when the disk answers, or with the process.
            _log.warning("watching has not ended: a disk does not answer")

    def _key(self, directory: str) -> str:
        """The directory to watch for a directory, or a database, that was asked for."""
        return os.path.dirname(directory) if self._names.is_database(directory) else directory

    def _alter(self, asked: Asked) -> None:
        if self.mode != "off" and not self._closed:
            self._altered.add(asked)
            self._schedule_round()

    def _schedule_round(self, pause: float = 0.0) -> None:
        """Watch what is requested soon, once for all calls in this turn of the event loop."""
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
        altered, self._altered = self._altered, set()
        added = altered & self._asked.keys()
        if self._round and self._asked and self._round.change(added, altered - added):
            return
        if self._round:
            self._round.stop()
            self._round = None
        if not self._asked:
            return
        try:
            self._round = self._new_round(frozenset(self._asked))
            self._round.start()
        except (RuntimeError, MemoryError) as error:
            self._fail(error)
        else:
            self._running.add(self._round)

    def _new_round(self, asked: frozenset[Asked]) -> Round:
        if self.mode == "native" and inotify.AVAILABLE:
            return InotifyRound(asked, self._hear, self._timing, self._names.suffixes)
        return FixedRound(asked, self._hear, self.mode, self._timing, self._names.suffixes)

    def _hear(self, one: Round, news: News) -> None:
        if news.ended:
            one.join()
            self._running.discard(one)
            self._ended.set()
        # Reports of an earlier round are covered by the first report of the present one.
        if self._closed or one is not self._round:
            return
        self.events += news.events
        if news.error:
            self._fail(news.error)
        elif news.stale:
            self._schedule_round()
        changed = set(filter(self._wants, news.changed))
        if changed:
            self._report(changed)
            self._repeating.begin(filter(self._names.is_database, changed))

    def _wants(self, path: str) -> bool:
        asked, above = self._asked, os.path.dirname(path)
        if (path, False) in asked or (path, True) in asked or (above, False) in asked:
            return True
        while (above, True) not in asked:
            below, above = above, os.path.dirname(above)
            if above == below:
                return False
        return True

    def _fail(self, error: BaseException) -> None:
        """Schedule another round; after several failures or at a system limit, by polling.

        Polling ends after a while, because a shortage of descriptors, watches or threads may pass.
        """
        self._round = None
        now = asyncio.get_running_loop().time()
        lately = now - self._failed < _LONGEST_PAUSE + 1
        self._failures, self._failed = self._failures + 1 if lately else 1, now
        if self.mode == "native" and (self._failures >= _TRIES or _is_limit(error)):
            self._poll_for_a_while(error, now)
        elif not isinstance(error, _CHANGED):
            # These errors mean that directories changed while the round began.
            _log.warning("watching was interrupted: %r", error)
        self._schedule_round(min(_SPACING * 2 ** min(self._failures, 10), _LONGEST_PAUSE))

    def _poll_for_a_while(self, error: BaseException, now: float) -> None:
        if not self._tried_again or now - self._tried_again > _LONGEST_POLLING_SECONDS:
            self._polling_seconds = _FIRST_POLLING_SECONDS
            _log.warning(
                "the system cannot report changes (%s); polling every %d ms until it can. "
                "On Linux, fs.inotify.max_user_watches or max_user_instances may be too low.",
                error,
                self._timing.poll * 1000,
            )
        else:
            self._polling_seconds = min(2 * self._polling_seconds, _LONGEST_POLLING_SECONDS)
            _log.info("the system still cannot report changes (%s)", error)
        self.mode = "polling"
        loop = asyncio.get_running_loop()
        self._retry = loop.call_later(self._polling_seconds, self._try_native_again)

    def _try_native_again(self) -> None:
        """Replace polling by a round that gets changes from the system.

        What changes in between is not lost: a round reports all directories when it begins.
        """
        self._tried_again = asyncio.get_running_loop().time()
        self.mode = "native"
        self._schedule_round()


def _is_limit(error: BaseException) -> bool:
    """Whether a limit of the system was reached; for watchfiles, judged by its message."""
    if isinstance(error, OSError) and error.errno in _LIMITS:
        return True
    return any(limit in str(error) for limit in ("watch limit", "Too many open files"))
