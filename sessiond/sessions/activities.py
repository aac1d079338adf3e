"""The activities that clients set for their handles; they are kept in memory alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sessiond_protocol.session.activity import SessionActivity

from sessiond.files.identity import Key, key_of

if TYPE_CHECKING:
    from sessiond.catalog.summaries import Summary
    from sessiond.sessions.view import View

_ORDER = ("idle", "running", "waiting")
"""The activities by rank: the last one that a handle of a session has counts."""


class Activities:
    """The activity of every handle that has one, of all clients."""

    def __init__(self, report: Callable[[str], None]) -> None:
        """`report` is called with the path of a session whose activity has changed."""
        self._report = report
        self._activities: dict[View, SessionActivity] = {}

    def set(self, view: View, activity: SessionActivity) -> None:
        """Replace the activity of a handle."""
        self._activities[view] = activity
        self._report(view.document.path)

    def end(self, view: View) -> None:
        """Forget the activity of a handle that was closed."""
        if self._activities.pop(view, None) is not None:
            self._report(view.document.path)

    def snapshot(self) -> Snapshot:
        """Return the activities of all sessions at present."""
        by_name: dict[str | Key, SessionActivity] = {}
        for view, activity in self._activities.items():
            # A file may have several names; one that is not written yet has a path only.
            for name in (view.document.path, key_of(view.document.state)):
                if name and _exceeds(activity, by_name.get(name)):
                    by_name[name] = activity
        return Snapshot(by_name)


class Snapshot:
    """The activities of sessions at one moment, by path and by the identity of the file."""

    def __init__(self, by_name: Mapping[str | Key, SessionActivity]) -> None:
        self._by_name = by_name

    def activity(self, summary: Summary) -> SessionActivity | None:
        """Return the activity of a session; None: no handle has set one."""
        if not self._by_name:
            return None
        by_path = self._by_name.get(summary.path)
        return by_path or self._by_name.get(summary.state.key)


def _exceeds(activity: SessionActivity, other: SessionActivity | None) -> bool:
    return other is None or _ORDER.index(activity.state) >= _ORDER.index(other.state)
