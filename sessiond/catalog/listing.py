"""Lists of sessions: kept current in memory, cut into pages, in their wire form."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections import OrderedDict
from collections.abc import Sequence

import orjson
from msgspec import UNSET
from sessiond_protocol.state import InUse, SessionInfo

from sessiond.catalog.scope import Listing, Progress, Scope
from sessiond.catalog.summaries import NO_MESSAGES, Summary
from sessiond.errors import InvalidCursor
from sessiond.format.jsdate import iso_from_ms

_KEPT = 8
"""Scopes whose listings are kept; a front end asks for the same one or two again and again."""


class Listings:
    """The listings asked for last. Each answer looks at every file, but reads only changes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Scope, Listing] = OrderedDict()

    async def get(
        self, scope: Scope, *, with_text: bool = False, progress: Progress | None = None
    ) -> list[Summary]:
        """The sessions of a scope as they are now, newest first.

        With the text of their messages nothing is kept: that may be gigabytes.
        """
        known = Listing(scope) if with_text else self._kept.get(scope, Listing(scope))
        found = await asyncio.to_thread(known.read, with_text=with_text, progress=progress)
        if not with_text:
            self._kept[scope] = found
            self._kept.move_to_end(scope)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found.newest_first()


def page(
    found: Sequence[Summary], limit: int | None, cursor: str | None, query: str
) -> tuple[list[Summary], str | None]:
    """The sessions after `cursor` (newest first), `limit` at most, and the cursor after them.

    A cursor names the last session seen, not a number, so sessions that come or go in between
    neither repeat nor hide others. Raises InvalidCursor for one that is none of this `query`.
    """
    if cursor is None:
        rest = list(found)
    else:
        after = _after(cursor, query)
        rest = [item for item in found if (item.modified, item.path) < after]
    if limit is None or len(rest) <= limit:
        return rest, None
    if limit == 0:
        return [], cursor or _cursor(query, float("inf"), "")
    last = rest[limit - 1]
    return rest[:limit], _cursor(query, last.modified, last.path)


def _cursor(query: str, modified: float, path: str) -> str:
    # A time beyond all others has no JSON.
    time = None if modified == float("inf") else modified
    place = [query, time, path.encode(errors="surrogateescape").hex()]
    return base64.urlsafe_b64encode(orjson.dumps(place)).decode()


def _after(cursor: str, query: str) -> tuple[float, str]:
    try:
        asked, modified, path = orjson.loads(base64.urlsafe_b64decode(cursor))
        place = bytes.fromhex(path).decode(errors="surrogateescape")
        after = float("inf") if modified is None else float(modified), place
    except (ValueError, TypeError, binascii.Error):
        raise InvalidCursor("Not a cursor; begin again without one") from None
    if asked != query:
        raise InvalidCursor("The cursor belongs to another list; begin again without one")
    return after


def session_info(summary: Summary, pids: Sequence[int] = ()) -> SessionInfo:
    """The wire form of a summary, with the text of its messages if that was read.

    `pids` are the other processes that have the session open for writing.
    """
    header = summary.header
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
        inUse=InUse(pids=list(pids)) if pids else UNSET,
        allMessagesText=UNSET if summary.texts is None else " ".join(summary.texts),
    )
