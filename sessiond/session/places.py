"""What the paths mean that clients name, and which of them they may name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sessiond.errors import PathNotAllowed
from sessiond.files import disk
from sessiond.profiles import Directories, absolute


class Roots:
    """The directories that confine every path (`--root`); without any, nothing is confined."""

    def __init__(self, roots: Iterable[str] | None) -> None:
        self._roots = None if roots is None else [disk.realname(root) for root in roots]

    @property
    def real(self) -> tuple[str, ...] | None:
        """The directories themselves, symlinks resolved; None: nothing is confined."""
        return None if self._roots is None else tuple(self._roots)

    def check(self, path: str) -> None:
        """Raise PathNotAllowed for a path that leads outside, through symlinks as well.

        Of a path that does not exist yet, the part that does is resolved.
        """
        if not self.allow(path):
            raise PathNotAllowed(path)

    def allow(self, path: str) -> bool:
        """Whether the path leads nowhere outside."""
        if self._roots is None:
            return True
        try:
            real = disk.realname(path)
        except ValueError:
            # A NUL or half a character: no file has such a name, inside or outside.
            return False
        return any(real == root or real.startswith(f"{root.rstrip('/')}/") for root in self._roots)


class Places:
    """The directories in force (see `initialize`), and paths resolved by them."""

    def __init__(self, directories: Directories, roots: Roots, env: Mapping[str, str]) -> None:
        self.directories = directories
        self.roots = roots
        self._env = env

    def path(self, given: str) -> str:
        """A path a client named: absolute, `~` expanded, inside the roots. Raises PathNotAllowed.

        A relative one is taken from the daemon's own working directory.
        """
        path = absolute(given, self._env)
        self.roots.check(path)
        return path

    def cwd(self, given: str | None) -> str:
        """A working directory: resolved as pi does; the daemon's own where none is given."""
        return absolute("." if given is None else given, self._env)

    def directory(self, cwd: str, given: str | None) -> tuple[str, str | None]:
        """The session directory that is meant, and the cwd its sessions have to be filtered by.

        The default directory of a working directory is not filtered, other ones are (as pi 1.5.2).
        """
        default = self.directories.default_dir(cwd)
        if given is None:
            self.roots.check(default)
            return default, cwd if self.directories.one_for_all else None
        directory = self.path(given)
        same = directory == default and not self.directories.one_for_all
        return directory, None if same else cwd
