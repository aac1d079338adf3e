"""Report paths that may have changed.

Two threads watch at most. Making what watches thousands of directories takes long, and no other
thread of Python runs meanwhile: so directories that were asked for lately are watched by a source
of their own, which is small, until nothing was asked for during some seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import logging
import os
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Any, Literal

from sessiond.files import disk, workers
from sessiond.files.polling import POLL_SECONDS, Event
from sessiond.files.watch_places import (
    Place,
    Places,
    WatchedNames,
    find_places,
    identify,
    outdated,
)
from sessiond.files.watch_source import News, WatchSource
from sessiond.files.watching import Asked

Mode = Literal["native", "polling", "off"]

_SPACING = 0.05
_YOUNG = 100
"""Directories of the source for those that were asked for lately, at most."""
_SETTLING_SECONDS = 10.0
"""Time without requests after which one source watches everything."""
_CHECK_SECONDS = 1.0
"""Interval at which missing directories are looked for."""
_SHARE = 10
"""Each check reports one part in so many of what was asked for: the system loses changes without a
word when many come, and never tells of some, such as those of a memory map."""
_DATABASE_SECONDS = 0.25
"""Time from the last event of a database to another report of it: SQLite writes to the file that
is watched, perhaps waits for the disk, and only then tells other processes of the new content."""
_LONGEST_PAUSE = 5.0
_TRIES = 3
_CLOSE_SECONDS = 1.0
_FIRST_POLLING_SECONDS = 10.0
_LONGEST_POLLING_SECONDS = 300.0
"""Time of polling before another attempt to let the system report changes; it doubles with each
attempt that reaches a limit again."""
_LIMITS = (errno.EMFILE, errno.ENFILE, errno.ENOSPC)
_CHANGED = (FileNotFoundError, NotADirectoryError, PermissionError)
"""Errors that mean that directories changed while a source began."""
_NO_TEXT = "Unable to decode"
"""Of what watchfiles says about a changed file whose name is not UTF-8."""

_TOO_LOW = ". On Linux, fs.inotify.max_user_watches or max_user_instances may be too low"

_log = logging.getLogger(__name__)


class Watcher:
    """Reports which paths below some directories may have changed, but not how.

    `report` is called on the event loop with paths below the watched directories, by the names
    given to `watch`: session files, the gateway's stores, and directories, below which everything
    may have changed. No change is missed, but unchanged paths may be reported, too.

    A directory may be missing, be created later, be removed and created again; a link may get
    another target. Changes that the system does not report are found within ten seconds. If the
    system's limits are reached, all directories are polled, and after a while, with pauses that
    grow to some minutes, the system is asked again. With mode `off` nothing is watched.
    """

    def __init__(
        self,
        report: Callable[[set[str]], None],
        *,
        mode: Mode = "native",
        names: WatchedNames | None = None,
    ) -> None:
        self.mode: Mode = mode
        """How directories are watched at present."""
        self.events = 0
        """Number of changes seen so far, including those that were not reported."""
        self._report = report
        self._names = names or WatchedNames()
        self._asked: Counter[Asked] = Counter()
        self._found: dict[Asked, Places] = {}
        """The directories of each request that were found last; none: it is missing."""
        self._places: dict[str, set[tuple[Asked, Place]]] = {}
        """The same by real path."""
        self._stale: set[Asked] = set()
        """Requests whose directories must be found, or forgotten."""
        self._due: set[str] = set()
        """Names of requests to report when their directories have been found."""
        self._sources: list[WatchSource] = []
        """In the order in which they were started; one that has begun ends those it replaces."""
        self._running: set[WatchSource] = set()
        self._ended = asyncio.Event()
        self._timers: dict[Callable[[], None], asyncio.TimerHandle] = {}
        self._tasks: dict[Callable[[], Coroutine[Any, Any, None]], asyncio.Task[None]] = {}
        self._databases: set[str] = set()
        """Databases to report once more."""
        self._earliest = 0.0
        """When directories are found again at the earliest."""
        self._failures = 0
        self._failed = 0.0
        self._polling_seconds = 0.0
        self._tried_again = 0.0
        self._closed = False

    @property
    def directories(self) -> int:
        """How many directories are watched, including those below recursive ones."""
        return len(self._places)

    def names(self, path: str) -> list[str]:
        """The path of a file, and the resolved path if it is a link or below one."""
        return list(dict.fromkeys((path, disk.realname(path))))

    def watch(self, directory: str, *, recursive: bool = False) -> None:
        """Begin to watch an absolute path; the directory is reported once watching has begun.

        Calls are counted: each needs its `unwatch`. `recursive` includes three levels of
        directories below it, also those created later. For a database, its directory is watched.
        """
        key = self._key(directory), recursive
        if key not in self._asked:
            self._due.add(key[0])
            self._find([key])
        # Counted last, so that a call which failed needs no `unwatch`.
        self._asked[key] += 1

    def unwatch(self, directory: str, *, recursive: bool = False) -> None:
        """Undo one `watch` with the same arguments."""
        key = self._key(directory), recursive
        self._asked[key] -= 1
        if self._asked[key] <= 0:
            del self._asked[key]
            self._find([key])

    async def close(self) -> None:
        """End all watching; takes some milliseconds."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks.values():
            task.cancel()
        self._end(self._sources)
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

    def _find(self, requests: Iterable[Asked]) -> None:
        """Find the directories of these requests soon, once for all calls until then."""
        self._stale.update(requests)
        if self._stale and self.mode != "off" and not self._closed:
            self._run(self._update)
            self._run(self._check)

    def _run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = self._tasks.get(work)
        if task is None or task.done():
            self._tasks[work] = asyncio.create_task(work())

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function after this time from its last request."""
        if call in self._timers:
            self._timers[call].cancel()
        self._timers[call] = asyncio.get_running_loop().call_later(seconds, call)

    async def _update(self) -> None:
        """Find directories and watch them, until no request is left."""
        loop = asyncio.get_running_loop()
        while self._stale:
            await asyncio.sleep(self._earliest - loop.time())
            self._earliest = loop.time() + _SPACING
            stale, self._stale = self._stale, set()
            wanted = stale & self._asked.keys()
            try:
                found = await workers.reading(workers.LONG, find_places, wanted)
            except (RuntimeError, MemoryError) as error:
                self._fail(error, stale)
                continue
            changed = {asked[0] for asked in stale if self._put(asked, found.get(asked))}
            due, self._due = self._due | changed, set()
            self._watch_places(due)
        if not self._asked:
            self._end(self._sources)
            self._tasks.pop(self._check).cancel()

    def _put(self, asked: Asked, places: Places | None) -> bool:
        """Replace the directories of a request, or forget them; returns whether they are others."""
        before = self._found.pop(asked, ())
        for place in before:
            self._places[place.real].discard((asked, place))
            if not self._places[place.real]:
                del self._places[place.real]
        if places is None:
            return False
        self._found[asked] = places
        for place in places:
            self._places.setdefault(place.real, set()).add((asked, place))
        others = set(before) - set(places)
        for place in others:
            self._forget(place.real)
        return places != before

    def _forget(self, directory: str) -> None:
        """Watch a directory anew that was removed, or replaced by another one."""
        for source in self._sources:
            source.directories.discard(directory)

    def _watch_places(self, due: set[str]) -> None:
        """Watch the directories that no source watches yet; then report these names."""
        sources = self._sources
        new = self._places.keys() - set().union(*(one.directories for one in sources))
        if not new:
            self._tell(due)
        else:
            young = new.union(*(one.directories for one in sources if not one.is_settled))
            young &= self._places.keys()
            is_settled = (
                self.mode == "polling"
                or len(young) > _YOUNG
                or not any(one.is_settled for one in sources)
            )
            self._start(self._places if is_settled else young, due, is_settled=is_settled)
        self._later(_SETTLING_SECONDS, self._settle)

    def _settle(self) -> None:
        """Let one source watch everything that was asked for."""
        watched = [one.directories for one in self._sources]
        if self._closed or not watched or watched == [self._places.keys()]:
            return
        if self._places:
            self._start(self._places, set(), is_settled=True)
        else:
            self._end(self._sources)

    def _start(self, directories: Iterable[str], due: set[str], *, is_settled: bool) -> None:
        replaced = [one for one in self._sources if is_settled or not one.is_settled]
        source = WatchSource(
            directories, self._names.reported, self._hear, polls=self.mode == "polling"
        )
        source.is_settled, source.replaces = is_settled, replaced
        source.due = due.union(*(one.due for one in replaced))
        self._sources.append(source)
        try:
            source.start()
        except (RuntimeError, MemoryError) as error:
            self._lose(source, error)
        else:
            self._running.add(source)

    def _end(self, sources: Iterable[WatchSource]) -> None:
        for source in tuple(sources):
            source.stop()
            if source in self._sources:
                self._sources.remove(source)

    def _hear(self, source: WatchSource, news: News) -> None:
        if news.ended:
            source.join()
            self._running.discard(source)
            self._ended.set()
        # What others saw before they were replaced is covered by what is due at a beginning.
        if self._closed or source not in self._sources:
            return
        if news.has_begun:
            self._end(source.replaces)
            due, source.due, source.replaces = source.due, set(), []
            self._tell(due)
            # Directories that appeared before it began cause no event.
            self._find(asked for asked in self._asked if asked[0] in due and asked[1])
        self.events += len(news.events)
        if news.events:
            self._take(news.events)
        if news.error:
            self._lose(source, news.error)

    def _take(self, events: Collection[Event]) -> None:
        """Report the files of these events, and find directories that came or went."""
        changed: set[str] = set()
        stale: set[Asked] = set()
        for is_gone, path in events:
            above, name = os.path.split(path)
            if is_gone:
                # A new directory of this name may get the inode of the old one.
                self._forget(path)
                gone = {asked for asked, _ in self._places.get(path, ())}
                self._due.update(asked[0] for asked in gone)
                stale |= gone
            reported = self._names.reported(name)
            for asked, place in self._places.get(above, ()):
                if reported is not None:
                    changed.add(os.path.join(place.name, reported))
                elif place.depth and not is_gone and path not in self._places and identify(path):
                    stale.add(asked)
        self._find(stale)
        self._tell(changed)

    def _tell(self, paths: Iterable[str]) -> None:
        """Report what of these paths was asked for."""
        changed = set(filter(self._wants, paths))
        if changed:
            asyncio.get_running_loop().call_soon(self._report, changed)
            databases = set(filter(self._names.is_database, changed))
            if databases:
                self._databases |= databases
                self._later(_DATABASE_SECONDS, self._tell_databases)

    def _tell_databases(self) -> None:
        databases, self._databases = self._databases, set()
        self._report(databases)

    def _wants(self, path: str) -> bool:
        asked, above = self._asked, os.path.dirname(path)
        if (path, False) in asked or (path, True) in asked or (above, False) in asked:
            return True
        while (above, True) not in asked:
            below, above = above, os.path.dirname(above)
            if above == below:
                return False
        return True

    async def _check(self) -> None:
        """Look for missing directories, and in turn for everything that was not reported."""
        for count in itertools.count(1):
            await asyncio.sleep(_CHECK_SECONDS)
            part = list(self._found)[count % _SHARE :: _SHARE]
            missing = [asked for asked, places in self._found.items() if not places]
            known = {asked: self._found[asked] for asked in (*part, *missing)}
            if known:
                with contextlib.suppress(RuntimeError, MemoryError):
                    self._find(await workers.reading(workers.LONG, outdated, known))
            self._tell(name for name, _ in part)

    def _lose(self, source: WatchSource, error: BaseException) -> None:
        """Watch the directories of a source that has ended in another way."""
        self._sources.remove(source)
        lost = {
            asked
            for directory in source.directories
            for asked, _ in self._places.get(directory, ())
        }
        self._due |= source.due | {name for name, _ in lost}
        self._fail(error, lost)

    def _fail(self, error: BaseException, lost: Iterable[Asked]) -> None:
        """Try again after a pause; after several failures or at a system limit, by polling.

        Polling ends after a while, because a shortage of descriptors, watches or threads may pass.
        """
        now = asyncio.get_running_loop().time()
        lately = now - self._failed < _LONGEST_PAUSE + 1
        self._failures, self._failed = self._failures + 1 if lately else 1, now
        if self.mode == "native" and (self._failures >= _TRIES or _is_limit(error)):
            self._poll_for_a_while(error, now)
        elif isinstance(error, _CHANGED) or _NO_TEXT in str(error):
            _log.info("watching begins again: %r", error)
        else:
            _log.warning("watching was interrupted: %r", error)
        self._earliest = now + min(_SPACING * 2 ** min(self._failures, 10), _LONGEST_PAUSE)
        self._find(lost)

    def _poll_for_a_while(self, error: BaseException, now: float) -> None:
        if not self._tried_again or now - self._tried_again > _LONGEST_POLLING_SECONDS:
            self._polling_seconds = _FIRST_POLLING_SECONDS
            why = _TOO_LOW if _is_limit(error) else ""
            every = POLL_SECONDS * 1000
            text = "the system cannot report changes (%s); polling every %d ms until it can%s"
            _log.warning(text, error, every, why)
        else:
            self._polling_seconds = min(2 * self._polling_seconds, _LONGEST_POLLING_SECONDS)
            _log.info("the system still cannot report changes (%s)", error)
        self.mode = "polling"
        self._end(one for one in self._sources if not one.polls)
        self._due |= {name for name, _ in self._asked}
        self._stale |= self._asked.keys()
        self._later(self._polling_seconds, self._try_native_again)

    def _try_native_again(self) -> None:
        """Let the system report changes; polling goes on until it does."""
        self._tried_again = asyncio.get_running_loop().time()
        self.mode = "native"
        if self._places:
            self._start(self._places, {name for name, _ in self._asked}, is_settled=True)


def _is_limit(error: BaseException) -> bool:
    """Whether a limit of the system was reached; for watchfiles, judged by its message."""
    if isinstance(error, OSError) and error.errno in _LIMITS:
        return True
    return any(limit in str(error) for limit in ("watch limit", "Too many open files"))
