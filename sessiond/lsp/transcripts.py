"""Documents that are made of sessions: addresses of transcripts, and files in the user's cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePath
from urllib.parse import quote, unquote, urlsplit

from sessiond.catalog.private_directory import prepare_private
from sessiond.files import disk
from sessiond.files.temporary import temporary
from sessiond.lsp.documents import path_of
from sessiond.lsp.protocol import SCHEME
from sessiond.runtime.home import cache_directory

_OF = ".of"
"""Suffix of the file beside each document that names its session."""


def address_of(path: str, entry_id: str | None) -> str:
    """Return the address of a transcript; with an id, of the branch that ends with the entry."""
    upto = "" if entry_id is None else f"?{quote(entry_id, safe='', errors='surrogatepass')}"
    return f"{SCHEME}:{quote(os.fsencode(path))}{upto}"


def parts_of(address: str) -> tuple[str, str | None] | None:
    """Return the path of the session and the id of the entry; None for another address."""
    path = path_of(address, SCHEME)
    if path is None:
        return None
    return path, unquote(urlsplit(address).query, errors="surrogatepass") or None


def keep(env: Mapping[str, str], path: str, what: str, suffix: str, content: str) -> str:
    """Write a document of a session into the cache, for the user alone; returns its path.

    `what` names the document among those of the session. Blocking. Raises OSError.
    """
    directory = f"{cache_directory(env)}/transcripts"
    digest = hashlib.sha256(f"{path}?{what}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    target = f"{directory}/{PurePath(path).stem[:80]}-{digest}{suffix}"
    with disk.unconfined():
        prepare_private(directory)
        _drop_old(directory)
        _write(directory, target, content.encode("utf-8", "replace"))
        _write(directory, target + _OF, os.fsencode(path))
    return target


def drop_old(env: Mapping[str, str]) -> None:
    """Remove the documents of sessions that are gone. Blocking; raises nothing."""
    with disk.unconfined(), suppress(OSError):
        _drop_old(f"{cache_directory(env)}/transcripts")


def _drop_old(directory: str) -> None:
    for name in disk.listdir(directory):
        kept = f"{directory}/{name.removesuffix(_OF)}"
        # Those of earlier versions say nothing of their session, and are made again when asked for.
        is_old = not name.endswith(_OF) and not disk.lexists(kept + _OF)
        if is_old or (name.endswith(_OF) and not disk.lexists(os.fsdecode(_read(kept + _OF)))):
            for path in (kept, kept + _OF):
                with suppress(OSError):
                    disk.unlink(path)


def _read(path: str) -> bytes:
    descriptor = disk.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)


def _write(directory: str, target: str, content: bytes) -> None:
    with temporary(directory, 0o600) as (descriptor, path):
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        disk.rename(path, target)
