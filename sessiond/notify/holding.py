"""Mark the files of handles for writing as in use, for other processes to see."""

from __future__ import annotations

from sessiond.files.identity import Key, key_of
from sessiond.files.locks.presence import Presence
from sessiond.session.view import View


class Holding:
    """The file that each handle for writing marks as in use."""

    def __init__(self, in_use: Presence) -> None:
        self._in_use = in_use
        self._held: dict[View, Key] = {}

    def update(self, view: View) -> None:
        """Move the mark of a handle to the present file of its document."""
        state = view.document.state if view.persisted and not view.read_only else None
        key = key_of(state)
        held = self._held.get(view)
        if key == held:
            return
        self.drop(view)
        if key is not None:
            self._in_use.hold(key)
            self._held[view] = key

    def drop(self, view: View) -> None:
        """Remove the mark of a handle, which was closed."""
        held = self._held.pop(view, None)
        if held is not None:
            self._in_use.release(held)
