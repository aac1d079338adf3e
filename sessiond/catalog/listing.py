"""Lists of sessions: cached in memory, divided into pages, converted to their wire form."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.session.activity import SessionActivity
from sessiond_protocol.session.state import (
    FileProblem,
    OtherProcesses,
    SessionHome,
    SessionInfo,
    SessionMarks,
    SubagentRun,
)

from sessiond.agents.sessions import changed_with, file_beside, is_archived, is_place
from sessiond.catalog.discover import stat_sessions
from sessiond.catalog.index.database import SearchCache
from sessiond.catalog.kinds import Kinds
from sessiond.catalog.marks import NO_MARKS, Marks
from sessiond.catalog.resuming import revision
from sessiond.catalog.scope import Progress, SessionScope
from sessiond.catalog.scope_reading import ScopeReading
from sessiond.catalog.summaries import NO_MESSAGES, Summary
from sessiond.catalog.superseding import has_all_entries
from sessiond.files import workers
from sessiond.files.identity import FileState
from sessiond.format.header import Subagent
from sessiond.runtime.isolation import Fault, Faults, advance
from sessiond.text.dates import iso_from_ms
from sessiond.text.safe import presentable


@attrs.frozen
class Changed:
    """A change of one file; `summary` is None if it was removed."""

    kind: Literal["added", "changed", "removed"]
    path: str
    summary: Summary | None = None


@attrs.frozen
class Listing:
    """The result of reading a scope. Immutable: workers take and return it."""

    scope: SessionScope
    sessions: dict[str, Summary] = attrs.field(factory=dict)
    others: dict[str, FileState] = attrs.field(factory=dict)
    """Files that are not sessions of the scope, kept so that they are read again only on change."""
    faults: tuple[Fault, ...] = ()
    """Why files and directories are missing; each reading tries them again."""

    superseded: frozenset[str] = frozenset()
    """Files that a move into a database has left, and that have nothing else."""

    @functools.cached_property
    def _newest_first(self) -> list[Summary]:
        every = self.sessions.values()
        return newest_first(each for each in every if each.path not in self.superseded)

    def newest_first(self) -> Sequence[Summary]:
        return self._newest_first

    @functools.cached_property
    def _usual(self) -> list[Summary]:
        # As `Kinds` has them; without calls, because it runs for each of thousands of sessions.
        return [
            each
            for each in self._newest_first
            if each.header.subagent is None and not each.path.endswith("Z")
        ]

    def of_kinds(self, kinds: Kinds) -> Sequence[Summary]:
        """The sessions that a list of these kinds has."""
        if kinds == Kinds():
            return self._usual
        return [each for each in self._newest_first if kinds.have(each)]

    def with_id(self, given: str) -> Sequence[Summary]:
        """The sessions with this id; see `Catalogue.with_id`."""
        host, session_id = host_and_id(given)
        every = [
            each
            for each in self._newest_first
            if host is None or (each.home is not None and each.home.host == host)
        ]
        same = [each for each in every if each.header.id == session_id]
        begin = [each for each in every if each.header.id.startswith(session_id)]
        return same or [each for each in begin if each.header.subagent is None] or begin

    def read(
        self,
        reported: Collection[str] | None = None,
        *,
        with_text: bool = False,
        progress: Progress | None = None,
        cache: SearchCache | None = None,
    ) -> Listing:
        """Read the same scope again. Blocking.

        `reported` lists files and directories that may have changed; None means all. Unchanged
        files are not read, and of a file that grew only the new part. `with_text` keeps the text of
        messages; a listing has it for all sessions or for none. Exceptions of `progress` propagate.
        `cache` has the summaries of earlier readings; it only saves time.
        """
        faults = Faults(self.faults)
        reading = ScopeReading(self.scope, self.sessions, self.others, cache, with_text=with_text)
        failed = {fault.path for fault in self.faults}
        if reported is not None and all(map(self.scope.holds, {*reported, *failed})):
            others = {other for path in reported for other in changed_with(path)}
            paths = sorted({*reported, *others, *failed}, reverse=True)
            total = max(len(paths), len(self.sessions) + len(self.others))
        else:
            total, paths = self._scan(reading, faults)
        if paths:
            reading.load()
            with reading.reading_ahead(paths):
                for number, path in enumerate(paths, total - len(paths) + 1):
                    with faults.isolate(path):
                        reading.look(path)
                    advance(number, total)
                    if progress is not None:
                        progress(number, total, reading.sessions)
        else:
            advance(total, total)
            if progress is not None:
                progress(total, total, reading.sessions)
        reading.save()
        superseded = self.superseded
        if reading.is_changed:
            superseded = superseded_files(reading.sessions, faults)
        allowed = self._allowed(faults)
        if not reading.is_changed and allowed == self.faults:
            return self
        return Listing(self.scope, reading.sessions, reading.others, allowed, superseded)

    def _scan(self, reading: ScopeReading, faults: Faults) -> tuple[int, list[str]]:
        """The number of files, and those that must be examined one by one.

        Those that were written last are examined first, so that partial results begin with them.
        """
        changed: list[tuple[int, str]] = []
        total = 0
        for directory in self.scope.directories(faults):
            total += reading.compare(stat_sessions(directory, faults), changed)
        # Sessions of a directory that cannot be read now may still be there.
        missing = reading.missing()
        changed += [(0, path) for path in missing]
        return total + len(missing), [path for _, path in sorted(changed, reverse=True)]

    def _allowed(self, faults: Faults) -> tuple[Fault, ...]:
        """The faults of paths inside the roots; nothing outside of them is ever reported."""
        allowed = []
        for fault in faults:
            with faults.isolate(fault.path):
                if self.scope.allows(f"{fault.path}/any"):
                    allowed.append(fault)
        return tuple(allowed)

    def without(self, faults: Faults) -> Listing:
        """A copy without the files of `faults`, which the next reading tries again."""
        sessions = {path: item for path, item in self.sessions.items() if path not in faults}
        return attrs.evolve(self, sessions=sessions, faults=(*self.faults, *faults))

    def since(self, before: Listing) -> list[Changed]:
        """The changes from `before` to this listing, removals first."""
        old, new = before.sessions, self.sessions
        removed = [Changed("removed", path) for path in old if path not in new]
        return removed + [
            Changed("changed" if path in old else "added", path, summary)
            for path, summary in new.items()
            if old.get(path) is not summary
        ]


def host_and_id(given: str) -> tuple[str | None, str]:
    """The parts of `HOST:ID`; no id has a colon."""
    host, colon, session_id = given.rpartition(":")
    return host if colon else None, session_id


def newest_first(summaries: Iterable[Summary]) -> list[Summary]:
    """Sort by latest `modified`, then by descending path (as pi 1.6.0)."""
    return sorted(summaries, key=lambda item: (item.modified, item.path), reverse=True)


_KEPT = 8
"""Number of scopes whose listings are cached; a front end repeats the same one or two."""


class Listings:
    """A cache of the latest listings. Each answer reads the files that have changed since."""

    def __init__(self, cache: SearchCache | None = None) -> None:
        self._cache = cache
        self._kept: OrderedDict[SessionScope, Listing] = OrderedDict()

    async def get(
        self, scope: SessionScope, *, with_text: bool = False, progress: Progress | None = None
    ) -> Listing:
        """The sessions of a scope as they are now.

        A listing with the text of messages is not cached: the text may be gigabytes.
        """
        before = None if with_text else self._kept.get(scope)
        listing = await workers.scanning(
            (before or Listing(scope)).read,
            with_text=with_text,
            progress=progress,
            cache=self._cache,
        )
        if not with_text:
            self._kept[scope] = listing
            self._kept.move_to_end(scope)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return listing


def _subagent_run(subagent: Subagent | None) -> SubagentRun | UnsetType:
    if subagent is None:
        return UNSET
    return SubagentRun(kind=subagent.kind or UNSET, toolCallId=subagent.tool_call_id or UNSET)


def problems(faults: Iterable[Fault]) -> list[FileProblem] | UnsetType:
    """The wire form of faults, each path once; UNSET if there are none."""
    by_path = {fault.path: fault for fault in faults}
    unique = [
        FileProblem(path=path, kind=fault.kind, message=fault.message)
        for path, fault in sorted(by_path.items())
    ]
    return unique or UNSET


def superseded_files(sessions: Mapping[str, Summary], faults: Faults) -> frozenset[str]:
    """Return the files all of whose entries are also in a database beside them. Blocking."""
    superseded: set[str] = set()
    for place in {path.rpartition("/")[0] for path in sessions}:
        with faults.isolate(place):
            if not is_place(place):
                continue
            for path in sessions:
                file = (file_beside(path) if path.startswith(f"{place}/") else None) or ""
                if file in sessions and has_all_entries(sessions[path].state, path, file):
                    superseded.add(file)
    return frozenset(superseded)


def wire_marks(marks: Marks) -> SessionMarks:
    """The wire form of marks."""
    return SessionMarks(pinned=marks.pinned, hidden=marks.hidden, tags=list(marks.tags))


def session_info(
    summary: Summary,
    pids: Sequence[int] = (),
    agent: str | None = None,
    cwd: str | None = None,
    active_ns: int | None = None,
    *,
    marks: Marks = NO_MARKS,
    activity: SessionActivity | None = None,
) -> SessionInfo:
    """The wire form of a summary, with the text of its messages if it was read.

    `pids` are the other processes that have the session open for writing. `cwd` is the directory
    whose sessions are listed, in which this one may have worked later. `active_ns` is the time of
    the last foreign write, in nanoseconds since the epoch.
    """
    header, home = summary.header, summary.home
    return SessionInfo(
        path=summary.path,
        id=header.id,
        cwd=cwd or summary.cwd or "",
        agent=UNSET if agent is None else agent,
        name=presentable(summary.name or "") or UNSET,
        parentSessionPath=header.parent_session or UNSET,
        subagent=_subagent_run(header.subagent),
        isPast=is_archived(summary.path) or UNSET,
        created=iso_from_ms(summary.created) or "",
        modified=iso_from_ms(summary.modified) or "",
        lastUsed=(iso_from_ms(summary.used) or UNSET) if summary.used > summary.modified else UNSET,
        messageCount=summary.message_count,
        firstMessage=presentable(summary.first_message) or NO_MESSAGES,
        sizeBytes=summary.state.size,
        revision=revision(summary),
        marks=wire_marks(marks) if marks.are_any else UNSET,
        home=SessionHome(host=home.host, path=home.path) if home else UNSET,
        inUse=OtherProcesses(pids=list(pids)) if pids else UNSET,
        activeSince=(iso_from_ms(active_ns // 1_000_000) if active_ns else None) or UNSET,
        activity=activity or UNSET,
        allMessagesText=UNSET if summary.texts is None else presentable(" ".join(summary.texts)),
    )
