"""Everything that the two sides of a sync say to each other, over a pipe or in one process.

Directories are neutral here: below the home directory they begin with `~`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import msgspec

from sessiond.sync.digests import Part


class Ref(msgspec.Struct, frozen=True, array_like=True):
    """The name of a session, the same on all sides."""

    agent: str
    session: str
    """Its id; of an agent that alone writes its sessions, the name of its file."""
    part: str = ""
    """The path of a subagent or an output below the session; empty for the session itself."""

    @property
    def main(self) -> Ref:
        """The session to which it belongs."""
        return Ref(self.agent, self.session)

    def __str__(self) -> str:
        return f"{self.session}/{self.part}" if self.part else self.session


class Item(msgspec.Struct, frozen=True, array_like=True):
    """A session of a side."""

    ref: Ref
    has_entries: bool
    """Whether it is a file of entries; the bytes of any other file are compared."""
    digest: bytes
    """A sum of its entries, or the digest of its bytes."""
    size: int
    changed: float
    """When its file was changed, in epoch milliseconds."""
    created: str
    cwd: str
    """Its working directory; empty if it has none."""
    version: int
    """The version of its format after migration; 0 for a file of another agent."""
    place: str = ""
    """The directory of a file of an agent whose directories are not named after a `cwd`."""
    id: str = ""
    """The id in the header of a file of entries."""
    is_split: bool = False
    """Whether no single file has all entries, because a file synchroniser has made copies."""


class Problem(msgspec.Struct, frozen=True, array_like=True):
    """A session or a directory that a sync leaves alone, and why."""

    name: str
    text: str


class Inventory(msgspec.Struct, frozen=True, array_like=True):
    """All sessions of a side."""

    items: list[Item]
    deleted: list[Item]
    """Sessions in its trash."""
    problems: list[Problem]


class Want(msgspec.Struct, frozen=True, array_like=True):
    """A request for the content of a session."""

    ref: Ref
    digests: list[str] | None = None
    """The entries to send; None: the whole file."""
    start: int = 0
    """The bytes that the other side has."""


class Content(msgspec.Struct, frozen=True, array_like=True):
    """The content of a session; `error` says why there is none."""

    data: bytes
    error: str = ""


class Delivery(msgspec.Struct, frozen=True, array_like=True):
    """Something that a side is to write."""

    item: Item
    """The session on the side that has sent it, with the working directory for this one."""
    data: bytes
    """The whole file, entry lines, or the bytes that continue a file."""
    is_new: bool
    start: int = 0
    """The length of the file that the bytes continue."""
    prefix: bytes = b""
    """The digest of the bytes before them."""


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of a delivery or a deletion; `error` says why nothing was done."""

    entries: int = 0
    conflicts: list[str] = []
    """Ids that both sides have with different content."""
    error: str = ""


class Side(ABC):
    """One of the two places between which sessions are kept the same."""

    @property
    @abstractmethod
    def home(self) -> str:
        """The home directory that `~` stands for; empty if there is none."""

    @abstractmethod
    async def inventory(self, agents: Sequence[str]) -> Inventory:
        """Return the sessions of these agents; without names those of all."""

    @abstractmethod
    async def parts(self, questions: Sequence[tuple[Ref, list[str]]]) -> list[list[Part]]:
        """Return parts of the digests of sessions; see `digests.DigestSet.part`."""

    @abstractmethod
    async def prefixes(self, questions: Sequence[tuple[Ref, int]]) -> list[bytes]:
        """Return the digests of the first bytes of files; empty where that is not possible."""

    @abstractmethod
    async def read(self, wants: Sequence[Want]) -> list[Content]:
        """Return the contents of sessions."""

    @abstractmethod
    async def write(self, deliveries: Sequence[Delivery]) -> list[Outcome]:
        """Write what this side lacks."""

    @abstractmethod
    async def delete(self, items: Sequence[Item]) -> list[Outcome]:
        """Move sessions to the trash that still have the digests of the items."""
