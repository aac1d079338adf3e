"""`catalog/didChange`: notify subscribers of changed session files, open or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import attrs
from msgspec import UNSET
from sessiond_protocol.catalog.subscribe import CatalogChange, CatalogDidChangeParams
from sessiond_protocol.session.activity import SessionActivity
from sessiond_protocol.session.state import SessionInfo

from sessiond.catalog.kinds import Kinds
from sessiond.catalog.listing import Changed, Listing
from sessiond.catalog.marks import MarkFilter
from sessiond.catalog.scope import SessionScope
from sessiond.catalog.summaries import Summary
from sessiond.runtime.isolation import Faults
from sessiond.sessions.engine import Engine
from sessiond.sessions.notifications.pacing import Channel
from sessiond.sessions.notifications.subscriptions import Subscription, Subscriptions

METHOD = "catalog/didChange"

AGAIN_SECONDS = 15.0
"""How soon a list notices that a session does not run any more."""

Activity = Callable[[Summary], SessionActivity | None]
"""Returns the activity of a session."""


@attrs.define(eq=False, kw_only=True)
class CatalogSubscription(Subscription):
    """A subscription to one scope; `listing` and `marked` are those that the client knows."""

    listing: Listing
    kinds: Kinds
    marked: MarkFilter
    activities: dict[str, SessionActivity] = attrs.field(factory=dict)
    """The activities of which the client knows, by path."""
    timer: asyncio.TimerHandle | None = None
    """Looks at these sessions again: nothing reports that an agent ended."""

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
        engine: Engine,
        *,
        activities: Callable[[], Activity],
    ) -> None:
        super().__init__(channel, notify)
        self._activities = activities
        self._catalogue, self._marks = engine.catalogue, engine.source.marks
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
        self._note_activities(subscription, subscription.listing.sessions.values())
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
        changes += self._other_activities(subscription, reported, changes)
        if not changes:
            self._wait(subscription)
            return False
        reports = faults.each(changes, lambda change: change.path, _change(self._infos()))
        if faults:
            # A session that cannot be encoded counts as removed until the next attempt.
            subscription.listing = subscription.listing.without(faults)
            gone = (fault.path for fault in faults if fault.path in before.sessions)
            reports += [CatalogChange(kind="removed", path=path) for path in gone]
        self._note_activities(subscription, [one.summary for one in changes if one.summary])
        self._catalogue.expect_search([change.summary for change in changes if change.summary])
        if reports:
            self._catalogue.tidy(again=any(change.kind == "removed" for change in changes))
            subscription.sequence += 1
            params = CatalogDidChangeParams(
                subscription=subscription.name, sequence=subscription.sequence, changes=reports
            )
            self._notify(METHOD, params)
        return False

    def _note_activities(
        self, subscription: CatalogSubscription, summaries: Iterable[Summary]
    ) -> None:
        """Note which activities the client knows of, and look at them again later."""
        activity_of = self._activities()
        for summary in summaries:
            activity = activity_of(summary)
            if activity is not None:
                subscription.activities[summary.path] = activity
            elif subscription.activities:
                subscription.activities.pop(summary.path, None)
        self._wait(subscription)

    def _other_activities(
        self, subscription: CatalogSubscription, reported: set[str], changes: Sequence[Changed]
    ) -> list[Changed]:
        """Return the reported sessions of which only the activity has changed."""
        sessions, activity_of = subscription.listing.sessions, self._activities()
        unchanged = reported & sessions.keys() - {change.path for change in changes}
        return [
            Changed("changed", path, sessions[path])
            for path in unchanged
            if subscription.shows(sessions[path])
            and activity_of(sessions[path]) != subscription.activities.get(path)
        ]

    def _wait(self, subscription: CatalogSubscription) -> None:
        if subscription.timer is None and subscription.activities:
            loop = asyncio.get_running_loop()
            subscription.timer = loop.call_later(AGAIN_SECONDS, self._look_again, subscription)

    def _look_again(self, subscription: CatalogSubscription) -> None:
        subscription.timer = None
        if self._subscriptions.get(subscription.name) is subscription:
            sessions = subscription.listing.sessions
            for path in subscription.activities.keys() - sessions.keys():
                del subscription.activities[path]
            subscription.reported |= subscription.activities.keys()
            subscription.pacer.due()


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
