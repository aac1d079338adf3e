"""Compare the session files of a mirrored directory with their copies, and copy what is new."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

import attrs

from sessiond.catalog.scope import SessionScope
from sessiond.files import disk, workers
from sessiond.postgres.mirror.copies import Addition, Copies, Copy, addition
from sessiond.postgres.mirror.origin import Origin
from sessiond.postgres.mirror.source import FilePart, compared, next_part
from sessiond.postgres.names import StoreName
from sessiond.postgres.writing import Written
from sessiond.runtime.errors import InvalidSessionFile, PathNotAllowed, ReadFailed, SessionNotFound

NextLook = Literal["reported", "settled", "now"]
"""When to compare a file again: when it is reported, when it has settled, or at once."""

_log = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Another process mirrors the directory."""


class CopiedFiles:
    """Knows what is stored of each file.

    `ring` is called with the name of each copy that was changed.
    """

    def __init__(
        self,
        copies: Copies,
        origin: Origin,
        scope: SessionScope,
        ring: Callable[[StoreName], None],
        *,
        masks: bool,
    ) -> None:
        self._copies = copies
        self._origin = origin
        self._scope = scope
        self._ring = ring
        self._masks = masks
        self._copied: dict[str, Copy] = {}
        """By real path."""

    def __len__(self) -> int:
        """How many files are stored."""
        return sum(not copy.deleted for copy in self._copied.values())

    async def load(self) -> None:
        """Read what is stored. Raises SessiondError."""
        self._copied = await self._copies.read_all()

    async def changed(self) -> list[str]:
        """Every file that may differ from its copy, and every copied file that is gone."""
        states = {
            real: copy.reached.state
            for real, copy in self._copied.items()
            if copy.reached.is_certain and self._continues(copy)
        }
        paths, changed, complete = await workers.reading(
            workers.LONG, compared, self._scope, states
        )
        stored = {real for real, copy in self._copied.items() if not copy.deleted}
        return [*changed, *(stored - paths)] if complete else changed

    def _continues(self, copy: Copy) -> bool:
        """Whether only what is new in the file has to be copied, and not all of it again."""
        return not copy.deleted and copy.masked == self._masks

    async def copy(self, path: str, *, settled: bool) -> NextLook:
        """Compare a file with its copy and store what is new, up to one part.

        `settled`: its last line is complete, although it may have no newline. Returns when to
        compare the file again. Raises SessiondError and LeaseLost.
        """
        real = path
        try:
            real = disk.realpath(path)
            part, new = await self._compare(real, settled=settled)
        except SessionNotFound:
            await self._delete(real)
            return "reported"
        except InvalidSessionFile:
            # Perhaps it is just being written.
            if not settled:
                return "settled"
            await self._delete(real)
            return "reported"
        except (ReadFailed, PathNotAllowed) as error:
            _log.info("%s", error)
            return "reported"
        next_look: NextLook = "settled" if part is not None and part.torn else "reported"
        if part is None or new is None:
            return next_look
        done = await self._copies.add(real, new)
        return await self._finish(real, new, done, "now" if part.more else next_look)

    async def _compare(
        self, real: str, *, settled: bool
    ) -> tuple[FilePart | None, Addition | None]:
        """The new part of a file, as read and as rows; None if there is nothing to store.

        Raises SessionNotFound, ReadFailed and InvalidSessionFile.
        """
        copy = self._copied.get(real)
        reached = copy.reached if copy is not None and self._continues(copy) else None
        part = await workers.reading(workers.LONG, next_part, real, reached, settled=settled)
        if part is None or (part.torn and not part.data):
            return part, None
        if not part.is_new:
            if copy is not None:
                self._copied[real] = attrs.evolve(copy, reached=part.reached)
            return part, None
        size = len(part.data)
        new = await workers.computing(size, addition, real, part, copy, masks=self._masks)
        return part, new

    async def _finish(self, real: str, new: Addition, done: Written, after: NextLook) -> NextLook:
        """Remember what was stored. Raises SessiondError and LeaseLost."""
        name = self._origin.copy(real)
        match done.outcome:
            case "written" | "repeated":
                self._copied[real] = attrs.evolve(new.copy, size=done.size)
                self._ring(name)
                return after
            case "lost":
                raise LeaseLost("another process mirrors it now")
            case "taken":
                _log.warning("%s is no copy of %s, or another process copies it", name, real)
                return "reported"
            case "moved":
                # It was stored by an attempt whose answer was lost, or removed from the store.
                self._copied.pop(real, None)
                stored = await self._copies.read(real)
                if stored is not None:
                    self._copied[real] = stored
                return "now"

    async def _delete(self, real: str) -> None:
        copy = self._copied.get(real)
        if copy is None or copy.deleted:
            return
        # A directory that is not there at all is rather a disk that is not mounted.
        if not disk.isdir(self._scope.directory):
            return
        if not await self._copies.mark_deleted(real):
            raise LeaseLost("another process mirrors it now")
        self._copied[real] = attrs.evolve(copy, deleted=True)
        self._ring(self._origin.copy(real))
