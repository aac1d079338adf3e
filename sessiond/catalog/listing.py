"""Lists of sessions: cached in memory, divided into pages, converted to their wire form."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence

import attrs
from msgspec import UNSET, UnsetType
from sessiond_protocol.session.state import FileProblem, OtherProcesses, SessionHome, SessionInfo

from sessiond.catalog import cursors
from sessiond.catalog.index.database import Store
from sessiond.catalog.scope import Listing, Progress, SessionScope
from sessiond.catalog.summaries import NO_MESSAGES, Summary
from sessiond.files import workers
from sessiond.isolation import Fault
from sessiond.jsontext.dates import iso_from_ms

_KEPT = 8
"""Number of scopes whose listings are cached; a front end repeats the same one or two."""


class Listings:
    """A cache of the latest listings. Each answer reads the files that have changed since."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._kept: OrderedDict[SessionScope, Listing] = OrderedDict()

    async def get(
        self, scope: SessionScope, *, with_text: bool = False, progress: Progress | None = None
    ) -> Listing:
        """The sessions of a scope as they are now.

        A listing with the text of messages is not cached: the text may be gigabytes.
        """
        known = None if with_text else self._kept.get(scope)
        listing = await workers.scanning(
            (known or Listing(scope)).read,
            with_text=with_text,
            progress=progress,
            store=self._store,
        )
        if not with_text:
            self._kept[scope] = listing
            self._kept.move_to_end(scope)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return listing


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
