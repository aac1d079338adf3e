"""Names in a store of sessions where files have paths; `--root` names namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sessiond.agents.directories import Directories
from sessiond.postgres.names import (
    DEFAULT_NAMESPACE,
    PREFIX,
    is_namespace,
    parse_name,
    parse_namespace,
)
from sessiond.runtime.errors import InvalidParams, PathNotAllowed, Unsupported
from sessiond.runtime.home import absolute
from sessiond.sessions.places import Places, Roots

if TYPE_CHECKING:
    from sessiond.catalog.scope import SessionScope


class Namespaces(Roots):
    """The namespaces that a connection may use; None: all that the database allows."""

    def __init__(self, given: Sequence[str] | None) -> None:
        super().__init__(None)
        self._given = None if given is None else [one.removeprefix(PREFIX) for one in given]
        for one in self._given or ():
            if not is_namespace(one):
                raise InvalidParams(f"expected a namespace of the store, got {one!r}", "--root")

    @property
    def real(self) -> tuple[str, ...] | None:
        return None if self._given is None else tuple(self._given)

    @property
    def default(self) -> str:
        """The namespace of new sessions."""
        return self._given[0] if self._given else DEFAULT_NAMESPACE

    def allow(self, path: str) -> bool:
        """Whether a name or a namespace, with the prefix, is in one of them."""
        name = parse_name(path)
        namespace = parse_namespace(path) if name is None else name.namespace
        if self._given is None:
            return True
        return path != PREFIX and namespace in self._given


class StorePlaces(Places):
    """Resolves names of the store; a namespace has the place of a directory."""

    def __init__(
        self, directories: Directories, namespaces: Namespaces, env: Mapping[str, str]
    ) -> None:
        super().__init__(directories, namespaces, env)
        self._namespaces = namespaces

    def path(self, given: str) -> str:
        if parse_name(given) is None and parse_namespace(given) is None:
            raise _not_in_store(given)
        self.roots.check(given)
        return given

    def output(self, given: str) -> str:
        """A file for an export. With `--root` there is none, because all roots are namespaces."""
        path = absolute(given, self._env)
        if self.roots.real is not None:
            raise PathNotAllowed(path)
        return path

    def directory(self, cwd: str, given: str | None) -> tuple[str, str | None]:
        if given is None:
            return f"{PREFIX}{self._namespaces.default}", cwd
        if parse_namespace(given) is None:
            raise _not_in_store(given)
        self.roots.check(given)
        return given.rstrip("/"), cwd

    def default_directory(self, cwd: str) -> str:
        del cwd
        return f"{PREFIX}{self._namespaces.default}"

    def sessions_in(self, cwd: str, given: str | None, *, exact: bool = True) -> SessionScope:
        del exact
        return self.sessions_of(*self.directory(cwd, given))

    def sessions_of(self, directory: str, cwd: str | None = None) -> SessionScope:
        from sessiond.postgres.catalog.scope import NamespaceScope

        return NamespaceScope(directory.rstrip("/"), cwd=cwd, roots=self.roots.real)

    def everything(self) -> SessionScope:
        from sessiond.postgres.catalog.scope import NamespaceScope

        return NamespaceScope(PREFIX, below=1, roots=self.roots.real)


def _not_in_store(given: str) -> Unsupported:
    return Unsupported(
        f"{given} is no name in the store of sessions",
        given,
        f"use a name that begins with {PREFIX}, or a daemon without --store",
    )
