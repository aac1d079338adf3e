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
        self.attached: Callable[[View], None] = _nothing
        """Called with a view after it was opened or switched to another document."""
        self.closed: Callable[[View], None] = _nothing
        """Called with a view after it was closed, also if `attached` failed for it."""
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

    def take(self, handle: str) -> View | None:
        """Take the turn on a session if that needs no waiting: see `release`.

        None if there is no such handle, or another request has the turn or waits for it.
        """
        view = self._views.get(handle)
        if view is None or not view.turn.take():
            return None
        if view.document.turn.take():
            return view
        view.turn.release()
        return None

    def release(self, view: View) -> None:
        """End the turn that `take` has begun; the view has the same document."""
        view.document.turn.release()
        view.turn.release()

    def close(self, view: View) -> None:
        """Close a handle; the document stays in the cache."""
        del self._views[view.handle]
        try:
            self.closed(view)
        finally:
            self._release(view.document)

    def close_all(self) -> None:
        """Close every handle; a running request that opens another one then fails."""
        self._ended = True
        for view in list(self._views.values()):
            self.close(view)

    @contextmanager
    def turning(self, view: View) -> Iterator[None]:
        """Switch a view to another document in this block; if the block fails, switch it back.

        The block includes the steps after the switch, such as encoding the answer: a client that
        receives an error must find its handle unchanged.
        """
        document, chosen = view.document, view.chosen
        self._hold(document)
        try:
            yield
        except BaseException:
            if view.document is not document:
                self._hold(document)
                self.turn_to(view, document)
            view.chosen = chosen
            raise
        finally:
            self._release(document)

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

    def turn_to(self, view: View, document: SessionDocument) -> None:
        """Switch a view to a document; the caller's reference to the document passes to the view.

        On failure the reference is released and the view is unchanged.
        """
        previous, chosen = view.document, view.chosen
        try:
            view.attach(document)
            self.attached(view)
        except BaseException:
            view.document, view.chosen = previous, chosen
            try:
                self.attached(view)
            finally:
                self._release(document)
            raise
        self._release(previous)

    def _hold(self, document: SessionDocument) -> None:
        if document.status != "memory":
            self.documents.acquire(document)

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
            self.attached(view)
        return view


def _nothing(_view: View) -> None:
    """Ignore the view: the default of the listeners."""
