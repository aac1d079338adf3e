"""Which directories to watch in order to see the changes in the requested ones."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping

import attrs

from sessiond.files import disk
from sessiond.files.watching import WatchedPath

_DEPTH = 3
"""How deep `recursive` goes: sessions/<year>/<month>/<day> is the deepest place of sessions.

Links to directories are followed; the limit keeps a link to / from watching the whole disk.
"""


Identity = tuple[int, int]
"""Device and inode of a directory."""


@attrs.frozen
class Place:
    """A directory to watch."""

    name: str
    """The name under which its files are reported."""
    real: str
    """Its path without symbolic links, under which the system reports them."""
    identity: Identity
    depth: int
    """How many levels of directories below it are watched, too."""


Places = tuple[Place, ...]
"""The directories of one request; the requested one is first. None: it cannot be watched now."""


def find_places(requests: Iterable[WatchedPath]) -> dict[WatchedPath, Places]:
    """Find the directories of each request as they are now. Blocking."""
    return {(name, recursive): _places(name, recursive=recursive) for name, recursive in requests}


def _places(directory: str, *, recursive: bool) -> Places:
    places: list[Place] = []

    def add(name: str, depth: int) -> None:
        identity = identify(name)
        if identity is None:
            return
        try:
            real = disk.realpath(name)
        except OSError:
            # Replaced since it was identified; `outdated` tells when it can be watched.
            return
        places.append(Place(name, real, identity, depth))
        if depth:
            with contextlib.suppress(OSError):
                for below in disk.directories_in(name):
                    add(below, depth - 1)

    add(directory, _DEPTH if recursive else 0)
    return tuple(places)


def outdated(places_of: Mapping[WatchedPath, Places]) -> set[WatchedPath]:
    """The requests of which a name leads to another directory than it did. Blocking.

    The system reports no event for that on a watched directory: neither for a move of a directory
    above it, nor for a new target of a link, nor for a mount over it.
    """
    return {
        path
        for path, places in places_of.items()
        if any(identify(place.name) != place.identity for place in places)
        or (not places and identify(path[0]) is not None)
    }


def identify(path: str) -> Identity | None:
    """Device and inode of a directory; None if it cannot be read and so not be watched."""
    try:
        descriptor = disk.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    status = os.fstat(descriptor)
    os.close(descriptor)
    return status.st_dev, status.st_ino
