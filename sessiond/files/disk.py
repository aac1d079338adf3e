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
import functools
import os
import stat as modes
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import ParamSpec, TypeVar

from sessiond.files.confinement import Confinement, is_link

_P = ParamSpec("_P")
_T = TypeVar("_T")

_of_context: contextvars.ContextVar[Confinement | None] = contextvars.ContextVar("confinement")
_of_process: Confinement | None = None
_TRIES = 20
_HERE, _NO_REPLACE = -100, 1
"""AT_FDCWD and RENAME_NOREPLACE, for paths that are absolute."""


def einval_for_impossible_names(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let a function raise OSError for names that no file can have: with NUL or half a surrogate.

    Python refuses them with ValueError before it calls the system, which would refuse them so.
    """

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return function(*args, **kwargs)
        except ValueError:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), args[0]) from None

    return call


def confine(roots: Sequence[str] | None, *, process: bool = False) -> None:
    """Restrict this context to some directories, given by their real paths; None lifts it.

    With `process`, also restricts code that runs in none of our contexts.
    """
    global _of_process  # noqa: PLW0603 - there is one process
    confinement = None if roots is None else Confinement(roots)
    _of_context.set(confinement)
    if process:
        _of_process = confinement


def in_context(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> Callable[[], _T]:
    """Bind a call to this context, so that another thread runs it with the same confinement."""
    context = contextvars.copy_context()
    return lambda: context.run(function, *args, **kwargs)


def _confinement() -> Confinement | None:
    return _of_context.get(_of_process)


def roots() -> tuple[str, ...] | None:
    """The directories that confine this context; None: it is not confined."""
    confinement = _confinement()
    return None if confinement is None else confinement.roots


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
    return _confinement() is not None


@contextmanager
def entry(path: str) -> Iterator[tuple[int | None, str]]:
    """Yield an entry as functions with `dir_fd` take it: descriptor of its directory, and name."""
    confinement = _confinement()
    if confinement is None:
        yield None, path
    else:
        with confinement.entry(path) as directory_and_name:
            yield directory_and_name


@einval_for_impossible_names
def open(path: str, flags: int, mode: int = 0o777) -> int:  # noqa: A001 - as in os
    confinement = _confinement()
    if confinement is None:
        return os.open(path, flags, mode)

    def at(directory: int, name: str) -> int | None:
        try:
            return os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=directory)
        except OSError as error:
            if is_link(directory, name, error):
                return None
            raise

    return confinement.follow(path, at)


@einval_for_impossible_names
def stat(path: str) -> os.stat_result:
    confinement = _confinement()
    if confinement is None:
        return os.stat(path)

    def at(directory: int, name: str) -> os.stat_result | None:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        return None if modes.S_ISLNK(status.st_mode) else status

    return confinement.follow(path, at)


@einval_for_impossible_names
def lstat(path: str) -> os.stat_result:
    with entry(path) as (directory, name):
        return os.stat(name, dir_fd=directory, follow_symlinks=False)


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


def isdir(path: str) -> bool:
    return modes.S_ISDIR(_mode(stat, path))


def is_file(path: str) -> bool:
    """Whether the entry is a regular file, and no link."""
    return modes.S_ISREG(_mode(lstat, path))


def islink(path: str) -> bool:
    return modes.S_ISLNK(_mode(lstat, path))


@einval_for_impossible_names
def realpath(path: str) -> str:
    """Resolve all links of the path; names that do not exist are kept."""
    confinement = _confinement()
    return realname(path) if confinement is None else confinement.real(path)


def realname(path: str) -> str:
    """Resolve a path that is only compared with others, never opened; not confined."""
    for _ in range(_TRIES):
        # An entry may be a link when it is examined and no link when the link is read. ValueError:
        # no file can have such a name.
        with suppress(OSError, ValueError):
            return os.path.realpath(path)
    return os.path.abspath(path)


@einval_for_impossible_names
def listdir(path: str) -> list[str]:
    """The names in a directory; for a directory above a root, only the names towards roots."""
    confinement = _confinement()
    if confinement is None:
        return os.listdir(path)
    if ways := confinement.ways_down(path):
        return ways
    descriptor = open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return os.listdir(descriptor)
    finally:
        os.close(descriptor)


def directories_in(path: str) -> list[str]:
    """The paths of the directories in a directory, links followed, and of those towards roots."""
    confinement = _confinement()
    if confinement is not None and (ways := confinement.ways_down(path)):
        return [f"{path.rstrip('/')}/{name}" for name in ways]
    return [each for name in listdir(path) if isdir(each := f"{path.rstrip('/')}/{name}")]


def stat_entries(
    path: str, suffix: str | tuple[str, ...]
) -> Iterator[tuple[str, os.stat_result | None]]:
    """The paths in a directory that end with `suffix`, each with its `lstat`.

    None where `stat` of the entry by its path has to tell why that fails.
    Cheaper than `listdir` and `stat`, because the directory is opened once.
    """
    confinement = _confinement()
    if confinement is not None and (ways := confinement.ways_down(path)):
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
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                yield f"{path}/{name}", None
            else:
                yield f"{path}/{name}", status
    finally:
        os.close(descriptor)


@einval_for_impossible_names
def unlink(path: str) -> None:
    with entry(path) as (directory, name):
        os.unlink(name, dir_fd=directory)


@einval_for_impossible_names
def rmdir(path: str) -> None:
    with entry(path) as (directory, name):
        os.rmdir(name, dir_fd=directory)


@einval_for_impossible_names
def rename(source: str, target: str) -> None:
    with entry(source) as (one, old), entry(target) as (other, new):
        os.rename(old, new, src_dir_fd=one, dst_dir_fd=other)


@einval_for_impossible_names
def rename_exclusively(source: str, target: str) -> None:
    """Rename unless the target exists: `renameat2` of Linux. Raises OSError: ENOSYS elsewhere."""
    # Only for file systems without hard links.
    import ctypes

    rename_new = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename_new is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), source)
    with entry(source) as (one, old), entry(target) as (other, new):
        at = (_HERE if one is None else one, os.fsencode(old))
        to = (_HERE if other is None else other, os.fsencode(new))
        if rename_new(*at, *to, _NO_REPLACE):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), source, None, target)


@einval_for_impossible_names
def symlink(text: str, path: str) -> None:
    """Create a symbolic link that contains `text`; nothing may be there."""
    with entry(path) as (directory, name):
        os.symlink(text, name, dir_fd=directory)


@einval_for_impossible_names
def link(source: str, target: str) -> None:
    """Create a hard link to `source`; a symbolic link is linked itself, not its target."""
    with entry(source) as (one, old), entry(target) as (other, new):
        os.link(old, new, src_dir_fd=one, dst_dir_fd=other, follow_symlinks=False)


@einval_for_impossible_names
def makedirs(path: str, mode: int = 0o777) -> None:
    """Create a directory and its missing parents, each with this mode; it may exist."""
    confinement = _confinement()
    if confinement is not None:
        confinement.makedirs(path, mode)
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
