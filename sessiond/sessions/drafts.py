"""The drafts of all clients: answers in progress, which are kept in memory alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
from msgspec import Raw
from sessiond_protocol.session import drafts as contract

from sessiond.format import requirements
from sessiond.format.entries import make_entry
from sessiond.format.ids import iso_now
from sessiond.format.lines import Stamp, message_line, one_line
from sessiond.format.view.blocks import as_json
from sessiond.format.view.entry import view_of
from sessiond.runtime.errors import TooLarge
from sessiond.runtime.limits import DRAFT_BYTES

if TYPE_CHECKING:
    from sessiond.files.session_document import SessionDocument
    from sessiond.sessions.view import View

Listener = Callable[["View"], None]
"""Called with the view that published a draft, or whose draft has ended."""


@attrs.frozen(eq=False)
class Draft:
    """An answer in progress, and the view that published it."""

    publisher: View
    message: bytes
    view: bytes
    """The view of its entry, as JSON."""

    @classmethod
    def of(cls, publisher: View, message: bytes) -> Draft:
        """Return the draft with this message.

        Raises TooLarge, and InvalidParams if it is no message that may be appended.
        """
        if len(message) > DRAFT_BYTES:
            raise TooLarge("The draft", DRAFT_BYTES)
        requirements.check_role(message)
        # An entry that is never stored: views are made of entries.
        message = one_line(message)
        entry = make_entry(message_line(Stamp("", None, iso_now()), message))
        return cls(publisher, message, as_json(view_of(entry)))

    @property
    def answer(self) -> contract.Draft:
        """The draft in the form of the contract."""
        # In the daemon these members of the contract's class are raw values.
        return contract.Draft(message=Raw(self.message), view=Raw(self.view))  # type: ignore[arg-type]


class Drafts:
    """The present draft of each document, and who listens.

    A document has one draft: the last one that a view has published. Every user of a document
    shares it, whatever it is stored in.
    """

    def __init__(self) -> None:
        self._drafts: dict[SessionDocument, Draft] = {}
        self._listeners: dict[SessionDocument, list[Listener]] = {}

    def listen(self, document: SessionDocument, listener: Listener) -> None:
        """Call `listener` whenever the draft of a document changes."""
        self._listeners.setdefault(document, []).append(listener)

    def ignore(self, document: SessionDocument, listener: Listener) -> None:
        """Undo `listen`, if that was done."""
        listeners = self._listeners.get(document, [])
        if listener in listeners:
            listeners.remove(listener)
        if not listeners:
            self._listeners.pop(document, None)

    def draft(self, view: View, document: SessionDocument) -> contract.Draft | None:
        """Return the draft of a document that others than this view have published."""
        draft = self._drafts.get(document)
        return None if draft is None or draft.publisher is view else draft.answer

    def publish(self, view: View, message: bytes) -> None:
        """Show a message to the other views of the document. Raises what `Draft.of` raises."""
        self._drafts[view.document] = Draft.of(view, message)
        self._report(view, view.document)

    def end(self, view: View, document: SessionDocument) -> None:
        """End the draft of a document if this view has published it."""
        draft = self._drafts.get(document)
        if draft is not None and draft.publisher is view:
            del self._drafts[document]
            self._report(view, document)

    def _report(self, view: View, document: SessionDocument) -> None:
        for listener in tuple(self._listeners.get(document, ())):
            listener(view)
