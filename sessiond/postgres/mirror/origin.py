"""The origin of mirrored sessions: a host and a directory; and the names of their copies."""

from __future__ import annotations

import os
import re

import attrs

from sessiond.postgres.names import StoreName, digest, is_namespace
from sessiond.runtime.errors import InvalidParams

_OTHER = re.compile(r"[^A-Za-z0-9._@-]+")
_LONGEST = 200
"""Characters of a file's name that its key keeps."""


def checked(namespace: str) -> str:
    """The text, if it is a namespace. Raises InvalidParams for other texts."""
    if not is_namespace(namespace):
        raise InvalidParams(f"expected a namespace of the store, got {namespace!r}", "--namespace")
    return namespace


def clean_namespace(host: str) -> str:
    """The namespace for the sessions of a host."""
    name = _OTHER.sub("-", host).strip("-._@")[:100]
    return name if is_namespace(name) else "host"


@attrs.frozen
class Origin:
    """The session directory of a host, which one process at a time mirrors into a namespace.

    `directory` is its real path. A file is identified by host and real path: editors replace files,
    so the inode of a session may change at any time.
    """

    namespace: str
    host: str
    directory: str

    @property
    def holder(self) -> str:
        """The name of this process in messages of other hosts."""
        return _text(f"process {os.getpid()} on {self.host}")

    @property
    def name(self) -> str:
        return _text(f"{self.host}:{self.directory}")

    def home(self, real: str) -> str:
        """The home of the session in the file with this real path."""
        return _text(f"{self.host}:{real}")

    def copy(self, real: str) -> StoreName:
        """The name of the copy of the file with this real path."""
        of_path = digest(os.fsencode(f"{self.host}:{real}")).hex[:12]
        stem = key_of(real).removesuffix(".jsonl")
        return StoreName(self.namespace, f"{stem}.{of_path}.jsonl")


def _text(name: str) -> str:
    """A name that may have bytes which are not UTF-8, as the database can store it."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def key_of(path: str) -> str:
    """The key of a session that has the name of a file."""
    stem = os.path.basename(path).removesuffix(".jsonl")
    readable = os.fsencode(stem).decode("utf-8", "replace")
    return f"{_OTHER.sub('-', readable)[:_LONGEST] or 'session'}.jsonl"
