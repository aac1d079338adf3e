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
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Literal

from sessiond.files import disk, workers
from sessiond.files.polling import POLL_SECONDS, Event
from sessiond.files.watch_places import (
    Place,
    Places,
    find_places,
    identify,
    outdated,
)
from sessiond.files.watch_source import WatchSource
from sessiond.files.watching import WatchedPath

Mode = Literal["native", "polling", "off"]

_DATABASES = (".sqlite", ".db")
SUFFIXES = (".jsonl", ".json", *_DATABASES)
"""Sessions, the gateway's stores, and databases of either. Temporary files and locks have a further
suffix."""

_JOURNAL = "-wal"
"""The end of the name of a file that grows with every change of the database beside it."""

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
_OVERLAP = 0.2
"""Time for which a source that is replaced goes on: it may have seen what it has not told yet."""
_LONGEST_PAUSE = 5.0
_TRIES = 3
_CLOSE_SECONDS = 1.0
_FIRST_POLLING_SECONDS = 10.0
_LONGEST_POLLING_SECONDS = 300.0
"""Time of polling before another attempt to let the system report changes; it doubles with each
attempt that reaches a limit again."""
_LIMITS = (errno.EMFILE, errno.ENFILE, errno.ENOSPC)

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
        suffixes: tuple[str, ...] = SUFFIXES,
        is_place: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`suffixes` are those of the files that are reported; `is_place` tells which databases
        are asked for as if they were directories.
        """
        self.mode: Mode = mode
        """How directories are watched at present."""
        self.events = 0
        """Number of changes seen so far, including those that were not reported."""
        self._report = report
        self._suffixes = suffixes
        self._is_place = is_place
        self._paths: Counter[WatchedPath] = Counter()
        self._places_of: dict[WatchedPath, Places] = {}
        """The directories of each request that were found last; none: it is missing."""
        self._places: dict[str, set[tuple[WatchedPath, Place]]] = {}
        """The requests that found a directory, with how it was found, by real path."""
        self._stale: set[WatchedPath] = set()
        """Requests whose directories must be found, or forgotten."""
        self._sources: list[WatchSource] = []
        """In the order in which they were started."""
        self._listening: set[asyncio.Task[None]] = set()
        self._timers: dict[Callable[[], None], asyncio.TimerHandle] = {}
        self._tasks: dict[Callable[[], Coroutine[Any, Any, None]], asyncio.Task[None]] = {}
        self._databases: set[str] = set()
        """Databases to report once more."""
        self._earliest = 0.0
        """When directories are found again at the earliest."""
        self._failures = 0
        self._failed = 0.0
        self._polling_seconds = _FIRST_POLLING_SECONDS
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
        if key not in self._paths:
            self._find([key])
        # Counted last, so that a call which failed needs no `unwatch`.
        self._paths[key] += 1

    def unwatch(self, directory: str, *, recursive: bool = False) -> None:
        """Undo one `watch` with the same arguments."""
        key = self._key(directory), recursive
        self._paths[key] -= 1
        if self._paths[key] <= 0:
            del self._paths[key]
            self._find([key])

    async def close(self) -> None:
        """End all watching; takes some milliseconds."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks.values():
            task.cancel()
        self._end(self._sources)
        if self._listening and (await asyncio.wait(self._listening, timeout=_CLOSE_SECONDS))[1]:
            # The thread ends when the disk answers, or with the process.
            _log.warning("watching has not ended: a disk does not answer")

    def _key(self, directory: str) -> str:
        """The directory to watch for a directory, or a database, that was asked for."""
        return os.path.dirname(directory) if self._is_place(directory) else directory

    def _find(self, requests: Iterable[WatchedPath]) -> None:
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
            try:
                found = await workers.reading(workers.LONG, find_places, stale & self._paths.keys())
            except (RuntimeError, MemoryError) as error:
                self._fail(error, stale)
                continue
            for path in stale:
                self._put(path, found.get(path))
            new = self._watch_places()
            self._tell(
                name
                for (name, _), places in found.items()
                if new.isdisjoint(place.real for place in places)
            )
        if not self._paths:
            self._end(self._sources)
            self._tasks.pop(self._check).cancel()

    def _put(self, path: WatchedPath, places: Places | None) -> None:
        """Replace the directories of a request, or forget it."""
        before = self._places_of.pop(path, ())
        for place in before:
            self._places[place.real].discard((path, place))
            if not self._places[place.real]:
                del self._places[place.real]
        if places is not None:
            self._places_of[path] = places
            for place in places:
                self._places.setdefault(place.real, set()).add((path, place))
            for place in set(before) - set(places):
                self._forget(place.real)

    def _forget(self, directory: str) -> None:
        """Watch a directory anew that was removed, or replaced by another one."""
        for source in self._sources:
            source.directories.discard(directory)

    def _watch_places(self) -> set[str]:
        """Watch the directories that no source watches yet; returns them."""
        sources = self._sources
        new = self._places.keys() - set().union(*(one.directories for one in sources))
        if new:
            young = new.union(*(one.directories for one in sources if not one.is_settled))
            is_settled = (
                self.mode == "polling"
                or len(young) > _YOUNG
                or not any(one.is_settled for one in sources)
            )
            watched = self._places.keys() if is_settled else young & self._places.keys()
            self._start(watched, is_settled=is_settled)
        self._later(_SETTLING_SECONDS, self._settle)
        return new

    def _settle(self) -> None:
        """Let one source watch everything that was asked for."""
        if not self._places:
            self._end(self._sources)
        elif [one.directories for one in self._sources] != [self._places.keys()]:
            self._start(self._places, is_settled=True)

    def _start(self, directories: Iterable[str], *, is_settled: bool) -> None:
        source = WatchSource(
            directories,
            self._reported,
            polls=self.mode == "polling",
            is_settled=is_settled,
        )
        self._sources.append(source)
        try:
            source.start()
        except (RuntimeError, MemoryError) as error:
            self._lose(source, error)
            return
        task = asyncio.create_task(self._listen(source))
        self._listening.add(task)
        task.add_done_callback(self._listening.discard)

    def _end(self, sources: Iterable[WatchSource]) -> None:
        for source in tuple(sources):
            source.stop()
            if source in self._sources:
                self._sources.remove(source)

    async def _listen(self, source: WatchSource) -> None:
        while (news := await source.news()) is not None:
            if self._closed or source not in self._sources:
                continue
            if isinstance(news, BaseException):
                self._lose(source, news)
            elif news:
                self._take(news)
            else:
                self._begin(source)
        source.join()

    def _begin(self, source: WatchSource) -> None:
        """Report what nobody has watched so far; end the sources that this one replaces."""
        before = self._sources[: self._sources.index(source)]
        replaced = [one for one in before if source.is_settled or not one.is_settled]
        directories = (one.directories for one in replaced if one.has_begun and not one.polls)
        source.has_begun = True
        new = self._watched_paths(source.directories.difference(*directories))
        self._tell(name for name, _ in new)
        # Directories that appeared before it began cause no event.
        self._find(path for path in new if path[1])
        asyncio.get_running_loop().call_later(_OVERLAP, self._end, replaced)

    def _reported(self, name: str) -> str | None:
        """The name of the file to report for a changed one; None if it does not matter."""
        database = name.removesuffix(_JOURNAL)
        if database != name and database.endswith(_DATABASES):
            return database
        return name if name.endswith(self._suffixes) else None

    def _watched_paths(self, directories: Iterable[str]) -> set[WatchedPath]:
        """The requests to which these directories belong."""
        paths = {path for each in directories for path, _ in self._places.get(each, ())}
        return paths & self._paths.keys()

    def _take(self, events: set[Event]) -> None:
        """Report the files of these events, and find directories that came or went."""
        self.events += len(events)
        changed: set[str] = set()
        stale: set[WatchedPath] = set()
        for is_gone, path in events:
            above, name = os.path.split(path)
            if is_gone:
                # A new directory of this name may get the inode of the old one.
                self._forget(path)
                stale |= self._watched_paths([path])
            reported = self._reported(name)
            for watched_path, place in self._places.get(above, ()):
                if reported is None:
                    is_new = not is_gone and path not in self._places
                    if place.depth and is_new and identify(path):
                        stale.add(watched_path)
                elif watched_path in self._paths:
                    changed.add(os.path.join(place.name, reported))
        self._find(stale)
        self._tell(changed)

    def _tell(self, paths: Iterable[str]) -> None:
        changed = set(paths)
        if changed:
            asyncio.get_running_loop().call_soon(self._report, changed)
            databases = {
                path for path in changed if path.endswith(_DATABASES) and self._is_place(path)
            }
            if databases:
                self._databases |= databases
                self._later(_DATABASE_SECONDS, self._tell_databases)

    def _tell_databases(self) -> None:
        databases, self._databases = self._databases, set()
        self._report(databases)

    async def _check(self) -> None:
        """Look for missing directories, and in turn for everything that was not reported."""
        for count in itertools.count(1):
            await asyncio.sleep(_CHECK_SECONDS)
            part = list(self._paths)[count % _SHARE :: _SHARE]
            missing = [path for path in self._paths if not self._places_of.get(path)]
            places = {path: self._places_of.get(path, ()) for path in (*part, *missing)}
            if places:
                with contextlib.suppress(RuntimeError, MemoryError):
                    self._find(await workers.reading(workers.LONG, outdated, places))
            self._tell(name for name, _ in part)

    def _lose(self, source: WatchSource, error: BaseException) -> None:
        """Watch the directories of a source that has ended in another way."""
        self._sources.remove(source)
        self._fail(error, self._watched_paths(source.directories))

    def _fail(self, error: BaseException, lost: Iterable[WatchedPath]) -> None:
        """Try again after a pause; after several failures or at a system limit, by polling.

        Polling ends after a while, because a shortage of descriptors, watches or threads may pass.
        """
        now = asyncio.get_running_loop().time()
        since, self._failed = now - self._failed, now
        self._failures = self._failures + 1 if since < _LONGEST_PAUSE + 1 else 1
        if since > 2 * _LONGEST_POLLING_SECONDS:
            self._polling_seconds = _FIRST_POLLING_SECONDS
        if self.mode == "native" and (self._failures >= _TRIES or _is_limit(error)):
            self._poll_for_a_while(error)
        else:
            _log.info("watching begins again: %r", error)
        self._earliest = now + min(_SPACING * 2 ** min(self._failures, 10), _LONGEST_PAUSE)
        self._find(lost)

    def _poll_for_a_while(self, error: BaseException) -> None:
        is_first = self._polling_seconds == _FIRST_POLLING_SECONDS
        text = "the system cannot report changes (%s); polling every %d ms until it can%s"
        why = _TOO_LOW if _is_limit(error) else ""
        level = logging.WARNING if is_first else logging.INFO
        _log.log(level, text, error, POLL_SECONDS * 1000, why)
        self.mode = "polling"
        self._end(one for one in self._sources if not one.polls)
        self._stale |= self._paths.keys()
        self._later(self._polling_seconds, self._try_native_again)
        self._polling_seconds = min(2 * self._polling_seconds, _LONGEST_POLLING_SECONDS)

    def _try_native_again(self) -> None:
        """Let the system report changes; polling goes on until it does."""
        self.mode = "native"
        if self._places:
            self._start(self._places, is_settled=True)


def _is_limit(error: BaseException) -> bool:
    """Whether a limit of the system was reached; for watchfiles, judged by its message."""
    if isinstance(error, OSError) and error.errno in _LIMITS:
        return True
    return any(limit in str(error) for limit in ("watch limit", "Too many open files"))
