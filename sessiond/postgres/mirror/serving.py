"""Make the mirror of a session directory."""

from __future__ import annotations

from sessiond.catalog.scope import SessionScope
from sessiond.files import disk
from sessiond.postgres.mirror.copies import Copies
from sessiond.postgres.mirror.machine import machine
from sessiond.postgres.mirror.mirror import Mirror
from sessiond.postgres.mirror.origin import Origin, checked, clean_namespace
from sessiond.postgres.store import DatabaseStore


def mirror_of(
    store: DatabaseStore,
    directory: str,
    host: str,
    namespace: str | None,
    *,
    below: int,
    masks: bool,
) -> Mirror:
    """A mirror of a session directory; `namespace`: by default that of the host.

    Raises InvalidParams for a text that is no namespace.
    """
    chosen = clean_namespace(host) if namespace is None else checked(namespace)
    origin = Origin(chosen, host, disk.realname(directory))
    scope = SessionScope(origin.directory, below=below)
    copies = Copies(store.database, origin, machine())
    return Mirror(copies, origin, scope, store.bell.ring, masks=masks)
