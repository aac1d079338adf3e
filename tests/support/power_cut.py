"""A disk of which only what was synced survives a power cut, however unlucky the cut is.

`PowerCut` watches the calls of this process. In its model a file has the content of its last
`fsync`, and a name exists once its directory was synced. What removes or replaces a name counts at
once, because the system may write it first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Survivors = dict[str, bytes]
"""The files that a power cut leaves, by path."""

_CALLS = ("unlink", "rename", "link", "symlink")


class PowerCut:
    """The survivors of a power cut below some directories, at any moment.

    `check` is called after each change of a name. Every file that is there now is on disk.
    """

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        directories: list[Path],
        check: Callable[[Survivors], None] = lambda _: None,
    ) -> None:
        self._directories = [os.path.realpath(each) for each in directories]
        self._check = check
        self._names: dict[str, int] = {}
        self._contents: dict[int, bytes] = {}
        self.log: list[str] = []
        """The calls, as `fsync PATH` or `unlink PATH`."""
        self.changes = 0
        for directory in self._directories:
            for parent, _, names in os.walk(directory):
                for name in names:
                    self._keep(os.path.join(parent, name))
        for name in _CALLS:
            patch.setattr(os, name, self._watched(name, getattr(os, name)))
        patch.setattr(os, "fsync", self._syncing(os.fsync))

    def survivors(self) -> Survivors:
        return {path: self._contents.get(inode, b"") for path, inode in self._names.items()}

    def _keep(self, path: str) -> None:
        inode = os.lstat(path).st_ino
        self._names[path] = inode
        self._contents[inode] = _content(path)

    def _syncing(self, fsync: Callable[[int], None]) -> Callable[[int], None]:
        def sync(descriptor: int) -> None:
            fsync(descriptor)
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            self.log.append(f"fsync {path}")
            if os.path.isdir(path):
                before = [name for name in self._names if os.path.dirname(name) == path]
                for name in before:
                    del self._names[name]
                for name in os.listdir(path):
                    each = os.path.join(path, name)
                    if not os.path.isdir(each):
                        self._names[each] = os.lstat(each).st_ino
                        if os.path.islink(each):
                            self._contents[os.lstat(each).st_ino] = _content(each)
            else:
                inode = os.fstat(descriptor).st_ino
                self._contents[inode] = Path(f"/proc/self/fd/{descriptor}").read_bytes()

        return sync

    def _watched(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **more: Any) -> Any:
            paths = _paths(name, args, more)
            last = os.lstat(paths[0]) if name == "unlink" and os.path.lexists(paths[0]) else None
            done = call(*args, **more)
            self.log.append(f"{name} {' '.join(paths)}")
            if name == "unlink":
                self._names.pop(paths[0], None)
                if last is not None and last.st_nlink == 1:
                    # The next file may get the same number.
                    self._contents.pop(last.st_ino, None)
            elif name == "rename":
                self._names.pop(paths[0], None)
                self._names[paths[1]] = os.lstat(paths[1]).st_ino
            self.changes += 1
            self._check(self.survivors())
            return done

        return watched


def _paths(name: str, args: tuple[Any, ...], more: dict[str, Any]) -> list[str]:
    if name == "symlink":
        return [_whole(args[1], more.get("dir_fd"))]
    if name == "unlink":
        return [_whole(args[0], more.get("dir_fd"))]
    return [_whole(args[0], more.get("src_dir_fd")), _whole(args[1], more.get("dst_dir_fd"))]


def _whole(path: str, directory: int | None) -> str:
    base = os.getcwd() if directory is None else os.readlink(f"/proc/self/fd/{directory}")
    parent, name = os.path.split(os.path.join(base, path))
    return os.path.join(os.path.realpath(parent), name)


def _content(path: str) -> bytes:
    return os.fsencode(os.readlink(path)) if os.path.islink(path) else Path(path).read_bytes()
