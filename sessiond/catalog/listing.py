"""Lists of sessions: cached in memory, divided into pages, converted to their wire form."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.session.state import FileProblem, OtherProcesses, SessionHome, SessionInfo

from sessiond.catalog import cursors
from sessiond.catalog.index.database import Store
from sessiond.catalog.scope import Listing, Progress, SessionScope
from sessiond.catalog.summaries import NO_MESSAGES, Summary
from sessiond.files import workers
from sessiond.isolation import Fault, Faults
from sessiond.jsontext.dates import iso_from_ms

if TYPE_CHECKING:
    # A command lists once, and importing this takes longer than a short list.
    from sessiond.files.watch.changed_names import ChangedNames, Watermark

_KEPT = 8
"""Number of scopes whose listings are cached; a front end repeats the same one or two."""


_EXAMINED_SECONDS = 5.0
"""All files are examined if that was last done longer ago: few changes have no event."""


@attrs.frozen
class _KeptListing:
    """A listing, and what is needed to read it again."""

    listing: Listing
    mark: Watermark | None = None
    """When it was read; None if the changes since then are not known."""
    examined: float = 0.0
    """When all its files were examined, on the monotonic clock."""


class Listings:
    """A cache of the latest listings. Each answer reads the files that have changed since.

    Which ones these are is found by `stat` of all files; for a scope that was listed a moment ago,
    from the events of its directories, where these are complete (`ChangedNames`).
    """

    def __init__(self, store: Store | None = None, *, uses_events: bool = True) -> None:
        self._store = store
        self._uses_events = uses_events
        self._kept: OrderedDict[SessionScope, _KeptListing] = OrderedDict()

    async def get(
        self, scope: SessionScope, *, with_text: bool = False, progress: Progress | None = None
    ) -> Listing:
        """The sessions of a scope as they are now.

        A listing with the text of messages is not cached: the text may be gigabytes.
        """
        if with_text:
            return await workers.scanning(
                Listing(scope).read, with_text=True, progress=progress, store=self._store
            )
        known = self._kept.get(scope)
        kept = await workers.scanning(self._read, scope, known, progress)
        self._kept[scope] = kept
        self._kept.move_to_end(scope)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept.listing

    def close(self) -> None:
        """Stop watching directories."""
        if "_names" in vars(self):
            self._names.close()

    @cached_property
    def _names(self) -> ChangedNames:
        from sessiond.files.watch.changed_names import ChangedNames  # noqa: PLC0415

        return ChangedNames()

    def _read(
        self, scope: SessionScope, known: _KeptListing | None, progress: Progress | None
    ) -> _KeptListing:
        if known is None:
            return _KeptListing(Listing(scope).read(progress=progress, store=self._store))
        now = time.monotonic()
        listing = known.listing
        if known.mark is not None and now - known.examined < _EXAMINED_SECONDS:
            since = self._names.since(known.mark)
            few = None if since is None else listing.few(since[1])
            if since is not None and few is not None:
                listing = listing.read(few, progress=progress, store=self._store)
                return _KeptListing(listing, since[0], known.examined)
        directories = scope.watched(Faults(listing.faults))
        mark = self._names.begin(directories) if self._uses_events else None
        listing = listing.read(progress=progress, store=self._store)
        return _KeptListing(listing, mark, now)


@attrs.frozen
class PageQuery:
    """Which sessions of a scope a list shows, and which page of them."""

    named: bool
    """Only sessions with a name."""
    with_text: bool
    """With the text of all messages."""
    limit: int | None
    cursor: str | None
    bound: str
    """What a cursor belongs to: see `cursors`."""


@attrs.frozen
class SessionPage:
    """One page of a list, newest first."""

    sessions: Sequence[Summary]
    total: int
    """Number of sessions on all pages."""
    after: str | None
    """The cursor of the next page."""
    faults: Collection[Fault] = ()


def page(
    summaries: Sequence[Summary], limit: int | None, cursor: str | None, query: str
) -> tuple[list[Summary], str | None]:
    """At most `limit` sessions after `cursor`, newest first, and the cursor of the next page.

    Raises InvalidCursor for a cursor that does not belong to `query`.
    """
    if cursor is None:
        rest = list(summaries)
    else:
        (modified,), path = cursors.place(cursor, query, 1)
        rest = [item for item in summaries if (item.modified, item.path) < (modified, path)]
    if limit is None or len(rest) <= limit:
        return rest, None
    if limit == 0:
        return [], cursor or cursors.cursor(query, (float("inf"),), "")
    last = rest[limit - 1]
    return rest[:limit], cursors.cursor(query, (last.modified,), last.path)


def problems(faults: Iterable[Fault]) -> list[FileProblem] | UnsetType:
    """The wire form of faults, each path once; UNSET if there are none."""
    by_path = {fault.path: fault for fault in faults}
    unique = [
        FileProblem(path=path, kind=fault.kind, message=fault.message)
        for path, fault in sorted(by_path.items())
    ]
    return unique or UNSET


def session_info(summary: Summary, pids: Sequence[int] = ()) -> SessionInfo:
    """The wire form of a summary, with the text of its messages if it was read.

    `pids` are the other processes that have the session open for writing.
    """
    header, home = summary.header, summary.home
    return SessionInfo(
        path=summary.path,
        id=header.id,
        cwd=header.cwd or "",
        name=summary.name or UNSET,
        parentSessionPath=header.parent_session or UNSET,
        created=iso_from_ms(summary.created) or "",
        modified=iso_from_ms(summary.modified) or "",
        messageCount=summary.message_count,
        firstMessage=summary.first_message or NO_MESSAGES,
        sizeBytes=summary.state.size,
        home=SessionHome(host=home.host, path=home.path) if home else UNSET,
        inUse=OtherProcesses(pids=list(pids)) if pids else UNSET,
        allMessagesText=UNSET if summary.texts is None else " ".join(summary.texts),
    )
