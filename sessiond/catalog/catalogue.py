"""The seam between methods that find and look after sessions, and where these are kept.

Like `document_store`, it has one implementation for files and one for a database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from sessiond.catalog.check import Checked
from sessiond.catalog.list_query import ListQuery, SessionPage
from sessiond.catalog.listing import Listing
from sessiond.catalog.scope import Progress, SessionScope
from sessiond.catalog.search.pages import HitPage, SearchQuery
from sessiond.catalog.summaries import Summary
from sessiond.catalog.trash import TrashedSummary
from sessiond.catalog.usage.count import FileUsage
from sessiond.files.identity import Key
from sessiond.runtime.isolation import Fault, Faults


class Catalogue(Protocol):
    """Finds sessions without opening them, and looks after them.

    Problems of single sessions go into faults; a problem of the whole operation is raised.
    """

    async def find(self, scope: SessionScope, session_id: str | None, faults: Faults) -> str | None:
        """The session of a scope with this id, or without an id the one that changed last.

        None if there is none.
        """

    async def with_id(
        self, scope: SessionScope, given: str
    ) -> tuple[Sequence[Summary], Collection[Fault]]:
        """The sessions of a scope with an id, and the faults of the list that they are in.

        Without such a session those that people began whose id begins so; the latest first.
        `HOST:ID` means a copy of a session that is written on that host.
        """

    async def page(
        self, scope: SessionScope, query: ListQuery, progress: Progress | None
    ) -> SessionPage:
        """One page of a list of the sessions of a scope. Raises InvalidCursor."""

    async def read(self, before: Listing, reported: Collection[str] | None = None) -> Listing:
        """All sessions of the scope of `before`, of which `reported` may have changed (None: all).

        Unchanged sessions keep their summary, so that `Listing.since` finds the changes.
        """

    async def search(self, scope: SessionScope, query: SearchQuery) -> HitPage:
        """Search the sessions of a scope. Raises InvalidQuery, and Unsupported."""

    async def listing(self, scope: SessionScope) -> Listing:
        """All sessions of a scope."""

    async def usage(
        self, summaries: Sequence[Summary], faults: Faults
    ) -> list[tuple[Summary, FileUsage]]:
        """The usage of each session; those that cannot be read are noted in `faults`."""

    async def check(self, path: str) -> Checked:
        """Check one session. Raises SessionNotFound and ReadFailed."""

    async def check_all(self, scope: SessionScope) -> list[Checked]:
        """Check all sessions of a scope."""

    async def summary(self, path: str) -> Summary:
        """The summary of one session. Raises SessionNotFound."""

    async def size(self, path: str) -> int:
        """The length of a session in bytes. Raises SessionNotFound."""

    async def identity(self, path: str) -> Key:
        """The identity of a session, by which its users are found.

        Raises SessionNotFound, ReadFailed, and InvalidSessionFile if it is not a session.
        """

    async def delete(
        self, path: str, env: Mapping[str, str], *, permanently: bool, force: bool
    ) -> None:
        """Delete a session, or move it to the trash of the user to whom `env` belongs.

        With `force` also while a gateway holds its lock. Raises Busy otherwise.
        """

    async def restore(self, path: str, env: Mapping[str, str]) -> None:
        """Bring back the session that was deleted last under this name."""

    async def trashed(
        self, scope: SessionScope, env: Mapping[str, str], faults: Faults
    ) -> list[TrashedSummary]:
        """The sessions of a scope in the user's trash, the latest first. Raises Unsupported."""

    def expect_search(self, summaries: Iterable[Summary]) -> None:
        """Prepare for a search of these sessions, the first of them first."""

    def tidy(self, *, again: bool = False) -> None:
        """Forget sessions that are gone: now and then, and `again` after removals."""

    async def settle(self, within: float) -> None:
        """Wait until what was prepared is ready, or for so many seconds."""

    async def close(self) -> None:
        """Stop all work in the background, keeping what is already written."""
