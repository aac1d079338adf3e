"""Find the documents that a report concerns, at a cost that does not grow with their number."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable

from sessiond.files.session_document import SessionDocument

_AFTER_SLASH = chr(ord("/") + 1)


class Names:
    """Documents by the names of their files."""

    def __init__(self) -> None:
        self._documents: dict[str, set[SessionDocument]] = {}
        self._sorted: list[str] = []

    def add(self, name: str, document: SessionDocument) -> None:
        """`name` is an absolute path that leads to the document's file."""
        if name not in self._documents:
            insort(self._sorted, name)
            self._documents[name] = set()
        self._documents[name].add(document)

    def discard(self, name: str, document: SessionDocument) -> None:
        """Undo `add`."""
        documents = self._documents[name]
        documents.discard(document)
        if not documents:
            del self._documents[name]
            del self._sorted[bisect_left(self._sorted, name)]

    def concerned(self, paths: Iterable[str]) -> Collection[SessionDocument]:
        """The documents of these files, and of all files below these directories."""
        found: dict[SessionDocument, None] = {}
        for path in paths:
            found.update(dict.fromkeys(self._documents.get(path, ())))
            above = path.rstrip("/")
            first = bisect_left(self._sorted, above + "/")
            last = bisect_left(self._sorted, above + _AFTER_SLASH, first)
            for name in self._sorted[first:last]:
                found.update(dict.fromkeys(self._documents[name]))
        return found
