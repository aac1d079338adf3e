"""The open handles. Opening one succeeds completely or changes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs

from sessiond.files.document_store import DocumentStore
from sessiond.files.session_document import SessionDocument
from sessiond.runtime.errors import InvalidParams, InvalidRequest, UnknownSession
from sessiond.sessions.view import View


@attrs.frozen
class Setting:
    """The settings of a new handle; see `View`."""

    cwd: str
    session_dir: str
    persisted: bool = True
    read_only: bool = False
    read_only_reason: str = ""


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
        self._reserved: set[str] = set()
        """Handles for sessions that are being opened."""
        self._ended = False
        self._numbers = itertools.count(1)

    def __len__(self) -> int:
        return len(self._views)

    def __iter__(self) -> Iterator[View]:
        return iter(tuple(self._views.values()))

    def view(self, handle: str) -> View:
        """Return the view of a handle; raises UnknownSession."""
        view = self._views.get(handle)
        if view is None:
            raise UnknownSession(handle)
        return view

    @contextmanager
    def reserving(self, handle: str | None) -> Iterator[None]:
        """Keep a handle free for the session that is opened in this block; None: any will do.

        Raises InvalidParams if it is taken.
        """
        if handle is None:
            yield
            return
        if self._is_taken(handle):
            raise InvalidParams(f"{handle} is the handle of another session", "$.session")
        self._reserved.add(handle)
        try:
            yield
        finally:
            self._reserved.remove(handle)

    def rename(self, view: View, handle: str) -> None:
        """Give a view the handle that was reserved for it."""
        del self._views[view.handle]
        view.handle = handle
        self._views[handle] = view

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
            view = View(self._unused(), document, **attrs.asdict(chosen))
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

    def _is_taken(self, handle: str) -> bool:
        return handle in self._views or handle in self._reserved

    def _unused(self) -> str:
        names = map("s{}".format, self._numbers)
        return next(name for name in names if not self._is_taken(name))


def _nothing(_view: View) -> None:
    """Ignore the view: the default of the listeners."""
