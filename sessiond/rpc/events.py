"""What the framing finds in the received bytes: bodies, and what cannot be one."""

from __future__ import annotations

import attrs


@attrs.frozen
class Oversized:
    """A body above the size limit, which was skipped without storing it."""


@attrs.frozen
class Unreadable:
    """A body that cannot be read although its boundaries are known."""

    reason: str


@attrs.frozen
class Pieces:
    """A large body in the pieces in which it was received; joining them takes long."""

    pieces: list[bytes | bytearray]

    def __len__(self) -> int:
        return sum(map(len, self.pieces))

    def joined(self) -> bytes:
        """Return the body. Releases the interpreter meanwhile, because all pieces are bytes."""
        return b"".join([bytes(piece) for piece in self.pieces])


Event = bytes | Pieces | Oversized | Unreadable


class BoundaryLost(Exception):
    """The beginning of the next message cannot be determined; the connection must end."""
