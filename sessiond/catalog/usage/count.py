"""Count the usage of one file, so that it can be added up later by day in any time zone.

Entries are counted by quarter of an hour in UTC, because the time zones of the world differ from
UTC by whole quarters of an hour (since 1972): a local day is a whole number of quarters, also in
zones such as Asia/Kolkata (+5:30) and Asia/Kathmandu (+5:45), and on days of clock changes.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from operator import add
from typing import cast

import msgspec

from sessiond.agents.sessions import opened_session
from sessiond.catalog.growing import Lines, has_grown
from sessiond.files.identity import FileState
from sessiond.format.describe.usage_line import EntryUsage, usage_of

QUARTER_MS = 900_000
"""Milliseconds of a quarter of an hour."""

_LATEST_MS = 253_370_764_800_000
"""The beginning of the year 9999; later times, which Python cannot convert everywhere, and times
before 1970 count as none."""
Sums = tuple[int, int, int, int, int, int, float, float, float, float, float, int, int]
"""Number of entries, and of those without a cost; tokens by `PARTS`; dollars by `PARTS`, total;
tokens that were written to a cache for an hour; number of entries whose cost was calculated.

A plain tuple, because there may be a hundred thousand to decode and to add up.
"""

Part = tuple[int | None, int, Sums]
"""A quarter (number since the epoch; None: no time), the index of a model, and their sums."""

EntryPart = tuple[int, int | None, int, Sums]
"""One entry: its key (0: none), quarter, model, and its own amounts."""

_entries = msgspec.msgpack.Decoder(list[EntryPart])


class FileUsage(msgspec.Struct, array_like=True, gc=False):
    """The usage of the first `offset` bytes of a file; the database keeps it as it is."""

    state: FileState
    offset: int = 0
    unended: bool = False
    tail: bytes = b""
    models: list[tuple[str, str]] = []
    """Providers and models, in order of first use; both are empty for usage that names none."""
    parts: list[Part] = []
    keys: bytes = b""
    """64-bit keys of the entries; entries that were copied to another file have the same there."""
    entries: bytes = b""
    """The entries one by one, encoded: see `split`."""

    def key_view(self) -> memoryview:
        """The keys as integers."""
        return memoryview(self.keys).cast("q")

    def split(self, counted: Collection[int]) -> tuple[list[Part], list[Part]]:
        """The parts of the entries whose keys are not in `counted`, and of the others."""
        own, copied = _Parts(), _Parts()
        for key, quarter, model, sums in self.all_entries():
            (copied if key and key in counted else own).add(quarter, model, sums)
        return own.all(), copied.all()

    def all_entries(self) -> list[EntryPart]:
        """The entries one by one, in the order of the file."""
        return _entries.decode(self.entries) if self.entries else []

    def with_entries(self, entries: Sequence[EntryPart]) -> FileUsage:
        """The same file, with other amounts of its entries."""
        parts = _Parts()
        for _, quarter, model, sums in entries:
            parts.add(quarter, model, sums)
        encoded = msgspec.msgpack.encode(entries)
        return msgspec.structs.replace(self, parts=parts.all(), entries=encoded)


class _Parts:
    """Sums by quarter and model."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self._sums = {(quarter, model): sums for quarter, model, sums in parts}

    def add(self, quarter: int | None, model: int, sums: Sums) -> None:
        known = self._sums.get((quarter, model))
        self._sums[quarter, model] = sums if known is None else _added(known, sums)

    def all(self) -> list[Part]:
        return [(quarter, model, sums) for (quarter, model), sums in self._sums.items()]


def _added(one: Sums, other: Sums) -> Sums:
    return cast("Sums", tuple(map(add, one, other)))


def read_usage(path: str, before: FileUsage | None = None) -> FileUsage:
    """Count the usage of a session file; if it only grew since `before`, read only the new part.

    Raises ReadFailed, SessionNotFound and OSError.
    """
    with opened_session(path, before, is_brief=True) as (descriptor, state, end):
        if before is None or not has_grown(before, descriptor, state):
            before = FileUsage(state)
        return _go_on(before, state, Lines(descriptor, before.offset, end))


def _go_on(before: FileUsage, state: FileState, lines: Lines) -> FileUsage:
    usage = count_usage(lines, state, before)
    usage.offset, usage.unended, usage.tail = lines.offset, lines.unended, lines.tail()
    return usage


def count_usage(
    lines: Iterable[bytes], state: FileState, before: FileUsage | None = None
) -> FileUsage:
    """Add the usage of further lines to what is known."""
    counter = UsageCounter(before)
    for raw in lines:
        usage = usage_of(raw)
        if usage is not None:
            counter.add(usage)
    return counter.total(state)


class UsageCounter:
    """Adds the usage of entries to what is known of a file."""

    def __init__(self, before: FileUsage | None = None) -> None:
        models = [] if before is None else before.models
        self._models = {model: index for index, model in enumerate(models)}
        self._parts = _Parts(() if before is None else before.parts)
        self._entries: list[EntryPart] = []
        self._keys = array("q")
        if before is not None and before.entries:
            self._entries = before.all_entries()
            self._keys.frombytes(before.keys)

    def add(self, usage: EntryUsage) -> None:
        quarter, sums = counted(usage)
        key = _key(usage, sums)
        index = self._models.setdefault(usage.model, len(self._models))
        self._parts.add(quarter, index, sums)
        self._entries.append((key, quarter, index, sums))
        if key:
            self._keys.append(key)

    def total(self, state: FileState) -> FileUsage:
        return FileUsage(
            state=state,
            models=list(self._models),
            parts=self._parts.all(),
            keys=self._keys.tobytes(),
            entries=msgspec.msgpack.encode(self._entries),
        )


def counted(usage: EntryUsage) -> tuple[int | None, Sums]:
    """Quarter and amounts of an entry."""
    amounts, at = usage.amounts, usage.time
    entries = 0 if usage.is_part else 1
    if amounts is None:
        sums: Sums = (entries, entries, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0)
    else:
        without_cost = -usage.priced_answers if amounts.has_cost else entries
        costs = (*amounts.dollars, amounts.total)
        written = amounts.for_an_hour
        sums = cast("Sums", (entries, without_cost, *amounts.tokens, *costs, written, 0))
    quarter = int(at // QUARTER_MS) if at is not None and 0 <= at < _LATEST_MS else None
    return quarter, sums


def _key(usage: EntryUsage, sums: Sums) -> int:
    """A key that entries of different sessions share only if one is a copy of the other.

    It is made of what the agent calls the answer, or of the id, the time and the tokens, which
    agents keep when they fork a session; 0 if there is neither.
    """
    if usage.answer_id is not None:
        answer = usage.answer_id
    elif usage.time is not None:
        answer = f"{usage.entry_id}\0{usage.time}\0{sums[2:6]}"
    else:
        return 0
    key = blake2b(answer.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(key, signed=True)
