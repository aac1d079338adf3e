"""`catalog/didChange`: notify subscribers of changed session files, open or not."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog.subscribe import CatalogChange, CatalogDidChangeParams
from sessiond_protocol.session.state import SessionInfo

from sessiond.catalog.catalogue import Catalogue
from sessiond.catalog.kinds import Kinds
from sessiond.catalog.listing import Changed, Listing
from sessiond.catalog.marks import MarkFilter, MarkStore
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary
from sessiond.runtime.isolation import Faults
from sessiond.sessions.notifications.pacing import Channel
from sessiond.sessions.notifications.subscriptions import Subscription, Subscriptions

METHOD = "catalog/didChange"


@attrs.define(eq=False, kw_only=True)
class CatalogSubscription(Subscription):
    """A subscription to one scope; `listing` and `marked` are those that the client knows."""

    listing: Listing
    kinds: Kinds
    marked: MarkFilter

    def shows(self, summary: Summary) -> bool:
        """Whether the list has a session."""
        return self.kinds.have(summary) and self.marked.has(summary)

    def changes_since(self, before: Listing, marked: MarkFilter) -> list[Changed]:
        """Return how the list differs from an earlier one with other marks, removals first."""
        changed = dict[str, Summary | None]()
        for change in self.listing.since(before):
            changed[change.path] = change.summary
        if marked.marks is not self.marked.marks:
            for path, each in self.listing.sessions.items():
                if marked.marks_of(each) != self.marked.marks_of(each):
                    changed.setdefault(path, each)
        changes = []
        for path, summary in changed.items():
            earlier = before.sessions.get(path)
            was_shown = earlier is not None and self.kinds.have(earlier) and marked.has(earlier)
            if summary is not None and self.shows(summary):
                changes.append(Changed("changed" if was_shown else "added", path, summary))
            elif was_shown:
                changes.append(Changed("removed", path))
        return sorted(changes, key=lambda each: each.kind != "removed")


class CatalogNotices(Subscriptions[CatalogSubscription]):
    """All catalogue subscriptions of one connection."""

    prefix = "c"

    def __init__(
        self,
        channel: Channel,
        notify: Callable[[str, Any], None],
        infos: Callable[[], Callable[[Summary], SessionInfo]],
        catalogue: Catalogue,
        marks: MarkStore,
    ) -> None:
        super().__init__(channel, notify)
        self._catalogue = catalogue
        self._marks = marks
        self._infos = infos

    async def subscribe(
        self, scope: SessionScope, name: str | None, kinds: Kinds, marked: MarkFilter
    ) -> CatalogSubscription:
        """Read a snapshot, with which later reports are compared.

        Raises InvalidParams if the name is taken.
        """
        subscription = self._add(
            name,
            lambda name, pacer: CatalogSubscription(
                name, pacer, listing=Listing(scope), kinds=kinds, marked=marked
            ),
        )
        try:
            subscription.listing = await self._catalogue.read(subscription.listing)
        except BaseException:
            self.unsubscribe(subscription.name)
            raise
        # A client that shows a list will probably search it: index these sessions now.
        self._catalogue.expect_search(subscription.listing.newest_first())
        self.start(subscription)
        return subscription

    def _of_interest(self, subscription: CatalogSubscription, paths: Collection[str]) -> set[str]:
        scope = subscription.listing.scope
        places = [place for place, _ in scope.watched]
        return {
            path
            for path in paths
            if path == self._marks.path
            or scope.holds(path)
            or any(_meets(path, place) for place in places)
        }

    async def _read(self, subscription: CatalogSubscription, reported: set[str]) -> bool:
        before, marked = subscription.listing, subscription.marked
        paths = {path for path in reported if path != self._marks.path}
        subscription.marked = attrs.evolve(marked, marks=await self._marks.read())
        subscription.listing = await self._catalogue.read(before, paths)
        faults = Faults()
        changes = subscription.changes_since(before, marked)
        if not changes:
            return False
        reports = faults.each(changes, lambda change: change.path, _change(self._infos()))
        if faults:
            # A session that cannot be encoded counts as removed until the next attempt.
            subscription.listing = subscription.listing.without(faults)
            gone = (fault.path for fault in faults if fault.path in before.sessions)
            reports += [CatalogChange(kind="removed", path=path) for path in gone]
        self._catalogue.expect_search([change.summary for change in changes if change.summary])
        if reports:
            self._catalogue.tidy(again=any(change.kind == "removed" for change in changes))
            subscription.sequence += 1
            params = CatalogDidChangeParams(
                subscription=subscription.name, sequence=subscription.sequence, changes=reports
            )
            self._notify(METHOD, params)
        return False


def _change(info: Callable[[Summary], SessionInfo]) -> Callable[[Changed], CatalogChange]:
    """Return a function that converts a change to the form of the contract."""
    return lambda change: CatalogChange(
        kind=change.kind,
        path=change.path,
        info=info(change.summary) if change.summary else UNSET,
    )


def _meets(path: str, directory: str) -> bool:
    """Whether a reported directory is the one of the scope, or above it, or below it."""
    if path.endswith(".jsonl"):
        return False
    return (
        path == directory
        or directory.startswith(path.rstrip("/") + "/")
        or path.startswith(directory + "/")
    )
