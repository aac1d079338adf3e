"""Names of sessions and namespaces in the store."""

from __future__ import annotations

import re
from hashlib import blake2b, sha256
from uuid import UUID

import attrs

PREFIX = "sessiond-store:"
"""Begins every name in the store. An absolute path, and one that begins with `./`, never does."""

DEFAULT_NAMESPACE = "default"

_NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
_KEY = re.compile(r"[A-Za-z0-9._@-]{1,255}")


@attrs.frozen
class StoreName:
    """A session's name: `sessiond-store:<namespace>/<key>`."""

    namespace: str
    key: str

    def __str__(self) -> str:
        return f"{PREFIX}{self.namespace}/{self.key}"

    @property
    def session(self) -> UUID:
        """The key of the session's rows, as `sessiond.session_of` makes it in the database."""
        return UUID(bytes=self.digest)

    @property
    def digest(self) -> bytes:
        """The 16 bytes of that key."""
        return sha256(f"{self.namespace}/{self.key}".encode()).digest()[:16]


def digest(data: bytes) -> UUID:
    """A 128-bit digest, in the form that the database compares fastest."""
    return UUID(bytes=blake2b(data, digest_size=16).digest())


def parse_name(path: str) -> StoreName | None:
    """Parse the name of a session; None for anything else."""
    if not path.startswith(PREFIX):
        return None
    namespace, _, key = path.removeprefix(PREFIX).partition("/")
    if not _NAMESPACE.fullmatch(namespace) or not _KEY.fullmatch(key):
        return None
    return StoreName(namespace, key)


def parse_namespace(directory: str) -> str | None:
    """Parse the name of a namespace, which has the place of a directory; None for anything else."""
    namespace = directory.removeprefix(PREFIX).removesuffix("/")
    if not directory.startswith(PREFIX) or not _NAMESPACE.fullmatch(namespace):
        return None
    return namespace


def is_namespace(text: str) -> bool:
    """Whether this can be a namespace (without the prefix)."""
    return bool(_NAMESPACE.fullmatch(text))
