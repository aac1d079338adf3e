"""The open handles: registered whole or not at all, and closed with everything kept for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs

from sessiond.errors import InvalidRequest, UnknownSession
from sessiond.files.cache import Documents
from sessiond.files.document import Document
from sessiond.session.view import View


@attrs.frozen
class Setting:
    """What a new handle is besides a document; see `View`."""

    cwd: str
    session_dir: str
    persisted: bool = True
    read_only: bool = False
    follow: bool = False


class Handles:
    """Views by handle; each holds its document in the cache as one of its users.

    No step that fails leaves a handle that the client does not know, or a document, a watch or an
    in-use mark that nothing will ever give back.
    """

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.attached: Callable[[View], None] = _nothing
        """Called with a view that was opened, or turned to another document."""
        self.closed: Callable[[View], None] = _nothing
        """Called with a view that was closed, also if `attached` failed for it."""
        self._views: dict[str, View] = {}
        self._ended = False
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._views)

    def view(self, handle: str) -> View:
        """The view of a handle; raises UnknownSession."""
        view = self._views.get(handle)
        if view is None:
            raise UnknownSession(handle)
        return view

    def close(self, view: View) -> None:
        """Let go of a handle; the document stays in the cache."""
        del self._views[view.handle]
        try:
            self.closed(view)
        finally:
            self._let_go(view.document)

    def close_all(self) -> None:
        """Close every handle; one that a request in hand still adds is closed at once."""
        self._ended = True
        for view in list(self._views.values()):
            self.close(view)

    @contextmanager
    def turning(self, view: View) -> Iterator[None]:
        """Turn a view to another document in here; if anything fails, it looks where it did.

        That includes what comes after the turn, such as making the answer: a client that is told
        of an error must find its handle as it was.
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
            self._let_go(document)

    @contextmanager
    def opening(self, view: View) -> Iterator[None]:
        """Close a view that was just opened if the rest of its request fails in here.

        A client that is told of an error does not learn of the handle and could never close it.
        """
        try:
            yield
        except BaseException:
            self.close(view)
            raise

    def turn_to(self, view: View, document: Document) -> None:
        """Turn a view to a document that has one more user for it; that one goes on failure."""
        previous, chosen = view.document, view.chosen
        try:
            view.attach(document)
            self.attached(view)
        except BaseException:
            view.document, view.chosen = previous, chosen
            try:
                self.attached(view)
            finally:
                self._let_go(document)
            raise
        self._let_go(previous)

    def _hold(self, document: Document) -> None:
        if document.status != "memory":
            self.documents.acquire(document)

    def _let_go(self, document: Document) -> None:
        if document.status != "memory":
            self.documents.release(document)

    def add(self, document: Document, setting: Callable[[], Setting]) -> View:
        """A handle for a document that has one more user for it; that one goes on failure."""
        try:
            chosen = setting()
            view = View(f"s{next(self._numbers)}", document, **attrs.asdict(chosen))
            view.attach(document)
            self._views[view.handle] = view
        except BaseException:
            self._let_go(document)
            raise
        with self.opening(view):
            if self._ended:
                raise InvalidRequest("the connection is closed")
            self.attached(view)
        return view


def _nothing(_view: View) -> None:
    """Nobody wants to know."""
