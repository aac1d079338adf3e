"""One sync between two sides: find what differs, then move what is missing.

Both sides say what they have. Sessions with equal digests are left alone; of the others the
entries that one side lacks are found by `digests`. Every session is written as a whole or not at
all, so a sync that was interrupted goes on where it ended.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeVar

import attrs
import msgspec

from sessiond.catalog.projects import Project
from sessiond.runtime import isolation
from sessiond.runtime.home import with_tilde
from sessiond.sync.digests import compare
from sessiond.sync.side import Content, Delivery, Item, Outcome, Problem, Ref, Side, Want

_BATCH_BYTES = 8 * 1024 * 1024
_BATCH_ITEMS = 500
_COMPARED_BYTES = 256 * 1024 * 1024
"""How much of both sides is compared in one round of questions."""

_T = TypeVar("_T")

_NAMED = 3
"""How many entries are named that both sides have with different content."""

Kind = Literal["session", "entries", "bytes", "deletion"]


@attrs.frozen
class Options:
    """The work of a sync; directories are those of this side."""

    agents: Sequence[str] = ()
    project: Project | None = None
    since: float | None = None
    """Epoch milliseconds: only sessions whose file changed since then, on one side or the other."""
    pulls: bool = True
    pushes: bool = True
    deletions: bool = False
    is_trial: bool = False
    """Whether nothing is to be written."""
    mapping: Sequence[tuple[str, str]] = ()
    """Directories of this side, each with the one on the other side in its place."""


@attrs.define
class Move:
    """Something that moves from one side to the other."""

    item: Item
    kind: Kind
    to_here: bool
    entries: int = 0
    """How many entries move; 0 if that is not known before."""


@attrs.define
class Report:
    """The moves that a sync has made, or would make, and what it left alone."""

    moves: list[Move] = attrs.field(factory=list)
    problems: list[Problem] = attrs.field(factory=list)
    compared: int = 0
    """The number of sessions on both sides together."""


@attrs.define
class _Difference:
    """A session that both sides have with different content."""

    here: Item
    there: Item
    pending: list[str] = attrs.field(factory=lambda: [""])
    ours: list[str] = attrs.field(factory=list)
    theirs: list[str] = attrs.field(factory=list)


@attrs.define
class _Transfer:
    move: Move
    want: Want
    is_new: bool = False
    size: int = 0
    start: int = 0
    prefix: bytes = b""


class Exchange:
    """A sync of two sides, run once."""

    def __init__(
        self,
        here: Side,
        there: Side,
        options: Options,
        moved: Callable[[Move], None] = lambda _: None,
    ) -> None:
        """`moved` is called for each session as soon as it was written."""
        self._here = here
        self._there = there
        self._options = options
        self._moved = moved
        self._report = Report()
        self._noted: set[Problem] = set()

    async def run(self) -> Report:
        """Do it. Raises SessiondError if a side cannot be reached."""
        agents = self._options.agents
        here, there = await asyncio.gather(
            self._here.inventory(agents), self._there.inventory(agents)
        )
        self._report.problems += [*here.problems, *there.problems]
        ours, theirs = self._select(here.items, there.items)
        self._report.compared = len(ours.keys() | theirs.keys())
        deletions, kept_back = self._deletions(ours, theirs, here.deleted, there.deleted)
        transfers = [
            *self._whole(ours, theirs.keys() | kept_back, to_here=False),
            *self._whole(theirs, ours.keys() | kept_back, to_here=True),
        ]
        differences = [
            _Difference(ours[ref], theirs[ref])
            for ref in ours
            if ref in theirs and ours[ref].digest != theirs[ref].digest
        ]
        for batch in _batches(differences, _COMPARED_BYTES, lambda each: each.here.size):
            transfers += await self._compare(batch)
        await self._transfer(transfers)
        await self._delete(deletions)
        await self._unite_copies(ours, theirs)
        return self._report

    # What differs.

    def _select(
        self, here: Iterable[Item], there: Iterable[Item]
    ) -> tuple[dict[Ref, Item], dict[Ref, Item]]:
        """Return the sessions that the options mean, with their parts, by name."""
        ours = {each.ref: each for each in here}
        theirs = {each.ref: each for each in there}
        selection = {
            ref
            for ref in {*ours, *theirs}
            if not ref.part and self._is_chosen(ours.get(ref), theirs.get(ref))
        }
        for items in (ours, theirs):
            for ref in [each for each in items if each.main not in selection]:
                del items[ref]
        return ours, theirs

    def _is_chosen(self, ours: Item | None, theirs: Item | None) -> bool:
        agents, since, project = self._options.agents, self._options.since, self._options.project
        either = [each for each in (ours, theirs) if each is not None]
        if agents and either[0].ref.agent not in agents:
            return False
        if since is not None and max(each.changed for each in either) < since:
            return False
        if project is None:
            return True
        cwds = [ours.cwd] if ours is not None else []
        cwds += [self._mapped(theirs.cwd, to_here=True)] if theirs is not None else []
        home = self._here.home
        return any(project.holds(_expanded(cwd, home)) for cwd in cwds)

    def _deletions(
        self,
        ours: dict[Ref, Item],
        theirs: dict[Ref, Item],
        deleted_here: Iterable[Item],
        deleted_there: Iterable[Item],
    ) -> tuple[list[Move], set[Ref]]:
        """Return what is deleted on the other side, and the sessions that do not come back."""
        moves: list[Move] = []
        kept_back: set[Ref] = set()
        for items, others, deleted, to_here in (
            (theirs, ours, deleted_here, False),
            (ours, theirs, deleted_there, True),
        ):
            digests: dict[Ref, set[bytes]] = {}
            for each in deleted:
                digests.setdefault(each.ref, set()).add(each.digest)
            for ref in digests.keys() & items.keys() - others.keys():
                kept_back |= {each for each in items if each.main == ref}
                if not self._options.deletions:
                    continue
                if items[ref].digest in digests[ref]:
                    moves.append(Move(items[ref], "deletion", to_here))
                else:
                    text = "differs from the one that was deleted on the other side, and stays"
                    self._report.problems.append(Problem(str(ref), text))
        return [each for each in moves if self._goes(each)], kept_back

    def _goes(self, move: Move) -> bool:
        return self._options.pulls if move.to_here else self._options.pushes

    def _whole(
        self, items: dict[Ref, Item], others: set[Ref], *, to_here: bool
    ) -> Iterator[_Transfer]:
        """Yield the sessions that one side alone has: parents first, then their parts."""
        missing = [each for ref, each in items.items() if ref not in others]
        for item in sorted(missing, key=lambda each: (bool(each.ref.part), each.created)):
            move = Move(item, "session", to_here)
            if self._goes(move):
                yield _Transfer(move, Want(item.ref), is_new=True, size=item.size)

    async def _compare(self, differences: Sequence[_Difference]) -> list[_Transfer]:
        """Find what the sides lack of sessions that differ."""
        by_entries, by_bytes = list[_Difference](), list[_Difference]()
        for each in differences:
            if each.here.has_entries != each.there.has_entries:
                continue
            if each.here.has_entries and each.here.version != each.there.version:
                text = "has different versions of the format on both sides"
                self._report.problems.append(Problem(str(each.here.ref), text))
                continue
            (by_entries if each.here.has_entries else by_bytes).append(each)
        await self._compare_entries(by_entries)
        transfers = [
            _Transfer(
                Move(item, "entries", to_here, len(digests)),
                Want(item.ref, digests),
                size=item.size * len(digests) // max(1, len(digests) + 100),
            )
            for each in by_entries
            for item, digests, to_here in (
                (each.here, each.ours, False),
                (each.there, each.theirs, True),
            )
            if digests
        ]
        return [
            each
            for each in [*transfers, *await self._compare_bytes(by_bytes)]
            if self._goes(each.move)
        ]

    async def _compare_entries(self, differences: Sequence[_Difference]) -> None:
        open_ = list(differences)
        while open_:
            questions = [(each.here.ref, each.pending) for each in open_]
            ours, theirs = await asyncio.gather(
                self._here.parts(questions), self._there.parts(questions)
            )
            for each, here, there in zip(open_, ours, theirs, strict=True):
                following: list[str] = []
                for prefix, one, other in zip(each.pending, here, there, strict=True):
                    mine, yours, more = compare(prefix, one, other)
                    each.ours += mine
                    each.theirs += yours
                    following += more
                each.pending = following
            open_ = [each for each in open_ if each.pending]

    async def _compare_bytes(self, differences: Sequence[_Difference]) -> list[_Transfer]:
        """Find files that continue those of the other side exactly."""
        sizes = [(each.here.ref, min(each.here.size, each.there.size)) for each in differences]
        ours, theirs = await asyncio.gather(self._here.prefixes(sizes), self._there.prefixes(sizes))
        transfers = []
        for each, (ref, size), here, there in zip(differences, sizes, ours, theirs, strict=True):
            if here != there or not here or each.here.size == each.there.size:
                text = "differs on both sides, and its agent alone can continue it"
                self._report.problems.append(Problem(str(ref), text))
                continue
            to_here = each.there.size > each.here.size
            item = each.there if to_here else each.here
            move = Move(item, "bytes", to_here)
            transfers.append(
                _Transfer(
                    move, Want(ref, start=size), size=item.size - size, start=size, prefix=here
                )
            )
        return transfers

    # What moves.

    async def _transfer(self, transfers: Sequence[_Transfer]) -> None:
        done, total = 0, len(transfers)
        for to_here in (True, False):
            some = [each for each in transfers if each.move.to_here == to_here]
            for batch in _batches(some, _BATCH_BYTES, lambda each: each.size):
                if self._options.is_trial:
                    for each in batch:
                        self._note(each.move)
                else:
                    await self._transfer_batch(batch, to_here=to_here)
                done += len(batch)
                isolation.advance(done, total)
                # It is sent in this turn of the loop.
                await asyncio.sleep(0)

    async def _transfer_batch(self, batch: Sequence[_Transfer], *, to_here: bool) -> None:
        source, target = (self._there, self._here) if to_here else (self._here, self._there)
        contents = await source.read([each.want for each in batch])
        deliveries = []
        for each, content in zip(batch, contents, strict=True):
            if content.error:
                self._problem(each.move, content.error)
            elif content.data:
                deliveries.append((each, self._delivery(each, content, to_here=to_here)))
        outcomes = await target.write([delivery for _, delivery in deliveries])
        for (each, _), outcome in zip(deliveries, outcomes, strict=True):
            self._conclude(each.move, outcome)

    def _delivery(self, transfer: _Transfer, content: Content, *, to_here: bool) -> Delivery:
        item = transfer.move.item
        item = msgspec.structs.replace(item, cwd=self._mapped(item.cwd, to_here=to_here))
        return Delivery(item, content.data, transfer.is_new, transfer.start, transfer.prefix)

    def _conclude(self, move: Move, outcome: Outcome) -> None:
        if outcome.conflicts:
            some = ", ".join(outcome.conflicts[:_NAMED])
            more = ", …" if outcome.conflicts[_NAMED:] else ""
            self._problem(move, f"has different content on both sides, which stays: {some}{more}")
        if outcome.error:
            self._problem(move, outcome.error)
        elif outcome.entries or move.kind == "session":
            move.entries = outcome.entries
            self._note(move)

    def _note(self, move: Move) -> None:
        self._report.moves.append(move)
        self._moved(move)

    def _problem(self, move: Move, text: str) -> None:
        problem = Problem(str(move.item.ref), text)
        # Both directions may find the same.
        if problem not in self._noted:
            self._noted.add(problem)
            self._report.problems.append(problem)

    async def _delete(self, moves: Sequence[Move]) -> None:
        for to_here in (True, False):
            some = [each for each in moves if each.to_here == to_here]
            if self._options.is_trial:
                for each in some:
                    self._note(each)
            elif some:
                side = self._here if to_here else self._there
                outcomes = await side.delete([each.item for each in some])
                for each, outcome in zip(some, outcomes, strict=True):
                    self._conclude(each, outcome)

    async def _unite_copies(self, ours: dict[Ref, Item], theirs: dict[Ref, Item]) -> None:
        """Give the first of several files the entries of the others."""
        for items, to_here in ((ours, True), (theirs, False)):
            moves = [Move(each, "entries", to_here) for each in items.values() if each.is_split]
            moves = [each for each in moves if self._goes(each) and not self._options.is_trial]
            side = self._here if to_here else self._there
            outcomes = await side.write([Delivery(each.item, b"", is_new=False) for each in moves])
            for each, outcome in zip(moves, outcomes, strict=True):
                self._conclude(each, outcome)

    def _mapped(self, directory: str, *, to_here: bool) -> str:
        """Return a neutral directory of one side as the neutral directory of the other."""
        for old, new in self._options.mapping:
            ours = with_tilde(_expanded(old, self._here.home), self._here.home)
            theirs = with_tilde(_expanded(new, self._there.home), self._there.home)
            before, after = (theirs, ours) if to_here else (ours, theirs)
            if directory == before or directory.startswith(f"{before.rstrip('/')}/"):
                return after + directory[len(before) :]
        return directory


def _expanded(directory: str, home: str) -> str:
    is_below = directory == "~" or directory.startswith("~/")
    return os.path.normpath(home + directory[1:]) if is_below and home else directory


def _batches(items: Sequence[_T], most: int, size: Callable[[_T], int]) -> Iterator[list[_T]]:
    """Divide work so that little of it is in memory at a time."""
    batch: list[_T] = []
    total = 0
    for item in items:
        if batch and (total + size(item) > most or len(batch) >= _BATCH_ITEMS):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch
