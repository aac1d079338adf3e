"""Bring session files into an agent's directory, or to another working directory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence

import attrs

from sessiond.agents.runs import directory_of_runs, run_files
from sessiond.catalog.discover import read_header
from sessiond.files import disk, journal
from sessiond.files.durable import settle
from sessiond.files.flock import rewriting
from sessiond.format.header import PARENT, Header, header_in
from sessiond.runtime.errors import AlreadyExists, InvalidSessionFile, SessionNotFound, WriteFailed
from sessiond.text.spans import Buffer, js_string, replace_member


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


async def relink(
    path: str, target: str, members: Mapping[str, str], *, patience: float
) -> str | None:
    """Change members of the header of a session file and move the file to `target`, or do neither.

    What other programs append meanwhile is kept. A link is moved itself, and the file that it leads
    to stays where it is. `patience`: how many seconds to wait for the lock. Returns a
    warning if a program keeps writing to the old file. Raises SessionNotFound,
    AlreadyExists, InvalidSessionFile, Busy and WriteFailed.
    """
    if target != path and disk.lexists(target):
        raise AlreadyExists(target)

    def render(pieces: Sequence[Buffer]) -> list[Buffer]:
        return [Arriving.of(path, b"".join(pieces), **members).data]

    def work(descriptor: int) -> str | None:
        if target == path:
            return journal.rewrite(path, descriptor, render)
        if not disk.islink(path):
            return journal.rewrite(path, descriptor, render, target)
        with _moved_link(path, target):
            return journal.rewrite(path, descriptor, render)

    runs = directory_of_runs(path) if target != path else None
    try:
        warning = await rewriting(path, patience, work)
    except FileNotFoundError:
        raise SessionNotFound(path) from None
    if runs is not None:
        moved = {path: target}
        warning = await _relink_runs(runs, target, members, moved, patience) or warning
    return warning


async def _relink_runs(
    runs: str,
    target: str,
    members: Mapping[str, str],
    moved: Mapping[str, str],
    patience: float,
) -> str | None:
    """Move the subagents of a session after it; return a warning if they stay.

    `moved` says where a session is that they may name as their parent.
    """
    directory = target.removesuffix(".jsonl")
    try:
        disk.rename_exclusively(runs, directory)
    except OSError as error:
        return f"the sessions of its subagents stay in {runs}: {error.strerror}"
    cwd = {name: value for name, value in members.items() if name == "cwd"}
    for path in run_files(directory):
        with contextlib.suppress(InvalidSessionFile):
            header = read_header(path)
            parent = None if header is None else moved.get(header.parent_session or "")
            own = cwd if parent is None else {**cwd, PARENT: parent}
            await relink(path, path, own, patience=patience)
    return None


@contextlib.contextmanager
def _moved_link(path: str, target: str) -> Iterator[None]:
    """Give a link its new name, and remove the old one after the body; if that fails, do neither.

    A relative link would lead elsewhere, so the new one has the whole path.
    """
    try:
        disk.makedirs(os.path.dirname(target), journal.DIRECTORY_MODE)
        disk.symlink(disk.realpath(path), target)
    except FileExistsError:
        raise AlreadyExists(target) from None
    except OSError as error:
        raise WriteFailed(target, error) from None
    try:
        yield
        settle(target)
        disk.unlink(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            disk.unlink(target)
        if isinstance(error, OSError):
            raise WriteFailed(path, error) from None
        raise
