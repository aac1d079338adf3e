"""Bring session files into an agent's directory, or to another working directory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import attrs

from sessiond.errors import AlreadyExists, InvalidSessionFile, SessionNotFound
from sessiond.files import disk, journal
from sessiond.files.flock import rewriting
from sessiond.format.header import Header, header_in
from sessiond.jsontext.spans import Buffer, js_string, replace_member


@attrs.frozen
class Arriving:
    """A session file that is to be written; all bytes but those of the header are as they were."""

    header: Header
    cwd: str
    data: bytes

    @classmethod
    def of(cls, name: str, data: bytes, **members: str) -> Arriving:
        """Make one with these members of the header. Raises InvalidSessionFile."""
        found = header_in(data)
        if found is None:
            raise InvalidSessionFile(name, 1)
        header, place = found
        raw = _with(header.raw, members)
        cwd = members.get("cwd", header.cwd or "")
        return cls(header, cwd, data[: place.start] + raw + data[place.stop :])


def _with(raw: bytes, members: Mapping[str, str]) -> bytes:
    for name, value in members.items():
        raw = replace_member(raw, name, js_string(value))
    return raw


async def relink(path: str, target: str, members: Mapping[str, str], *, patience: float) -> None:
    """Change members of the header of a session file and move the file to `target`.

    What other programs append meanwhile is kept. `patience`: how many seconds to wait for the lock.
    Raises SessionNotFound, AlreadyExists, InvalidSessionFile, Busy and WriteFailed.
    """
    if target != path and disk.lexists(target):
        raise AlreadyExists(target)

    def render(pieces: Sequence[Buffer]) -> list[Buffer]:
        return [Arriving.of(path, b"".join(pieces), **members).data]

    def work(descriptor: int) -> None:
        journal.rewrite(path, descriptor, render)
        if target != path:
            disk.makedirs(os.path.dirname(target), journal.DIRECTORY_MODE)
            disk.rename(path, target)

    try:
        await rewriting(path, patience, work)
    except FileNotFoundError:
        raise SessionNotFound(path) from None
