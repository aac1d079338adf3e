"""Sets of sessions in the store."""

from __future__ import annotations

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.postgres.names import PREFIX, parse_name, parse_namespace


@attrs.frozen
class NamespaceScope(SessionScope):
    """The sessions of a namespace, or (`directory` is the prefix alone) of all namespaces.

    `roots` are the namespaces of `--root`; None: all that the user of the database may read.
    """

    @property
    def namespaces(self) -> list[str] | None:
        """The namespaces to search; None: all that the user of the database may read."""
        if self.directory != PREFIX:
            namespace = parse_namespace(self.directory)
            return [namespace] if namespace is not None and self._permits(namespace) else []
        return None if self.roots is None else list(self.roots)

    def allows(self, path: str) -> bool:
        name = parse_name(path)
        return name is not None and self._permits(name.namespace)

    def holds(self, path: str) -> bool:
        name = parse_name(path)
        if name is None or not self._permits(name.namespace):
            return False
        return self.directory in (PREFIX, f"{PREFIX}{name.namespace}")

    def _permits(self, namespace: str) -> bool:
        return self.roots is None or namespace in self.roots
