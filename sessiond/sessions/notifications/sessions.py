"""Notify a handle of what others do: `session/didChange` of changes to its file, and
`session/didChangeDraft` of answers in progress.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
from msgspec import UNSET
from sessiond_protocol.session.drafts import SessionDidChangeDraftParams
from sessiond_protocol.session.notifications import EntryFacts, SessionDidChangeParams
from sessiond_protocol.session.state import Diagnostic

from sessiond.files.session_document import DocumentChange, Kind, SessionDocument
from sessiond.format.entries import Entry
from sessiond.format.load import SeenLines
from sessiond.runtime.limits import SHOWN_DIAGNOSTICS
from sessiond.sessions.drafts import Drafts
from sessiond.sessions.notifications.pacing import SHORT_PAUSE, Channel, Pacer
from sessiond.sessions.view import View

METHOD = "session/didChange"
DRAFT_METHOD = "session/didChangeDraft"


@attrs.define(eq=False)
class _Heard:
    """The changes of which a handle has not been notified yet."""

    view: View
    document: SessionDocument
    listener: Callable[[DocumentChange, object], None]
    draft_listener: Callable[[View], None]
    pacer: Pacer
    lines: SeenLines
    """The lines with problems of which the handle knows."""
    sequence: int = 0
    kind: Kind | None = None
    rewritten: bool = False
    """Whether the file was rewritten and no message has reported it."""
    draft_changed: bool = False
    """Whether another handle's draft has changed since the last message."""
    added: list[tuple[int, int]] = attrs.field(factory=list)
    """The appended entries, as ranges of their indices in the tree."""

    def add(self, first: int, end: int) -> None:
        if self.added and self.added[-1][1] == first:
            first, _ = self.added.pop()
        self.added.append((first, end))

    def entries(self) -> list[EntryFacts]:
        entries = self.document.tree.entries
        return [_facts(entry) for first, end in self.added for entry in entries[first:end]]

    def diagnostics(self) -> list[Diagnostic]:
        """Return the first problems of lines that were appended since the last message."""
        if self.kind == "rewritten":
            return []
        diagnostics = self.document.contents.loaded.diagnostics(self.lines)
        return [
            Diagnostic(line=one.line, kind=one.kind, message=one.message)
            for one in diagnostics[:SHOWN_DIAGNOSTICS]
        ]


class SessionNotices:
    """Notifies every handle of the changes that it did not make itself."""

    def __init__(
        self, channel: Channel, notify: Callable[[str, Any], None], drafts: Drafts
    ) -> None:
        self._channel = channel
        self._notify = notify
        self._drafts = drafts
        self._heard: dict[View, _Heard] = {}

    def follow(self, view: View) -> None:
        """Listen to the view's present document; unsent changes of another one are dropped."""
        heard, lines = self._heard.get(view), view.document.contents.loaded.seen()
        if heard is None:
            pacer = Pacer(self._channel, partial(self._send, view), SHORT_PAUSE)
            listener, draft_listener = partial(self._hear, view), partial(self._hear_draft, view)
            heard = _Heard(view, view.document, listener, draft_listener, pacer, lines)
            self._heard[view] = heard
        else:
            self._ignore(heard)
            heard.document, heard.lines = view.document, lines
            heard.kind, heard.rewritten, heard.draft_changed = None, False, False
            heard.added.clear()
        view.document.listeners.append(heard.listener)
        self._drafts.listen(view.document, heard.draft_listener)

    def forget(self, view: View) -> None:
        """Stop listening for a handle, which was closed."""
        heard = self._heard.pop(view, None)
        if heard is None:
            return
        self._ignore(heard)
        heard.pacer.stop()

    def _ignore(self, heard: _Heard) -> None:
        """Stop listening to a document, and end the handle's draft in it; also once more."""
        if heard.listener in heard.document.listeners:
            heard.document.listeners.remove(heard.listener)
        self._drafts.ignore(heard.document, heard.draft_listener)
        self._drafts.end(heard.view, heard.document)

    def _hear(self, view: View, change: DocumentChange, cause: object) -> None:
        if cause is view:
            # What the draft said is in the entry, or nobody waits for it any more.
            self._drafts.end(view, change.document)
            return
        heard = self._heard[view]
        if change.kind == "appended":
            # After a rewrite the client reads everything again, so no entries are listed.
            if heard.kind != "rewritten":
                heard.add(change.first, change.first + change.count)
            heard.kind = heard.kind or "appended"
        else:
            heard.rewritten = heard.rewritten or change.kind == "rewritten"
            is_back = change.kind == "restored" and heard.rewritten
            heard.kind = "rewritten" if is_back else change.kind
            if heard.kind == "rewritten":
                heard.added.clear()
        heard.pacer.due()

    def _hear_draft(self, view: View, publisher: View) -> None:
        if publisher is not view:
            heard = self._heard[view]
            heard.draft_changed = True
            heard.pacer.due()

    def _send(self, view: View) -> None:
        heard = self._heard.get(view)
        if heard is None:
            return
        if heard.kind is not None:
            self._send_change(heard, heard.kind)
        # After the change, so that a draft ends when its entry is there.
        if heard.draft_changed:
            heard.draft_changed = False
            draft = self._drafts.draft(view, heard.document)
            params = SessionDidChangeDraftParams(session=view.handle, draft=draft)
            self._notify(DRAFT_METHOD, params)

    def _send_change(self, heard: _Heard, kind: Kind) -> None:
        view, document = heard.view, heard.document
        heard.sequence += 1
        self._notify(
            METHOD,
            SessionDidChangeParams(
                session=view.handle,
                sequence=heard.sequence,
                path=document.path,
                generation=document.generation,
                kind=kind,
                entries=heard.entries() or ([] if kind == "appended" else UNSET),
                diagnostics=heard.diagnostics() or UNSET,
                leafId=view.leaf_id,
                tipId=document.tip_id,
                entryCount=document.entry_count,
                name=document.tree.name or UNSET,
            ),
        )
        heard.lines = document.contents.loaded.seen()
        heard.rewritten = heard.rewritten and kind != "rewritten"
        heard.kind = None
        heard.added.clear()


def _facts(entry: Entry) -> EntryFacts:
    return EntryFacts(
        id=entry.id, parentId=entry.parent_id, type=entry.type, timestamp=entry.timestamp
    )
