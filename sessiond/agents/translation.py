"""How sessions are read that are not files of pi's format: they become entry lines of pi's format.

Above this package every session is a file of entry lines at a path. An agent that keeps something
else has a translation, which may only read.
"""

from __future__ import annotations

import io
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

import attrs

from sessiond.agents.source import Record, is_entry
from sessiond.files.identity import FileState, Reached
from sessiond.runtime.errors import Unsupported

INSTEAD = (
    "open it with `readOnly`, copy it with `session/forkFrom` or `sessiond export`, or use its"
    " agent itself"
)


_BLOCK = 1024 * 1024
"""Bytes of lines that are copied together."""


@attrs.frozen
class TranslatedReading:
    """The entry lines of a session, or those after a place that was known."""

    state: FileState
    place: object
    """How far the session was read; what `Translation.read` takes as `before`."""
    lines: list[bytes]
    """The lines without their line feeds; the first of a whole session is its header."""
    is_growth: bool
    """Whether the lines follow those that were known; if not, they are all lines."""

    @property
    def size(self) -> int:
        """The bytes of the lines as in a file."""
        return sum(map(len, self.lines)) + len(self.lines)

    def take_blocks(self) -> Iterator[bytes]:
        """Yield the lines as in a file, some at a time, and let go of them.

        So a session is in memory only once while it is copied.
        """
        self.lines.reverse()
        while self.lines:
            some, size = [], 0
            while self.lines and size < _BLOCK:
                some.append(self.lines.pop())
                size += len(some[-1])
            yield b"\n".join((*some, b""))


class Translation(ABC):
    """Reads the sessions of one agent. All methods may block, and none changes a file."""

    suffixes: tuple[str, ...] = ()
    """The ends of the names of its files, besides `.jsonl`: lists and watching look for them."""

    names: str | None = None
    """An expression for the names of its files, if not all with its `suffixes` are sessions."""

    version: re.Pattern[bytes] | None = None
    """Finds the version of the agent at the beginning of a file; None: its files name none."""

    splits_answers = False
    """Whether the parts of an answer are entries of their own; pi has them in one message."""

    @abstractmethod
    def holds(self, path: str) -> bool:
        """Return whether a path names one of its sessions, by the path alone."""

    def begins(self, head: bytes) -> bool:  # noqa: ARG002
        """Return whether one of its files begins so, wherever it lies; `head` has some 4 kB."""
        return False

    def id_of(self, path: str) -> str:
        """Return the id of the session at a path, by the path alone."""
        return unquote(os.path.splitext(os.path.basename(path))[0])

    def place_of(self, path: str) -> str:
        """Return the directory of sessions that a session belongs to, by the path alone."""
        return os.path.dirname(path)

    def further_places(self, directory: str) -> Iterable[str]:  # noqa: ARG002
        """Return what holds further sessions of a directory of sessions, as of subagents.

        Raises OSError.
        """
        return ()

    def places_near(self, directory: str) -> Iterable[str]:  # noqa: ARG002
        """Return other directories with sessions that may have worked where this one's did.

        Raises OSError.
        """
        return ()

    def changed_with(self, path: str) -> Iterable[str]:  # noqa: ARG002
        """Return other sessions to look at when one has changed, as those of its subagents."""
        return ()

    def prefix_in(self, directory: str) -> str:  # noqa: ARG002
        """Return what the names of sessions in a directory begin with; empty: with anything."""
        return ""

    @abstractmethod
    def stat(self, path: str) -> os.stat_result | None:
        """Return the state of a session as that of a file; None if there is no such session.

        It differs for every content of the session. Raises ReadFailed and PathNotAllowed.
        """

    @abstractmethod
    def read(self, path: str, before: object | None = None) -> TranslatedReading | None:
        """Return the lines of a session, or, if it has only grown, those after the `before` place.

        None if there is no such session. Raises ReadFailed, Busy, Unsupported and SessionNotFound.
        """

    def read_growth(self, path: str, before: Reached) -> TranslatedReading | None:  # noqa: ARG002
        """Return the lines after those another process read; None if that cannot be told."""
        return None

    def read_briefly(self, path: str, before: Reached | None = None) -> TranslatedReading | None:
        """Return a session, or its growth, as far as lists and the count of usage need it.

        The lines may lack texts and entries that neither of them uses. Raises as `read` does.
        """
        growth = None if before is None else self.read_growth(path, before)
        return growth or self.read(path)

    def keeps_words(self, path: str, descriptor: int) -> bool:  # noqa: ARG002
        """Return whether an open file has each word said in the session, written as in JSON.

        Text that a reading puts together from several places must not make words of them. Raises
        OSError.
        """
        return False

    def records(self, path: str, entry_id: str, most: int) -> list[Record]:
        """Return what an entry was made of, each with at most `most` bytes; none if unknown.

        Here it is the translated line itself. Raises as `read` does, also SessionNotFound.
        """
        reading = self.read(path)
        lines = [] if reading is None else reading.lines
        file = self.file_of(path)
        records_found = [line for line in lines if is_entry(line, entry_id)]
        return [Record(file, len(line), line[:most]) for line in records_found]

    @abstractmethod
    def refusal(self, path: str) -> Unsupported:
        """Return the error for an attempt to change a session."""

    def file_of(self, path: str) -> str:
        """Return the file on disk that has the session."""
        return path

    def file_beside(self, path: str) -> str | None:  # noqa: ARG002
        """Return where the file of a session lay before it was moved into a database."""
        return None

    def is_place(self, path: str) -> bool:  # noqa: ARG002
        """Return whether a path names something that holds sessions as a directory does."""
        return False

    def place_beside(self, directory: str) -> str | None:  # noqa: ARG002
        """Return where further sessions of a directory of sessions would lie; None: nowhere."""
        return None

    def stat_all(self, place: str) -> Iterable[tuple[str, os.stat_result | None]]:
        """Return the sessions of a place with their states; see `disk.stat_entries`."""
        raise NotImplementedError

    def refusal_beside(self, path: str, place: str) -> Unsupported:
        """Return the error for a new file at a path, beside an existing `place`."""
        raise NotImplementedError


class DatabaseTranslation(Translation):
    """Reads a database that has all sessions, and counts as a directory of files."""

    database: str
    """The name of its file."""

    def holds(self, path: str) -> bool:
        database, name = os.path.split(path)
        return self.is_place(database) and name.endswith(".jsonl")

    def is_place(self, path: str) -> bool:
        return os.path.basename(path) == self.database

    def file_of(self, path: str) -> str:
        return os.path.dirname(path)


class GatewayDatabase(Translation):
    """Reads a database that replaces the files of a gateway: its store and its transcripts."""

    instead: str
    """A way that people can use instead of what is refused."""

    @abstractmethod
    def beside_store(self, directory: str) -> str:
        """Return where the database would lie that replaces a store in this directory."""

    @abstractmethod
    def transcript_path(self, database: str, session_id: str) -> str:
        """Return the path under which clients know a transcript."""

    @abstractmethod
    def entries(self, database: str) -> dict[str, bytes]:
        """Return the entry of each conversation as JSON, by its key. Blocking.

        Raises SessionNotFound, ReadFailed, Busy and Unsupported.
        """

    @abstractmethod
    def explain(self, database: str) -> str:
        """Return the beginning of a sentence: who keeps the sessions of a store in the database."""


def _unnamed_file() -> io.BufferedRandom:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("session"), "w+b")
    # macOS has no such call; elsewhere the module need not be imported.
    import tempfile  # noqa: TID251 - for a file without a name

    return tempfile.TemporaryFile()


def copy_of(reading: TranslatedReading, before: Reached | None) -> io.BufferedRandom:
    """Write the lines into a file without a name; of growth only the tail and the rest."""
    file = _unnamed_file()
    if before is not None and reading.is_growth:
        file.seek(before.offset - len(before.tail))
        file.write(before.tail)
    for block in reading.take_blocks():
        file.write(block)
    file.flush()
    return file
