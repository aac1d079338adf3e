"""Resume tokens: what a client knew of a list, so that it is told only what changed since.

A token holds the list itself, path by path with its revision, and not the place of a record that a
daemon keeps: it is good for another daemon, and after any time. A revision is a digest of what
`stat` tells of a session and of its name.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from collections.abc import Iterable, Sequence

import attrs
import msgspec

from sessiond.catalog.marks import MarkFilter
from sessiond.catalog.search.folding import encode
from sessiond.catalog.summaries import Summary
from sessiond.runtime.isolation import Faults

_MOST_BYTES = 64 * 1024 * 1024
"""Limit for an unpacked token, in bytes: more than the paths of 500,000 sessions."""


_UNMARKED = MarkFilter()


class _Known(msgspec.Struct, array_like=True):
    """The content of a token: which list it is of, and the path and revision of each session."""

    bound: bytes
    sessions: list[tuple[bytes, bytes]]


_DECODER = msgspec.msgpack.Decoder(_Known)


@attrs.frozen
class Since:
    """The changes of a list since a client knew it."""

    changed: Sequence[Summary]
    """Sessions that were added or changed, latest first."""
    removed: Sequence[str]
    """Paths of sessions that are gone."""


def revision(summary: Summary) -> str:
    """Return what differs whenever the session has changed, also by a rename."""
    state = msgspec.structs.astuple(summary.state)
    return hashlib.blake2b(encode(f"{state}{summary.name}"), digest_size=8).hexdigest()


def compared(
    sessions: Iterable[Summary],
    bound: str,
    given: str | None,
    faults: Faults,
    marked: MarkFilter = _UNMARKED,
) -> tuple[str, Since | None]:
    """Return the token of a list, and what changed since another token.

    `bound` says which list it is. None if there is no other token, or if it is of another list.
    """
    now: dict[str, tuple[bytes, Summary]] = {}
    held: list[tuple[bytes, bytes]] = []
    for each in sessions:
        with faults.isolate(each.path):
            path, digest = encode(each.path), bytes.fromhex(revision(each))
            marks = marked.marks_of(each)
            if marks.are_any:
                digest += encode(f"{marks}")
            held.append((path, digest))
            now[each.path] = digest, each
    list_ = bound.encode("utf-8", "surrogatepass")
    # Sorted, because neighbours in a directory have much in common.
    packed = zlib.compress(msgspec.msgpack.encode(_Known(list_, sorted(held))), 1)
    token = base64.urlsafe_b64encode(packed).decode()
    revisions = None if given is None else _told(given, list_)
    if revisions is None:
        return token, None
    changed = [each for path, (digest, each) in now.items() if revisions.get(path) != digest]
    return token, Since(changed, [path for path in revisions if path not in now])


def _told(token: str, list_: bytes) -> dict[str, bytes] | None:
    """The revisions in a token, by path; None if it is of another list, or no token."""
    try:
        packed = base64.urlsafe_b64decode(token)
        revisions = _DECODER.decode(zlib.decompressobj().decompress(packed, _MOST_BYTES))
        if revisions.bound != list_:
            return None
        return {
            path.decode("utf-8", "surrogatepass"): digest for path, digest in revisions.sessions
        }
    except (ValueError, binascii.Error, zlib.error, msgspec.MsgspecError):
        return None
