"""Know which files of some directories may have changed, without examining each of them.

On Linux the kernel queues an inotify event within the system call that changes a file. So the
events that are queued when a request arrives name every file that was changed before, and the other
files need no `stat`. No thread waits for these events; they are read when a request needs them.

Some changes cause no event in the directory: a write through a memory map, through another hard
link, or through a file that is mounted over a name. So this does not replace examining all files
from time to time.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection, Iterable

import attrs

from sessiond.files import disk
from sessiond.files.identity import Key
from sessiond.files.watch.inotify import AVAILABLE, Inotify

_MOST_DIRECTORIES = 500
"""The number of watches of a user is limited, and notifications need them more."""
_MOST_NAMES = 10_000
"""Names that are remembered of one directory."""

logger = logging.getLogger(__name__)


@attrs.frozen
class Watermark:
    """A moment, and the identities of the directories that are watched since then."""

    number: int
    directories: dict[str, Key]


@attrs.define
class _Watched:
    """A directory: its identity, the moment when watching began, and its changed names."""

    key: Key
    begun: int
    names: dict[str, int] = attrs.field(factory=dict)
    """Name → the moment of its last change."""


class ChangedNames:
    """The names that have changed in directories since a `Watermark`. For use by any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._inotify: Inotify | None = None
        self._now = 0
        """Grows whenever events are read: later events get higher numbers."""
        self._watched: dict[str, _Watched] = {}

    def begin(self, directories: Collection[str]) -> Watermark | None:
        """Watch these directories; returns the present moment. Blocking.

        Examine the directories after this call: changes until then are not reported. None if one of
        them cannot be watched, or is in a file system that reports only some changes.
        """
        with self._guard:
            if not AVAILABLE or len(directories) > _MOST_DIRECTORIES:
                return None
            if len(self._watched.keys() | set(directories)) > _MOST_DIRECTORIES:
                self._forget_all()
            try:
                keys = {directory: self._watch(directory) for directory in directories}
                self._read()
            except (OSError, ValueError, LookupError) as error:
                logger.debug("Every file is examined for each list: %s", error)
                return None
            return Watermark(self._now, keys)

    def since(self, mark: Watermark) -> tuple[Watermark, set[str]] | None:
        """The present moment, and the paths that may have changed since an earlier one. Blocking.

        A directory is in the result if it was changed itself. None if that is not known.
        """
        with self._guard:
            try:
                self._read()
                changed = {
                    path
                    for directory, key in mark.directories.items()
                    for path in self._of(directory, key, mark.number)
                }
            except (OSError, ValueError, LookupError):
                return None
            return Watermark(self._now, mark.directories), changed

    def close(self) -> None:
        with self._guard:
            self._forget_all()

    def _of(self, directory: str, key: Key, number: int) -> Iterable[str]:
        """Raises LookupError if the changes of this directory are not known."""
        watched = self._watched[directory]
        if watched.key != key or watched.begun > number or _key_of(directory) != key:
            raise LookupError(directory)
        return [
            os.path.join(directory, name) if name else directory
            for name, changed in watched.names.items()
            if changed > number
        ]

    def _watch(self, directory: str) -> Key:
        key = _key_of(directory)
        watched = self._watched.get(directory)
        if watched is not None and watched.key == key:
            return key
        if self._inotify is None:
            self._inotify = Inotify(0)
        if watched is not None:
            self._forget(directory)
        self._inotify.watch_local(directory)
        self._watched[directory] = _Watched(key, self._now + 1)
        if _key_of(directory) != key:
            raise LookupError(directory)
        return key

    def _read(self) -> None:
        """Note the names of all events until now."""
        self._now += 1
        if self._inotify is None:
            return
        for gone, path in self._inotify.arrived():
            if gone and path in self._watched:
                self._forget(path)
            # An event of a directory below another one does not tell which of them reported it.
            self._note(path, "")
            self._note(*os.path.split(path))

    def _note(self, directory: str, name: str) -> None:
        watched = self._watched.get(directory)
        if watched is None:
            return
        if len(watched.names) >= _MOST_NAMES:
            watched.names.clear()
            watched.begun = self._now
        watched.names[name] = self._now

    def _forget(self, directory: str) -> None:
        del self._watched[directory]
        if self._inotify is not None:
            self._inotify.forget(directory)

    def _forget_all(self) -> None:
        self._watched.clear()
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None


def _key_of(directory: str) -> Key:
    seen = disk.stat(directory)
    return seen.st_dev, seen.st_ino
