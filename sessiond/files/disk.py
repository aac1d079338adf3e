"""File access by name: the functions of `os`, restricted to `--root` if that is given.

All access to files of agents, clients and gateways goes through this module; ruff forbids the
functions of `os` elsewhere. Without a confinement each function is the one of `os`. Paths are
absolute; names that no file can have are refused with OSError.

The current confinement is stored in the context. Tasks inherit it; `in_context` passes it to other
threads. A thread without it uses the confinement of the process.
"""

from __future__ import annotations

import contextvars
import errno
import os
import stat as modes
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import ParamSpec, Protocol, TypeVar

import attrs

from sessiond.errors import PathNotAllowed
from sessiond.files.paths.confinement import Confinement
from sessiond.files.paths.impossible_names import refused

_P = ParamSpec("_P")
_T = TypeVar("_T")

_of_context: contextvars.ContextVar[Confinement | None] = contextvars.ContextVar("confinement")
_of_process: Confinement | None = None
_TRIES = 20


def confine(roots: Sequence[str] | None, *, process: bool = False) -> None:
    """Restrict this context to some directories, given by their real paths; None lifts it.

    With `process`, also restricts code that runs in none of our contexts.
    """
    global _of_process  # noqa: PLW0603 - there is one process
    held = None if roots is None else Confinement(roots)
    _of_context.set(held)
    if process:
        _of_process = held


def in_context(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> Callable[[], _T]:
    """Bind a call to this context, so that another thread runs it with the same confinement."""
    context = contextvars.copy_context()
    return lambda: context.run(function, *args, **kwargs)


def _held() -> Confinement | None:
    return _of_context.get(_of_process)


def roots() -> tuple[str, ...] | None:
    """The directories that confine this context; None: it is not confined."""
    held = _held()
    return None if held is None else held.roots


@contextmanager
def confined(roots: Sequence[str] | None) -> Iterator[None]:
    """Within the block, keep everything inside these directories; None: nothing is confined.

    For work that one client asked for and that runs in a context shared by all clients.
    """
    token = _of_context.set(None if roots is None else Confinement(roots))
    try:
        yield
    finally:
        _of_context.reset(token)


def unconfined() -> AbstractContextManager[None]:
    """Lift the confinement for a block: sessiond's own files and the desktop's trash."""
    return confined(None)


def is_confined() -> bool:
    return _held() is not None


@contextmanager
def entry(path: str) -> Iterator[tuple[int | None, str]]:
    """Yield an entry as functions with `dir_fd` take it: descriptor of its directory, and name."""
    held = _held()
    if held is None:
        yield None, path
    else:
        with held.entry(path) as directory_and_name:
            yield directory_and_name


@refused
def open(path: str, flags: int, mode: int = 0o777) -> int:  # noqa: A001 - as in os
    held = _held()
    return os.open(path, flags, mode) if held is None else held.open(path, flags, mode)


@refused
def stat(path: str) -> os.stat_result:
    held = _held()
    return os.stat(path) if held is None else held.stat(path)


@refused
def lstat(path: str) -> os.stat_result:
    held = _held()
    return os.lstat(path) if held is None else held.lstat(path)


def _mode(look: Callable[[str], os.stat_result], path: str) -> int:
    """The mode of an entry; 0 if there is none, or none inside the roots."""
    try:
        return look(path).st_mode
    except OSError:
        return 0


def lexists(path: str) -> bool:
    """Whether the entry exists, even if it is a broken link; False for paths outside the roots."""
    return bool(_mode(lstat, path))


def exists(path: str) -> bool:
    """Whether the path exists, links followed; False for paths outside the roots."""
    return bool(_mode(stat, path))


def is_readable(path: str) -> bool:
    """Whether this process may read a file or directory."""
    if _held() is None:
        return os.access(path, os.R_OK)
    try:
        os.close(open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except (OSError, PathNotAllowed):
        return False
    return True


def isdir(path: str) -> bool:
    return modes.S_ISDIR(_mode(stat, path))


def islink(path: str) -> bool:
    return modes.S_ISLNK(_mode(lstat, path))


def realpath(path: str) -> str:
    """Resolve all links of the path; names that do not exist are kept."""
    held = _held()
    return realname(path) if held is None else held.real(path)


def realname(path: str) -> str:
    """Resolve a path that is only compared with others, never opened; not confined."""
    for _ in range(_TRIES):
        # An entry may be a link when it is examined and no link when the link is read. ValueError:
        # no file can have such a name.
        with suppress(OSError, ValueError):
            return os.path.realpath(path)
    return os.path.abspath(path)


@refused
def listdir(path: str) -> list[str]:
    held = _held()
    return os.listdir(path) if held is None else held.listdir(path)


def stat_entries(
    path: str, suffix: str | tuple[str, ...]
) -> Iterator[tuple[str, os.stat_result | None]]:
    """The paths in a directory that end with `suffix`, each with its `lstat`.

    None where `stat` of the entry by its path has to tell why that fails.
    Cheaper than `listdir` and `stat`, because the directory is opened once.
    """
    held = _held()
    if held is not None and (ways := held.ways_down(path)):
        yield from ((f"{path}/{name}", None) for name in ways if name.endswith(suffix))
        return
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    descriptor = open(path, flags)
    try:
        # In the order of names, files that were created together are near each other in memory.
        for name in sorted(os.listdir(descriptor)):
            if not name.endswith(suffix):
                continue
            try:
                seen = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                yield f"{path}/{name}", None
            else:
                yield f"{path}/{name}", seen
    finally:
        os.close(descriptor)


class DirectoryEntry(Protocol):
    """An entry of a directory, as `os.scandir` yields it."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    def inode(self) -> int: ...
    def is_dir(self) -> bool: ...
    def is_file(self, *, follow_symlinks: bool = True) -> bool: ...
    def stat(self) -> os.stat_result: ...


@attrs.frozen
class _ConfinedEntry:
    name: str
    path: str

    def inode(self) -> int:
        return lstat(self.path).st_ino

    def is_dir(self) -> bool:
        held = _held()
        return isdir(self.path) or (held is not None and bool(held.ways_down(self.path)))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        try:
            seen = (stat if follow_symlinks else lstat)(self.path)
        except OSError:
            return False
        return modes.S_ISREG(seen.st_mode)

    def stat(self) -> os.stat_result:
        return stat(self.path)


@contextmanager
def scandir(path: str) -> Iterator[Iterator[DirectoryEntry]]:
    """Yield the entries of a directory. For links to the outside `stat` fails, `is_…` is false."""
    held = _held()
    if held is None:
        with refused(os.scandir)(path) as entries:
            yield entries
    else:
        yield (_ConfinedEntry(name, f"{path.rstrip('/')}/{name}") for name in held.listdir(path))


@refused
def unlink(path: str) -> None:
    held = _held()
    if held is None:
        os.unlink(path)
    else:
        held.unlink(path)


@refused
def rmdir(path: str) -> None:
    held = _held()
    if held is None:
        os.rmdir(path)
    else:
        held.rmdir(path)


@refused
def rename(source: str, target: str) -> None:
    held = _held()
    if held is None:
        os.rename(source, target)
    else:
        held.rename(source, target)


@refused
def link(source: str, target: str) -> None:
    """Create a hard link to `source`; a symbolic link is linked itself, not its target."""
    held = _held()
    if held is None:
        os.link(source, target, follow_symlinks=False)
    else:
        held.link(source, target)


@refused
def link_descriptor(descriptor: int, target: str) -> None:
    """Give a name to an open file that has none (Linux only)."""
    held = _held()
    if held is None:
        # Python follows links only if a directory is given; any descriptor will do.
        os.link(f"/proc/self/fd/{descriptor}", target, src_dir_fd=descriptor)
    else:
        held.link_descriptor(descriptor, target)


@refused
def makedirs(path: str, mode: int = 0o777) -> None:
    """Create a directory and its missing parents, each with this mode; it may exist."""
    held = _held()
    if held is not None:
        held.makedirs(path, mode)
        return
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for each in reversed(missing):
        try:
            # `os.makedirs` would apply the mode to the last one only.
            os.mkdir(each, mode)
        except FileExistsError:
            if not os.path.isdir(each):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), each) from None
