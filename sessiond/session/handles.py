"""The open handles. Opening one succeeds completely or changes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs

from sessiond.errors import InvalidRequest, UnknownSession
from sessiond.files.document_store import DocumentStore
from sessiond.files.session_document import SessionDocument
from sessiond.session.view import View


@attrs.frozen
class Setting:
    """The settings of a new handle; see `View`."""

    cwd: str
    session_dir: str
    persisted: bool = True
    read_only: bool = False
    read_only_reason: str = ""
    follow: bool = False


class Handles:
    """Views by handle. Each view holds a reference to its document in the cache.

    A step that fails leaves no handle that the client does not know, and no document, watch or
    in-use mark that is never released.
    """

    def __init__(self, documents: DocumentStore) -> None:
        self.documents = documents
        self.on_attach: Callable[[View], None] = _nothing
        """Called with a view after it was opened or switched to another document."""
        self.on_close: Callable[[View], None] = _nothing
        """Called with a view after it was closed, also if `on_attach` failed for it."""
        self._views: dict[str, View] = {}
        self._ended = False
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._views)

    def view(self, handle: str) -> View:
        """Return the view of a handle; raises UnknownSession."""
        view = self._views.get(handle)
        if view is None:
            raise UnknownSession(handle)
        return view

    def close(self, view: View) -> None:
        """Close a handle; the document stays in the cache."""
        del self._views[view.handle]
        try:
            self.on_close(view)
        finally:
            self._release(view.document)

    def close_all(self) -> None:
        """Close every handle; a running request that opens another one then fails."""
        self._ended = True
        for view in list(self._views.values()):
            self.close(view)

    @contextmanager
    def opening(self, view: View) -> Iterator[None]:
        """Close a view that was just opened if the rest of its request fails in this block.

        A client that receives an error does not know the handle and could never close it.
        """
        try:
            yield
        except BaseException:
            self.close(view)
            raise

    def switch_to(self, view: View, document: SessionDocument) -> None:
        """Switch a view to a document; the caller's reference to it passes to the view."""
        previous = view.document
        try:
            view.attach(document)
        except BaseException:
            self._release(document)
            raise
        try:
            self.on_attach(view)
        finally:
            self._release(previous)

    def _release(self, document: SessionDocument) -> None:
        if document.status != "memory":
            self.documents.release(document)

    def add(self, document: SessionDocument, setting: Callable[[], Setting]) -> View:
        """Add a handle for a document; the caller's reference to the document passes to the view.

        On failure the reference is released.
        """
        try:
            chosen = setting()
            view = View(f"s{next(self._numbers)}", document, **attrs.asdict(chosen))
            view.attach(document)
            self._views[view.handle] = view
        except BaseException:
            self._release(document)
            raise
        with self.opening(view):
            if self._ended:
                raise InvalidRequest("the connection is closed")
            self.on_attach(view)
        return view


def _nothing(_view: View) -> None:
    """Ignore the view: the default of the listeners."""
