"""File access by name that cannot leave some directories (`--root`).

A path is resolved one name at a time: each directory is opened relative to the one before it, a
symbolic link is never followed by the system but read and resolved here, and `..` returns to the
directory that was open before. The operation itself is applied to a name in an open directory,
never through a link. So a process that meanwhile replaces directories by links cannot redirect an
access.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Self, TypeVar

from sessiond.runtime.errors import PathNotAllowed

_MOST_LINKS = 40
"""Maximum number of links in one path, as on Linux."""

_SEARCH = getattr(os, "O_PATH", getattr(os, "O_SEARCH", os.O_RDONLY))
_DIRECTORY = _SEARCH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_FOLLOWED = {errno.ELOOP, errno.EMLINK, errno.ENOTDIR}
"""Errors of `open` with O_NOFOLLOW for a symbolic link; they differ between systems."""

_Names = tuple[str, ...]
_T = TypeVar("_T")


class Outside(PathNotAllowed, PermissionError):
    """An access would have left the roots. Also an OSError, as the functions of `os` raise."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.errno, self.strerror, self.filename = errno.EACCES, "Lies outside the roots", path


class Confinement:
    """File access restricted to some directories and everything beneath them.

    Paths are absolute. Each method raises Outside for a path that leads outside, whether or not it
    exists, and OSError as `os` does for paths inside.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        """`roots` are real paths; they need not exist yet."""
        self.roots = tuple(roots)
        self._roots = [_names(root) for root in roots]

    @contextmanager
    def entry(self, path: str) -> Iterator[tuple[int, str]]:
        """Yield a descriptor of the directory that holds `path`, and the entry's name in it.

        The entry itself need not exist, and is not followed if it is a link. For a root, yields
        the root itself and `.`.
        """
        parent, name = os.path.split(path.rstrip("/") or "/")
        with _Walk(path, self._is_inside) as walk:
            if name in {"", ".", ".."} or not self._is_inside(walk.follow(parent)):
                real = walk.follow(path)
                self._check(real, path)
                *above, name = real or ["."]
                if real and self._is_inside(above):
                    self._check(walk.follow("/" + "/".join(above)), path)
                else:
                    # A root itself.
                    name = "."
            walk.check_complete()
            yield walk.directory, name

    def real(self, path: str) -> str:
        """Resolve all links of the path; names that do not exist are kept."""
        with _Walk(path, self._is_inside) as walk:
            names = walk.follow(path)
            self._check(names, path)
            return "/" + "/".join(names)

    def follow(self, path: str, at: Callable[[int, str], _T | None]) -> _T:
        """Call `at` for the entry that a path leads to; `at` returns None for a link."""
        target = path
        for _ in range(_MOST_LINKS):
            try:
                with self.entry(target) as (directory, name):
                    result = at(directory, name)
                if result is not None:
                    return result
                target = self.real(target)
            except Outside:
                raise Outside(path) from None
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)

    def ways_down(self, path: str) -> list[str]:
        """The names in this directory that lead to roots below it; empty inside a root."""
        names = _names(path)
        if self._is_inside(names):
            return []
        return sorted({root[len(names)] for root in self._roots if root[: len(names)] == names})

    def makedirs(self, path: str, mode: int) -> None:
        """Create a directory and its missing parents, each with this mode; it may exist."""
        with _Walk(path, self._is_inside) as walk:
            self._check(walk.follow(path), path)
            walk.make(mode)

    def _is_inside(self, names: Sequence[str]) -> bool:
        path = tuple(names)
        return any(path[: len(root)] == root for root in self._roots)

    def _check(self, names: Sequence[str], path: str) -> None:
        if not self._is_inside(names):
            raise Outside(path)


class _Walk:
    """The directories on the way from / to a path, all open, and the names after the last one."""

    def __init__(self, path: str, is_inside: Callable[[Sequence[str]], bool]) -> None:
        self._path = path
        self._is_inside = is_inside
        self._held = [os.open("/", _DIRECTORY)]
        self._names: list[str] = []
        self._rest: list[str] = []
        """The names after the directories: a file, or names that do not exist."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._held:
            os.close(descriptor)

    @property
    def directory(self) -> int:
        return self._held[-1]

    def follow(self, path: str) -> list[str]:
        """Resolve a path from / on, following links; returns the names of its real path."""
        self._restart()
        ahead = [*reversed(_names(path))]
        links = 0
        while ahead:
            name = ahead.pop()
            if name == "..":
                self._back()
            elif self._rest:
                self._rest.append(name)
            else:
                target = self._step(name)
                if target is None:
                    continue
                links += 1
                if links > _MOST_LINKS:
                    self._fail(name, OSError(errno.ELOOP, os.strerror(errno.ELOOP), self._path))
                if target.startswith("/"):
                    self._restart()
                ahead += reversed(_names(target))
        return [*self._names, *self._rest]

    def check_complete(self) -> None:
        """Raise FileNotFoundError or NotADirectoryError unless every name was a directory."""
        if self._rest:
            os.stat(self._rest[0], dir_fd=self.directory, follow_symlinks=False)
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self._path)

    def make(self, mode: int) -> None:
        """Create the missing directories."""
        for name in self._rest:
            # If another process just created something else there, opening it fails.
            with suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=self.directory)
            self._held.append(os.open(name, _DIRECTORY, dir_fd=self.directory))

    def _step(self, name: str) -> str | None:
        """Enter the directory `name`; if it is a link, returns the link's target instead."""
        try:
            self._held.append(os.open(name, _DIRECTORY, dir_fd=self.directory))
        except FileNotFoundError:
            self._rest.append(name)
        except OSError as error:
            target = _link(self.directory, name) if error.errno in _NOT_FOLLOWED else None
            if target is not None:
                return target
            if error.errno not in _NOT_FOLLOWED:
                self._fail(name, error)
            self._rest.append(name)
        else:
            self._names.append(name)
        return None

    def _fail(self, name: str, error: OSError) -> None:
        """Raise `error`, or Outside for a name outside the roots, to reveal nothing about it."""
        if self._is_inside([*self._names, name]):
            raise error
        raise Outside(self._path)

    def _back(self) -> None:
        if self._rest:
            self._rest.pop()
        elif self._names:
            self._names.pop()
            os.close(self._held.pop())

    def _restart(self) -> None:
        self._names, self._rest = [], []
        while len(self._held) > 1:
            os.close(self._held.pop())


def is_link(directory: int, name: str, error: OSError) -> bool:
    """Whether opening an entry with O_NOFOLLOW failed because it is a symbolic link."""
    return error.errno in _NOT_FOLLOWED and _link(directory, name) is not None


def _link(directory: int, name: str) -> str | None:
    """The target of a symbolic link as stored in it; None for anything else."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError:
        return None


def _names(path: str) -> _Names:
    return tuple(name for name in path.split("/") if name not in {"", "."})
